"""The straight line: build, clone the company, start the sandbox, init, work, grade, collect evidence, tear down.

Each step has one time limit and one label for its failure; a failure before the work is never the examinee's. Whatever
happens, there is an outcome, its evidence is in the trial's folder, and nothing is left running.
"""

from __future__ import annotations

import asyncio
import shutil
import time
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dayjob import __version__, owned
from dayjob.agent import Agent, AgentError, Assignment, Trajectory, make_agent
from dayjob.company.world import Snapshot, WorldError, build_snapshot
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.company.world.gaps import in_a_line, lacks_of
from dayjob.company.world.snapshot import default_cache
from dayjob.http.server import Server
from dayjob.llm.faults import Label as ModelLabel
from dayjob.llm.faults import ModelFault
from dayjob.llm.gateway import Gateway
from dayjob.llm.run_limits import Turns
from dayjob.llm.settings import SettingsError
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.debian import authorities
from dayjob.sandbox.sandbox import BuildError, BuiltImage, Needs, Sandbox, SandboxError, Site
from dayjob.service_names import NAMES
from dayjob.task import Task, TaskError
from dayjob.task.dockerfile import Instruction
from dayjob.trial.accounts import environment, examinee, renew
from dayjob.trial.ci_runner import INIT_SECONDS, TrialRunner
from dayjob.trial.colleagues import MODELS_HOST, Colleagues, NoColleagues, Passes
from dayjob.trial.company_process import CompanyLost, CompanyProcesses, TrialCompany
from dayjob.trial.egress import PORT as EGRESS_PORT
from dayjob.trial.egress import Proxy, policy_of
from dayjob.trial.evidence import Evidence, left_out_note, sentence_about
from dayjob.trial.examinee_began import Traces, changed_since, never_began
from dayjob.trial.extra_folders import extra_folders, restore
from dayjob.trial.grade import FROZEN_PATHS, WITHHELD, GraderError, GradingInputs, Verdict, grade, ports_left
from dayjob.trial.grader_network import network_of, way_out, with_graders_way_out
from dayjob.trial.graders_python import GradersPython
from dayjob.trial.grading_archive import keep
from dayjob.trial.instruction import instruction_for
from dayjob.trial.listeners import MODELS_PORT, Listeners
from dayjob.trial.outcome import EXHAUSTED, Label, Outcome, label_for, without_digests
from dayjob.trial.readiness import settings_for
from dayjob.trial.spec import TrialSpec
from dayjob.trial.steps import Step
from dayjob.trial.strip_task import without_task
from dayjob.trial.variants import PrivateVariant, variant_of_spec
from dayjob.trial.wait_program import PATH, wait_program
from dayjob.trial.work_clock import WorkClock

BUILD_SECONDS = 1800
SAVING_SECONDS = 60.0


class StepFailed(Exception):
    """A step that ends the trial, and the label it ends with."""

    def __init__(self, label: Label, sentence: str) -> None:
        super().__init__(sentence)
        self.label = label


class Workshop:
    """Runs trials on this event loop: a process for each company, one site per kind of sandbox. `async with`."""

    def __init__(
        self,
        cache: Path | None = None,
        on_step: Callable[[TrialSpec, str], None] | None = None,
        turns: Turns | None = None,
    ) -> None:
        self.cache = cache or default_cache()
        self.turns = turns
        """What the run may ask of models; None where there is no run, and each gateway decides for itself."""
        self.on_step = on_step
        self.server = Server()
        self.companies = CompanyProcesses()
        self.graders = GradersPython(self.cache)
        self._sites: dict[str, Site] = {}
        self._gateways: dict[tuple[str | None, ...], Gateway] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Workshop:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.server)
            await stack.enter_async_context(self.companies)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self._stack.aclose()

    async def site(self, name: str) -> Site:
        """The place for sandboxes of this kind, opened when first asked for."""
        async with self._opening:
            if name not in self._sites:
                self._sites[name] = await self._stack.enter_async_context(make_site(name, self.cache))
        return self._sites[name]

    async def gateway(self, spec: TrialSpec) -> Gateway:
        """The door to the models a spec names, opened when first asked for."""
        named = (spec.model, spec.npc_model, spec.judge_model)
        async with self._opening:
            if named not in self._gateways:
                settings = settings_for(spec)
                self._gateways[named] = await self._stack.enter_async_context(Gateway(settings, turns=self.turns))
        return self._gateways[named]

    async def run(self, spec: TrialSpec) -> Outcome:
        """One trial. Where not even its outcome can be written there is none on the disk, and it is done again."""
        outcome = Outcome.of(spec, Label.INFRA_ERROR)
        try:
            return await _Trial(self, spec, outcome).run()
        except OSError as error:
            if outcome.label is not Label.CANCELLED:
                outcome.label = Label.INFRA_ERROR
            outcome.reason = f"its evidence could not be written: {sentence_about(error)}"
            return outcome


def run_trial(spec: TrialSpec, cache: Path | None = None) -> Outcome:
    """One trial from spec to outcome, on a loop of its own."""
    import uvloop

    async def main() -> Outcome:
        async with Workshop(cache) as workshop:
            return await workshop.run(spec)

    return uvloop.run(main())


class _Trial:
    def __init__(self, workshop: Workshop, spec: TrialSpec, outcome: Outcome) -> None:
        self.workshop = workshop
        self.spec = spec
        self.evidence = Evidence(Path(spec.out))
        self.outcome = outcome
        self.trajectory: Trajectory | None = None
        self.points: int | None = None
        """What the task is worth, as its checkpoints.md says."""
        self.instruction = ""
        """What the examinee was told."""
        self.agent_error: Exception | None = None

    async def run(self) -> Outcome:
        self.evidence.text("spec.json", self.spec.to_json())
        self.began = began = time.monotonic()
        try:
            async with AsyncExitStack() as stack:
                await self._line(stack)
        except StepFailed as failure:
            self._fail(failure.label, str(failure))
        except CompanyLost as loss:
            self._lose(loss)
        except SandboxError as error:
            self._fail(Label.INFRA_ERROR, str(error))
        except OSError as error:
            self._fail(Label.INFRA_ERROR, sentence_about(error))
        except asyncio.CancelledError:
            self._fail(Label.CANCELLED, "the trial was cancelled")
            await self._write(began)
            raise
        except Exception as error:
            # An error of our own must not take the run's other trials with it.
            self.evidence.log("trial", traceback.format_exc())
            self._fail(Label.INFRA_ERROR, f"{type(error).__name__}: {error}; see logs/trial.log")
        await self._write(began)
        return self.outcome

    def _fail(self, label: Label, sentence: str) -> None:
        self.outcome.label = label
        self.outcome.reason = sentence

    def _lose(self, loss: CompanyLost) -> None:
        """A company that its examinee exhausted leaves it without points; one that broke otherwise is our fault."""
        if loss.exhausted and self.trajectory is not None:
            self._fail(Label.FAILED, f"exhausted its company: {loss}")
            self.outcome.ended = EXHAUSTED
            self.outcome.stopped = "its company could take no more"
            self.outcome.result, self.outcome.total = 0, self.points
        else:
            self._fail(Label.INFRA_ERROR, f"the company was lost: {loss}")

    async def _write(self, began: float) -> None:
        if self.trajectory is not None:
            self._write_trajectory(self.trajectory)
        self.outcome.timings["all"] = time.monotonic() - began
        self.outcome.timings = {name: round(seconds, 4) for name, seconds in self.outcome.timings.items()}
        if self.spec.variant_set:
            self.outcome.made_of = without_digests(self.outcome.made_of)
        sealing = asyncio.ensure_future(asyncio.to_thread(self.evidence.seal, self.outcome.to_json()))
        try:
            await asyncio.shield(sealing)
        except asyncio.CancelledError:
            # Who cancels a trial reads its outcome next.
            await asyncio.wait({sealing})
            raise

    def _write_trajectory(self, trajectory: Trajectory) -> None:
        try:
            self.evidence.json("trajectory.json", trajectory.as_atif(self.spec.name))
        except (TypeError, ValueError, RecursionError) as error:
            # What an agent wrote about itself must not cost the trial its outcome.
            self.outcome.notes.append(f"trajectory.json leaves out the steps, which cannot be written: {error}")
            trajectory.steps.clear()
            self.evidence.json("trajectory.json", trajectory.as_atif(self.spec.name))

    def _count_calls(self) -> None:
        """Scored or not: what was asked was paid for."""
        self.outcome.resources["models"] = self.passes.usage()
        self.outcome.made_of["models"] = self.passes.models()
        self.outcome.notes += self.passes.notes

    @asynccontextmanager
    async def _step(self, name: Step, seconds: float | None, late: Label) -> AsyncIterator[None]:
        """Time a step; one that takes longer than it may ends the trial with `late`."""
        self.outcome.step = name
        if self.workshop.on_step is not None:
            self.workshop.on_step(self.spec, name)
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise StepFailed(late, f"{name} did not end within {seconds:g} s") from None
        finally:
            self.outcome.timings[name] = self.outcome.timings.get(name, 0.0) + time.monotonic() - began

    # -- the line ------------------------------------------------------------------------------------------------

    async def _line(self, stack: AsyncExitStack) -> None:
        async with self._step("build", BUILD_SECONDS, Label.INIT_ERROR):
            task, agent = self._load(await self._task_folder())
            self.points = task.points
            await self.workshop.companies.expect(NAMES)
            self.site = await self.workshop.site(self.spec.sandbox)
            self._check_needs(task)
            self.passes = await self._passes()
            stack.callback(self._count_calls)
            stack.callback(self.passes.close)
            snapshot = await self._snapshot(task)
            image = await self._image(task, agent)
            await self._check_graders(task, image)
        async with self._step("start", 60, Label.INFRA_ERROR):
            folder = self._folder(stack)
            company = await self.workshop.companies.open(
                snapshot,
                folder / "company",
                seed=self.spec.seed,
                journal=self.evidence.journal,
                colleagues=self.evidence.folder / "colleagues.jsonl" if task.scenarios else None,
                phase="init",
                passing=task.settings.time,
                way_out=way_out(task),
            )
            stack.callback(self._keep_log, company)
            stack.push_async_callback(company.stop)
            self.outcome.notes += company.missing
            self._tie_clocks(company)
            stack.callback(self._tie_clocks, company)
            await self._check_services(task, company)
            further = await asyncio.to_thread(extra_folders, task)
            # What the task's scripts need first, or graders find in an extra folder, is withheld when init has ended.
            later = bool(task.init_scripts or further)
            sandbox, listeners = await self._start(stack, task, company, image, () if later else image.withheld)
            self.runner = await stack.enter_async_context(
                TrialRunner(self.site, company, folder, options={"clock": company.page})
            )
            if further:
                await sandbox.snapshot(folder / "pristine", further, whole=True)
        self.colleagues = Colleagues(company, task, self.passes)
        async with self._step("init", None, Label.INIT_ERROR):
            await self._init(task, company, sandbox, listeners)
            if later:
                await sandbox.remove(*image.withheld)
        async with self._step("setup", 600, Label.INFRA_ERROR):
            await agent.setup(sandbox)
        try:
            async with self._step("work", None, Label.INFRA_ERROR):
                await self._work(task, agent, company, sandbox, listeners)
        except CompanyLost:
            await self._save_workspace(sandbox, folder / "frozen")
            raise
        async with self._step("freeze", 300, Label.INFRA_ERROR):
            frozen = await sandbox.snapshot(folder / "frozen", (*FROZEN_PATHS, *further), system=True)
            if further:
                await asyncio.to_thread(restore, folder / "pristine", folder / "frozen")
            self.outcome.notes += [f"a link was withheld from the grader: {link}" for link in frozen.replaced_links]
            self.outcome.notes += left_out_note(frozen.left_out)
            await self._check_it_began(agent, company, folder / "frozen" / "workspace")
            trajectory = await self._told(task, agent)
            ports = await ports_left(sandbox, [*company.world.ports.values(), MODELS_PORT, EGRESS_PORT])
            if note := await keep(self.evidence.folder, company, frozen, trajectory, ports):
                self.outcome.notes.append(note)
        async with self._step("grade", None, Label.GRADER_ERROR):
            judges = self.passes.gateway.app(self.spec.name, ["judge"])
            inputs = GradingInputs(
                self.site, self.workshop.server, company, image, task.services, frozen, sandbox, trajectory, judges,
                installed=bool(task.settings.egress), network=network_of(task),
            )  # fmt: skip
            await self._grade(task, inputs)
        async with self._step("collect", 300, Label.INFRA_ERROR):
            await self._collect(company, sandbox, folder / "frozen")
        self.outcome.step = ""

    def _keep_log(self, company: TrialCompany) -> None:
        if company.log.parts:
            self.evidence.log("company", *company.log.parts)

    def _tie_clocks(self, company: TrialCompany) -> None:
        """When it began by the host's clock, and moments of the company's: so that both fit on one axis."""
        passed, now = time.monotonic() - self.began, datetime.now(UTC)
        moments = [
            {"at": round(at - self.began, 3), "from": before, "world": after} for at, before, after in company.moments
        ]
        began = (now - timedelta(seconds=passed)).isoformat(timespec="milliseconds")
        self.evidence.json("began.json", {"format": 2, "host": began, "moments": moments})

    async def _task_folder(self) -> Path:
        """Where the task is: of a family, the variant as it was made, or is made now."""
        variant = await asyncio.to_thread(variant_of_spec, self.spec)
        if variant is None:
            return Path(self.spec.task)
        self.outcome.variant = variant.number
        try:
            found = await asyncio.to_thread(variant.found, self.workshop.cache)
            return found or await variant.made(await self.workshop.site(self.spec.sandbox), self.workshop.cache)
        except TaskError as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        except PrivateVariant as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error

    def _load(self, folder: Path) -> tuple[Task, Agent]:
        try:
            task = Task.load(folder)
            if self.spec.egress is not None:
                task = replace(task, settings=replace(task.settings, egress=self.spec.way_out))
            task = with_graders_way_out(task, self.spec)
            if self.spec.clock is not None:
                passing = replace(task.settings.time, clock=self.spec.clock)
                task = replace(task, settings=replace(task.settings, time=passing))
            return task, make_agent(self.spec.agent, task)
        except TaskError as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        except AgentError as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error

    async def _passes(self) -> Passes:
        try:
            gateway = await self.workshop.gateway(self.spec)
        except (SettingsError, ModelFault) as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error
        return Passes(gateway, self.spec.name, self.evidence.folder / "models.jsonl")

    def _check_needs(self, task: Task) -> None:
        """A sandbox that cannot give what the task needs is an error before anything starts."""
        hosts = task.settings.egress
        needs = Needs(egress="full" if "*" in hosts else "list" if hosts else "none")
        if reasons := self.site.capabilities.missing(needs):
            raise StepFailed(
                Label.INFRA_ERROR, f"the {self.spec.sandbox} sandbox cannot run this: {'; '.join(reasons)}"
            )

    async def _snapshot(self, task: Task) -> Snapshot:
        name = self.spec.world or task.settings.world
        try:
            folder = find_world(name)
            self.site.keep_out(folder, self.evidence.folder)
            snapshot = await asyncio.to_thread(build_snapshot, folder, task.world_overlay, cache=self.workshop.cache)
        except (UnknownWorld, WorldError) as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        self.outcome.made_of |= {"dayjob": __version__, "world": name, "snapshot": snapshot.key}
        if lacks := lacks_of(folder, task.name):
            self.outcome.notes.append(in_a_line(task.name, lacks))
        return snapshot

    async def _image(self, task: Task, agent: Agent) -> BuiltImage:
        below = tuple(Instruction("RUN", line, 0) for line in agent.install)
        try:
            dockerfile = replace(task.dockerfile, below=below, made=self.spec.made)
            image = await self.site.build(task.path, dockerfile, within=BUILD_SECONDS)
        except BuildError as error:
            self.evidence.log("build", error.log)
            if not error.of_task:
                sentence = f"{agent.name} could not be installed: {error}; see logs/build.log"
                raise StepFailed(Label.INFRA_ERROR, sentence) from error
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        self.evidence.log("build", image.log)
        self.outcome.notes += image.notes
        self.outcome.made_of |= {
            "image": image.key,
            "root": image.root,
            "sandbox": self.spec.sandbox,
            "uids": self.site.capabilities.uids,
        }
        return image

    async def _check_graders(self, task: Task, image: BuiltImage) -> None:
        """A task that could not be graded is not worked at."""
        if problem := await self.workshop.graders.problem(self.site, image, task):
            raise StepFailed(Label.INIT_ERROR, problem)

    def _folder(self, stack: AsyncExitStack) -> Path:
        """A place on the host for the frozen files, which the next start removes should we be killed."""
        folder = owned.folder("trial")
        stack.push_async_callback(asyncio.to_thread, shutil.rmtree, folder, ignore_errors=True)
        return folder

    async def _check_services(self, task: Task, company: TrialCompany) -> None:
        for name in task.services:
            if name not in NAMES:
                raise StepFailed(Label.INIT_ERROR, f"the task depends on {name}, which this company does not have")
        if missing := await company.not_ready(task.services):
            raise StepFailed(Label.INFRA_ERROR, f"{missing[0]} is not ready")

    async def _start(
        self, stack: AsyncExitStack, task: Task, company: TrialCompany, image: BuiltImage, withheld: Sequence[str]
    ) -> tuple[Sandbox, Listeners]:
        world = company.world
        egress = policy_of(task.settings.egress)
        sandbox = self.site.sandbox(
            image if task.init_scripts else image.without_grading(),
            name=task.name,
            listen=[
                *(world.ports[name] for name in (*_open_to_examinee(task), "control")),
                MODELS_PORT,
                *([EGRESS_PORT] if egress else []),
            ],
            hosts={world.host: "127.0.0.1", MODELS_HOST: "127.0.0.1"},
            env=egress.environment(world.host),
            files={**(authorities() if egress else {}), PATH: wait_program(world.url("control"))},
            clock=company.page,
            withheld=withheld,
        )
        stack.push_async_callback(sandbox.stop)
        started = await sandbox.start()
        if egress:
            proxy = await stack.enter_async_context(Proxy(egress, started.listeners.pop(EGRESS_PORT)))
            stack.callback(lambda: self.evidence.json("egress.json", proxy.seen))
        listeners = Listeners(self.workshop.server, company, started.listeners)
        stack.push_async_callback(listeners.give_up)
        return sandbox, listeners

    async def _init(self, task: Task, company: TrialCompany, sandbox: Sandbox, listeners: Listeners) -> None:
        """The task's own scripts, if it has any; then everybody is at work, and no secret that was told holds."""
        if task.init_scripts:
            await self._run_scripts(task, company, sandbox, listeners)
        await self._arrive()
        await renew(company, task.services)

    async def _run_scripts(self, task: Task, company: TrialCompany, sandbox: Sandbox, listeners: Listeners) -> None:
        """Init scripts, with the world's accounts and the control token.

        Colleagues come to work between `pre_init`, which may reset chat, and what follows it.
        """
        accounts = await renew(company, task.services)
        await listeners.open("init", task.services, self.passes.gateway.app(self.spec.name, ["npc"]))
        for script in task.init_scripts:
            if script.stem != "pre_init":
                await self._arrive()
            env = environment(company, accounts) | self.passes.environment("npc")
            env["DAYJOB_COLLEAGUES"] = ",".join(self.colleagues.usernames)
            await self._script(task, script, company, sandbox, env)
        await listeners.close()
        await self.runner.wait(INIT_SECONDS)

    async def _arrive(self) -> None:
        try:
            await self.colleagues.arrive()
        except NoColleagues as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        if self.colleagues.minds:
            self.outcome.made_of["minds"] = self.colleagues.minds

    async def _script(
        self, task: Task, script: Path, company: TrialCompany, sandbox: Sandbox, env: dict[str, str]
    ) -> None:
        """Run one script. `pre_init` may fail once: nobody else has begun, so it starts over on services reset."""
        interpreter = "bash" if script.suffix == ".sh" else "python_default"
        seconds = task.settings.timeouts.init
        for log, last in ((script.stem, script.stem != "pre_init"), (f"{script.stem}-2", True)):
            done = await sandbox.exec([interpreter, f"/utils/{script.name}"], env=env, within=seconds, user="root")
            self.evidence.log(log, done.stdout, done.stderr)
            if done.ok:
                return
            why = f"did not end within {seconds} s" if done.timed_out else f"ended with {done.exit_code}"
            if last or done.timed_out:
                raise StepFailed(Label.INIT_ERROR, f"{script.name} {why}; see logs/{log}.log")
            self.outcome.notes.append(f"{script.name} {why} and was run again; see logs/{log}.log")
            await company.reset(*task.services)

    async def _work(
        self, task: Task, agent: Agent, company: TrialCompany, sandbox: Sandbox, listeners: Listeners
    ) -> None:
        await company.enter("work")
        self.work_began = time.time()
        await listeners.open("examinee", _open_to_examinee(task), self.passes.gateway.app(self.spec.name, ["examinee"]))
        await company.begin_work()
        seconds = self.spec.seconds or task.settings.timeouts.work
        self.instruction = instruction_for(task, company)
        self.trajectory = agent.new_trajectory()
        self.trajectory.folder = self.evidence.folder
        clock = WorkClock(seconds, self.passes.waits("examinee"), self.passes.patience, company.pause)
        given = Assignment(
            self.instruction,
            seconds,
            self.passes.environment("examinee"),
            self.passes.of("examinee"),
            {name: company.world.url(name) for name in _open_to_examinee(task)},
            examinee(company.world),
            self.spec.seed,
            clock.left,
            company.forward,
        )
        try:
            async with clock.limited():
                await self._until_spent(company, agent.run(given, sandbox, self.trajectory))
        except TimeoutError:
            self._time_up(clock)
        except AgentError as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error
        finally:
            self.outcome.waited_for_model = round(clock.waited, 3)
            await listeners.close()
            self.passes.close("examinee")
            self.outcome.stopped = self.outcome.stopped or self.trajectory.stopped
        await self._settle_jobs()
        await self._check_faults(company)
        await company.enter("grade")
        company.note_moment(await company.now())

    async def _settle_jobs(self) -> None:
        """Let CI end what was pushed: graders look at pipelines. No job's own doing is a fault."""
        await self.runner.settle()
        self.outcome.notes += self.runner.notes
        if self.runner.used:
            self.outcome.resources["ci"] = self.runner.used
        if self.runner.faults:
            raise StepFailed(Label.INFRA_ERROR, f"CI could not run: {'; '.join(self.runner.faults)}")

    def _time_up(self, clock: WorkClock) -> None:
        if clock.out_of_patience:
            sentence = f"the examinee was kept waiting by its model's provider for more than {clock.patience:g} s"
            raise StepFailed(Label.INFRA_ERROR, f"{sentence}; [llm] patience in dayjob.toml says how long it may be")
        self.outcome.ended = "timeout"
        waited = f", and {clock.waited:.0f} s of waiting for its model" if clock.waited >= 0.5 else ""
        self.outcome.stopped = f"the examinee's time was up after {clock.seconds:g} s{waited}"
        self.outcome.notes.append(self.outcome.stopped)

    async def _check_faults(self, company: TrialCompany) -> None:
        """What went wrong during the work without being the examinee's doing ends the trial without a score."""
        found = await company.trouble()
        self.outcome.notes += found.notes
        spoilt = [(str(fault.label), fault.sentence) for fault in self.passes.spoilt("examinee")]
        for whose, faults in (("a colleague", found.faults), ("the examinee's model", spoilt)):
            if faults:
                said = "; ".join(dict.fromkeys(sentence for _, sentence in faults))
                over = all(label == ModelLabel.RUN_BUDGET_SPENT for label, _ in faults)
                # The run ended, not this trial: it is neither scored nor tried again before somebody goes on with it.
                raise StepFailed(Label.CANCELLED if over else Label.INFRA_ERROR, f"{whose} failed: {said}")
        if trouble := found.trouble or self.passes.trouble:
            raise StepFailed(Label.INFRA_ERROR, trouble)
        if found.unseen:
            raise CompanyLost(f"{found.unseen} changes did not fit into its journal", exhausted=True)

    async def _check_it_began(self, agent: Agent, company: TrialCompany, workspace: Path) -> None:
        used = self.passes.usage().get("examinee", {})
        traces = Traces(
            self.outcome.timings["work"],
            int(used.get("calls", 0)),
            self.passes.answered("examinee"),
            await company.was_asked("examinee"),
            changed_since(workspace, self.work_began),
            self.agent_error,
        )
        if (sentence := never_began(agent, self.trajectory, traces)) is not None:
            raise StepFailed(Label.INFRA_ERROR, sentence)

    async def _told(self, task: Task, agent: Agent) -> str:
        """What evaluators are given of the trajectory: what the agent said and did, without what it was told."""
        if self.trajectory is None:
            return ""
        text = self.trajectory.for_evaluators()
        return text if agent.repeats_task else await asyncio.to_thread(without_task, text, self.instruction)

    async def _until_spent(self, company: TrialCompany, work: Coroutine[Any, Any, None]) -> None:
        """Let the examinee work until it is done or its budget is spent, which ends its work as a deadline does.

        Without a company there is nothing left to work in.
        """
        spent = asyncio.Event()
        access = self.passes.of("examinee")
        if access is not None:
            access.on_spent = spent.set
        working, spending = asyncio.ensure_future(work), asyncio.ensure_future(spent.wait())
        losing = asyncio.ensure_future(company.until_lost())
        try:
            await asyncio.wait({working, spending, losing}, return_when=asyncio.FIRST_COMPLETED)
            if losing.done():
                raise await company.loss()
            if working.done():
                self._worked(working)
            if spent.is_set():
                self.outcome.ended = "budget"
                self.outcome.stopped = "the examinee's budget was spent"
                self.outcome.notes.append(self.outcome.stopped)
        finally:
            for one in (working, spending, losing):
                one.cancel()
            await asyncio.gather(working, spending, losing, return_exceptions=True)

    def _worked(self, working: asyncio.Future[None]) -> None:
        """An agent that fails on what its model says or does has ended its work, and is graded on what it left."""
        try:
            working.result()
        except (AgentError, SandboxError, OSError, asyncio.CancelledError):
            raise
        except Exception as error:
            self.agent_error = error
            self.evidence.log("agent", "".join(traceback.format_exception(error)))
            self.outcome.ended = "error"
            self.outcome.stopped = f"the agent failed: {type(error).__name__}: {str(error)[:300]}; see logs/agent.log"
            self.outcome.notes.append(self.outcome.stopped)

    async def _grade(self, task: Task, inputs: GradingInputs) -> None:
        verdicts: list[Verdict] = []
        for number in range(self.spec.gradings):
            accounts = await renew(inputs.company, task.services)
            suffix = f"-{number + 1}" if number else ""
            try:
                env = environment(inputs.company, accounts) | self.passes.environment("judge")
                verdict = await grade(inputs, env, within=task.settings.timeouts.grade)
            except GraderError as error:
                self.evidence.log(f"grade{suffix}", WITHHELD if self.spec.variant_set else error.log)
                if inputs.company.lost:
                    raise await inputs.company.loss() from None
                sentence = WITHHELD if self.spec.variant_set else str(error)
                raise StepFailed(Label.GRADER_ERROR, sentence) from error
            verdict = verdict.withheld() if self.spec.variant_set else verdict
            self.evidence.log(f"grade{suffix}", verdict.log)
            if verdict.asked_for:
                self.evidence.json(f"grader-egress{suffix}.json", verdict.asked_for)
            if inputs.company.lost:
                # What was left in it is more than it can take: a fault that only the examinee can have prepared.
                raise await inputs.company.loss()
            verdicts.append(verdict)
            self.outcome.notes += [note for note in verdict.notes if note not in self.outcome.notes]
        await renew(inputs.company, task.services)
        self.outcome.touched = [one["words"] for one in await inputs.company.changes(by_role="grader")]
        self._judge(verdicts)

    def _judge(self, verdicts: list[Verdict]) -> None:
        first = verdicts[0]
        self.outcome.faults = [fault for verdict in verdicts for fault in verdict.faults]
        if self.outcome.faults:
            said = "; ".join(dict.fromkeys(str(fault.get("sentence")) for fault in self.outcome.faults))
            self.outcome.label, self.outcome.reason = Label.UNGRADED, f"while grading: {said}"
            return
        self.outcome.raised = list(dict.fromkeys(one for verdict in verdicts for one in verdict.raised))
        if any(verdict.marks != first.marks for verdict in verdicts) or first.result is None:
            results = ", ".join(str(verdict.result and verdict.result["final_score"]) for verdict in verdicts)
            raise StepFailed(Label.GRADER_ERROR, f"grading the same work again gave another result: {results}")
        score = first.result["final_score"]
        self.evidence.json("result.json", first.result)
        self.outcome.result, self.outcome.total = score["result"], score["total"]
        self.outcome.checkpoints = first.result["checkpoints"]
        self.outcome.label = label_for(score["result"], score["total"])

    async def _save_workspace(self, sandbox: Sandbox, frozen: Path) -> None:
        """Evidence of a trial that lost its company: what the examinee had made. Nothing in here changes its label."""
        try:
            async with asyncio.timeout(SAVING_SECONDS):
                await sandbox.snapshot(frozen, FROZEN_PATHS)
            self.outcome.resources |= sandbox.used()
            note = await asyncio.to_thread(self.evidence.archive, "workspace.tar.gz", frozen / "workspace")
        except (SandboxError, OSError, TimeoutError) as error:
            note = f"workspace.tar.gz is missing: {error or 'it took too long'}"
        if note:
            self.outcome.notes.append(note)

    async def _collect(self, company: TrialCompany, sandbox: Sandbox, frozen: Path) -> None:
        self.evidence.json("changes.json", await company.changes())
        self.outcome.resources |= sandbox.used() | {"company": company.used()}
        note = await asyncio.to_thread(self.evidence.archive, "workspace.tar.gz", frozen / "workspace")
        if note:
            self.outcome.notes.append(note)


def _open_to_examinee(task: Task) -> tuple[str, ...]:
    """All of the company's services but those that the task has out of order."""
    return tuple(name for name in NAMES if name not in task.settings.down)
