"""What one attempt works in: a company, a sandbox that sees it, colleagues, a CI runner. A trial and an environment
open it by the same steps; what was opened is closed by the stack it was opened with.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from starlette.types import ASGIApp

from dayjob import owned
from dayjob.llm.faults import ModelFault
from dayjob.llm.settings import SettingsError
from dayjob.sandbox.debian import authorities
from dayjob.sandbox.sandbox import Frozen, Sandbox
from dayjob.service_names import NAMES
from dayjob.task import Task
from dayjob.task.settings import PUBLISHED
from dayjob.trial.accounts import environment, renew
from dayjob.trial.ci_runner import INIT_SECONDS, TrialRunner
from dayjob.trial.colleagues import MODELS_HOST, Colleagues, NoColleagues, Passes
from dayjob.trial.company_process import TrialCompany
from dayjob.trial.egress import PORT as EGRESS_PORT
from dayjob.trial.egress import Proxy, policy_of
from dayjob.trial.evidence import Evidence
from dayjob.trial.extra_folders import extra_folders, restore
from dayjob.trial.failed_step import StepFailed
from dayjob.trial.grade import FROZEN_PATHS, GradingInputs
from dayjob.trial.grader_network import network_of, way_out
from dayjob.trial.listeners import MODELS_PORT, Listeners
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.preparation import Prepared
from dayjob.trial.spec import TrialSpec
from dayjob.trial.wait_program import PATH, wait_program
from dayjob.trial.workshop import Workshop

# What `Premises.keep` writes.
COMPANY, FILES, PRISTINE = "company.tar", "files.tree", "pristine"
_A = TypeVar("_A")
_B = TypeVar("_B")


class Premises:
    """The premises of one attempt. `admit`, then `open` and `init`, or `open_copy` of another's."""

    prepared: Prepared
    passes: Passes
    folder: Path
    """A place on the host for the frozen files."""
    company: TrialCompany
    sandbox: Sandbox
    listeners: Listeners
    runner: TrialRunner
    colleagues: Colleagues

    def __init__(self, workshop: Workshop, spec: TrialSpec, evidence: Evidence, outcome: Outcome) -> None:
        self.workshop = workshop
        self.spec = spec
        self.evidence = evidence
        self.outcome = outcome
        self.began = time.monotonic()
        self.further: tuple[str, ...] = ()
        """Folders outside the usual ones in which the examinee works."""

    @property
    def task(self) -> Task:
        return self.prepared.task

    # -- opening -------------------------------------------------------------------------------------------------

    async def admit(self, stack: AsyncExitStack) -> None:
        """Passes to the models of this attempt."""
        try:
            gateway = await self.workshop.gateway(self.spec)
        except (SettingsError, ModelFault) as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error
        self.passes = Passes(gateway, self.spec.name, self.evidence.folder / "models.jsonl")
        stack.callback(self._count_calls)
        stack.callback(self.passes.close)

    async def open(self, stack: AsyncExitStack, prepared: Prepared) -> None:
        """A company of its own, and a sandbox that sees it."""
        self.prepared = prepared
        task, image = prepared.task, prepared.image
        company = await self._open_company(stack)
        await self._check_services(task, company)
        self.further = await asyncio.to_thread(extra_folders, task)
        await self._open_sandbox(stack, () if self._withheld_later else image.withheld)
        if self.further:
            await self.sandbox.snapshot(self.folder / "pristine", self.further, whole=True)

    async def open_copy(self, stack: AsyncExitStack, origin: Premises) -> None:
        """The same company at the same moment and the same files, in processes of their own."""
        files = self._copy_sandbox(stack, origin)
        await self.copy_company(stack, origin, meanwhile=files)

    async def _copy_sandbox(self, stack: AsyncExitStack, origin: Premises) -> None:
        await self._open_sandbox(stack, self.prepared.image.withheld, copy_of=origin.sandbox)
        if self.further:
            await _copy(origin.folder / "pristine", self.folder / "pristine")

    async def copy_company(
        self, stack: AsyncExitStack, origin: Premises, meanwhile: Coroutine[Any, Any, object] | None = None
    ) -> None:
        """The company alone, as it is at one moment. Once it is known, `meanwhile` is done while it is opened."""
        self.prepared, self.further = origin.prepared, origin.further
        try:
            await self._open_company(stack, copied=True)
            going_on = await self._send_company(origin)
            if meanwhile is None:
                await going_on
            else:
                files = meanwhile
                meanwhile = None
                await both(going_on, files)
        finally:
            if meanwhile is not None:
                meanwhile.close()

    async def open_kept(self, stack: AsyncExitStack, prepared: Prepared, kept: Path, known: Mapping[str, Any]) -> None:
        """What `keep` wrote to a folder, in processes of their own; `known` is what it was that knew it."""
        self.prepared, self.further = prepared, tuple(known["further"])
        await self._open_company(stack, copied=True)
        copy = os.open(kept / COMPANY, os.O_RDONLY | os.O_CLOEXEC)
        try:
            await both(self._go_on(copy, known), self._open_kept_sandbox(stack, kept))
        finally:
            os.close(copy)

    async def _open_kept_sandbox(self, stack: AsyncExitStack, kept: Path) -> None:
        await self._open_sandbox(stack, self.prepared.image.withheld, copy_of=kept / FILES)
        if self.further:
            await _copy(kept / PRISTINE, self.folder / "pristine")

    async def keep(self, folder: Path) -> None:
        """Write the company and the sandbox's files as they are at this moment to a folder."""
        reading, writing = os.pipe()
        taken = asyncio.ensure_future(asyncio.to_thread(_take, reading, folder / COMPANY))
        try:
            await self.company.copy(writing)
        finally:
            os.close(writing)
            await taken
        await self.sandbox.keep(folder / FILES)
        if self.further:
            await _copy(self.folder / "pristine", folder / PRISTINE)

    def known(self) -> dict[str, Any]:
        """What the driver knows of a company that goes on elsewhere."""
        company = self.company
        return {
            "phase": company.phase,
            "token": company.control_token,
            "further": list(self.further),
            "colleagues": self.colleagues.known(),
        }

    async def _go_on(self, copy: int, known: Mapping[str, Any]) -> None:
        """Become the company of which a copy is at a descriptor."""
        self.company.phase, self.company.control_token = known["phase"], known["token"]
        access = self.passes.of("npc") if self.task.scenarios else None
        await self.company.go_on(copy, self.task.scenarios, access.complete if access is not None else None)
        self.colleagues.here_as(known["colleagues"])

    async def open_looked(self, stack: AsyncExitStack, origin: Premises, copy: int) -> None:
        """The company of which `copy` holds what graders need: without colleagues, and nothing happens in it."""
        self.prepared, self.further = origin.prepared, origin.further
        company = await self._open_company(stack, copied=True)
        company.phase, company.control_token = origin.company.phase, origin.company.control_token
        await company.go_on(copy, {}, None)

    async def _send_company(self, origin: Premises) -> asyncio.Future[None]:
        """Have one company write itself to another, through a pipe: neither has room for itself and a copy.

        Returns when all is written; what comes back ends when the other goes on from there.
        """
        known = origin.known()
        reading, writing = os.pipe()

        async def write() -> None:
            try:
                await origin.company.copy(writing)
            finally:
                os.close(writing)

        async def read() -> None:
            try:
                await self._go_on(reading, known)
            finally:
                os.close(reading)

        copying, going_on = asyncio.ensure_future(write()), asyncio.ensure_future(read())
        try:
            await asyncio.wait({copying, going_on}, return_when=asyncio.FIRST_COMPLETED)
            if not copying.done():
                await going_on  # which has failed: nobody goes on before all was read
            await copying
        except BaseException:
            for one in (copying, going_on):
                one.cancel()
            await asyncio.gather(copying, going_on, return_exceptions=True)
            raise
        return going_on

    async def _open_company(self, stack: AsyncExitStack, *, copied: bool = False) -> TrialCompany:
        # The next start removes it should we be killed.
        self.folder = owned.folder("trial")
        stack.push_async_callback(asyncio.to_thread, shutil.rmtree, self.folder, ignore_errors=True)
        task = self.task
        everybody = task.settings is not PUBLISHED
        company = self.company = await self.workshop.companies.open(
            self.prepared.snapshot,
            self.folder / "company",
            seed=self.spec.seed,
            journal=self.evidence.journal,
            colleagues=self.evidence.folder / "colleagues.jsonl" if task.scenarios or everybody else None,
            everybody=everybody,
            phase="init",
            passing=task.settings.time,
            way_out=way_out(task),
            copied=copied,
        )
        stack.callback(self._keep_log, company)
        stack.push_async_callback(company.stop)
        self.outcome.notes += company.missing
        self._tie_clocks(company)
        stack.callback(self._tie_clocks, company)
        self.colleagues = Colleagues(company, task, self.passes)
        return company

    async def _open_sandbox(
        self, stack: AsyncExitStack, withheld: Sequence[str], copy_of: Sandbox | Path | None = None
    ) -> None:
        task, image, company = self.task, self.prepared.image, self.company
        world = company.world
        egress = policy_of(task.settings.egress)
        sandbox = self.sandbox = self.prepared.site.sandbox(
            image if task.init_scripts else image.without_grading(),
            name=task.name,
            listen=[
                *(world.ports[name] for name in (*open_to_examinee(task), "control")),
                MODELS_PORT,
                *([EGRESS_PORT] if egress else []),
            ],
            hosts={world.host: "127.0.0.1", MODELS_HOST: "127.0.0.1"},
            env=egress.environment(world.host),
            files={**(authorities() if egress else {}), PATH: wait_program(world.url("control"))},
            clock=company.page,
            withheld=withheld,
            copy_of=copy_of,
        )
        stack.push_async_callback(sandbox.stop)
        started = await sandbox.start()
        if egress:
            proxy = await stack.enter_async_context(Proxy(egress, started.listeners.pop(EGRESS_PORT)))
            stack.callback(lambda: self.evidence.json("egress.json", proxy.seen))
        self.listeners = Listeners(self.workshop.server, company, started.listeners)
        stack.push_async_callback(self.listeners.give_up)
        self.runner = await stack.enter_async_context(
            TrialRunner(self.prepared.site, company, self.folder, options={"clock": company.page})
        )

    async def _check_services(self, task: Task, company: TrialCompany) -> None:
        for name in task.services:
            if name not in NAMES:
                raise StepFailed(Label.INIT_ERROR, f"the task depends on {name}, which this company does not have")
        if missing := await company.not_ready(task.services):
            raise StepFailed(Label.INFRA_ERROR, f"{missing[0]} is not ready")

    # -- init ----------------------------------------------------------------------------------------------------

    @property
    def _withheld_later(self) -> bool:
        """What the task's scripts need first, or graders find in an extra folder, is withheld when init has ended."""
        return bool(self.task.init_scripts or self.further)

    async def init(self) -> None:
        """The task's own scripts, if it has any; then everybody is at work, and no secret that was told holds."""
        if self.task.init_scripts:
            await self._run_scripts()
        await self._arrive()
        await renew(self.company, self.task.services)
        if self._withheld_later and (withheld := self.prepared.image.withheld):
            await self.sandbox.remove(*withheld)

    async def _run_scripts(self) -> None:
        """Init scripts, with the world's accounts and the control token.

        Colleagues come to work between `pre_init`, which may reset chat, and what follows it.
        """
        task, company = self.task, self.company
        accounts = await renew(company, task.services)
        await self.listeners.open("init", task.services, self.passes.gateway.app(self.spec.name, ["npc"]))
        for script in task.init_scripts:
            if script.stem != "pre_init":
                await self._arrive()
            env = environment(company, accounts) | self.passes.environment("npc")
            env["DAYJOB_COLLEAGUES"] = ",".join(self.colleagues.usernames)
            await self._script(script, env)
        await self.listeners.close()
        await self.runner.wait(INIT_SECONDS)

    async def _arrive(self) -> None:
        try:
            await self.colleagues.arrive()
        except NoColleagues as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        if self.colleagues.minds:
            self.outcome.made_of["minds"] = self.colleagues.minds
        if self.colleagues.prompts:
            self.outcome.made_of["prompts"] = self.colleagues.prompts

    async def _script(self, script: Path, env: dict[str, str]) -> None:
        """Run one script. `pre_init` may fail once: nobody else has begun, so it starts over on services reset."""
        interpreter = "bash" if script.suffix == ".sh" else "python_default"
        seconds = self.task.settings.timeouts.init
        for log, last in ((script.stem, script.stem != "pre_init"), (f"{script.stem}-2", True)):
            done = await self.sandbox.exec([interpreter, f"/utils/{script.name}"], env=env, within=seconds, user="root")
            self.evidence.log(log, done.stdout, done.stderr)
            if done.ok:
                return
            why = f"did not end within {seconds} s" if done.timed_out else f"ended with {done.exit_code}"
            if last or done.timed_out:
                raise StepFailed(Label.INIT_ERROR, f"{script.name} {why}; see logs/{log}.log")
            self.outcome.notes.append(f"{script.name} {why} and was run again; see logs/{log}.log")
            await self.company.reset(*self.task.services)

    # -- the end -------------------------------------------------------------------------------------------------

    async def freeze(self, into: Path) -> Frozen:
        """The examinee's files as they are now, as graders see them."""
        frozen = await self.sandbox.snapshot(into, (*FROZEN_PATHS, *self.further), system=True)
        if self.further:
            # A copy, since what is put back is moved there, and there may be a next time.
            await _copy(self.folder / "pristine", self.folder / "pristine-copy")
            await asyncio.to_thread(restore, self.folder / "pristine-copy", into)
        return frozen

    def grading(self, company: TrialCompany, frozen: Frozen, trajectory: str) -> GradingInputs:
        """What a grading of these files and a company needs."""
        judges = self.passes.gateway.app(self.spec.name, ["judge"])
        prepared, task = self.prepared, self.task
        return GradingInputs(
            prepared.site, self.workshop.server, company, prepared.image, task.services, frozen, self.sandbox,
            trajectory, judges, installed=bool(task.settings.egress), network=network_of(task),
        )  # fmt: skip

    # -- evidence ------------------------------------------------------------------------------------------------

    def _count_calls(self) -> None:
        """Scored or not: what was asked was paid for."""
        self.outcome.resources["models"] = self.passes.usage()
        self.outcome.made_of["models"] = self.passes.models()
        if served := self.passes.served():
            self.outcome.made_of["served"] = served
        self.outcome.notes += self.passes.notes
        self.outcome.judged = self.passes.judged(withheld=bool(self.spec.variant_set))

    def _keep_log(self, company: TrialCompany) -> None:
        if company.log.parts:
            self.evidence.log("company", *company.log.parts)
        colleagues = self.evidence.folder / "colleagues.jsonl"
        if not self.task.scenarios and colleagues.exists() and not colleagues.stat().st_size:
            colleagues.unlink()  # nobody was written to

    def _tie_clocks(self, company: TrialCompany) -> None:
        """When it began by the host's clock, and moments of the company's: so that both fit on one axis."""
        passed, now = time.monotonic() - self.began, datetime.now(UTC)
        moments = [
            {"at": round(at - self.began, 3), "from": before, "world": after} for at, before, after in company.moments
        ]
        began = (now - timedelta(seconds=passed)).isoformat(timespec="milliseconds")
        self.evidence.json("began.json", {"format": 2, "host": began, "moments": moments})


async def both(one: Awaitable[_A], other: Awaitable[_B]) -> tuple[_A, _B]:
    """Do two things at once, and go on when both have ended, also if one of them fails or is cancelled."""
    tasks = asyncio.ensure_future(one), asyncio.ensure_future(other)
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise
    for task in tasks:
        task.exception()  # of two that failed, the first is told
    return tasks[0].result(), tasks[1].result()


def _take(reading: int, place: Path) -> None:
    """Put all that comes out of a pipe into a new file. Blocking: for a thread."""
    with open(reading, "rb") as source:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as target:
            shutil.copyfileobj(source, target)


async def _copy(source: Path, target: Path) -> None:
    """With owners and links, which no copy of Python's own keeps."""
    copying = await asyncio.create_subprocess_exec("cp", "-aT", str(source), str(target))
    if await copying.wait() != 0:
        raise OSError(f"{source} could not be copied")


async def let_in(task: Task, company: TrialCompany, listeners: Listeners, models: ASGIApp) -> None:
    """The work begins: the company answers the examinee, and colleagues who write first count from now on."""
    await company.enter("work")
    await listeners.open("examinee", open_to_examinee(task), models)
    await company.begin_work()


def open_to_examinee(task: Task) -> tuple[str, ...]:
    """All of the company's services but those that the task has out of order."""
    return tuple(name for name in NAMES if name not in task.settings.down)
