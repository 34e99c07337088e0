"""One task as an environment on an event loop.

It opens the same premises as a trial and grades in the same rooms, but a copy: the company that is worked in sees
nothing of its grading. Its clock is stepped unless told: the same seed and the same acts give the same company.
"""

from __future__ import annotations

import asyncio
import copy
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args

from dayjob import owned
from dayjob.agent import Trajectory
from dayjob.env.acting import Acting
from dayjob.env.checkpoint import Saved, new_checkpoint, read_checkpoint, write_manifest
from dayjob.env.failing import as_env_errors, check_faults, marks_of
from dayjob.env.files import digest
from dayjob.env.keeping import Keeping
from dayjob.env.requests import Requests
from dayjob.env.shared import SharedWorkshop
from dayjob.env.tools import Tools
from dayjob.env.values import EnvError, Marks, Start
from dayjob.sandbox.choose import NAMES as SANDBOXES
from dayjob.task.family import is_family
from dayjob.task.find import named
from dayjob.trial.accounts import examinee
from dayjob.trial.evidence import Evidence
from dayjob.trial.grade import FROZEN_PATHS
from dayjob.trial.instruction import instruction_for
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.premises import Premises, both, let_in, open_to_examinee
from dayjob.trial.preparation import Preparation, Prepared
from dayjob.trial.spec import TrialSpec
from dayjob.trial.work_copy import grade_apart
from dayjob.trial.workshop import Workshop

_KEPT_OPTIONS = ("seed", "variant", "world", "clock", "sandbox", "model", "npc_model", "judge_model")
_T = TypeVar("_T")
State = Literal["new", "resetting", "open", "closed"]
Clock = Literal["stepped", "running"]
KeptEvidence = Literal["full", "minimal", "none"]


class Env(Acting):
    """A task to act in. `async with Env("tasks/example", seed=7) as env:`, then `reset` and anything else.

    `variant` is the number of a family's; `workshop` is shared with others where many are open in one process.
    `evidence` says what stays in the folder `out` when it is closed: `full`, `minimal` or `none` of it.
    """

    def __init__(
        self,
        task: str | Path,
        *,
        seed: int | str = 0,
        variant: int | None = None,
        world: str | None = None,
        clock: Clock = "stepped",
        sandbox: str = "embedded",
        evidence: KeptEvidence = "none",
        out: str | Path | None = None,
        model: str | None = None,
        npc_model: str | None = None,
        judge_model: str | None = None,
        workshop: Workshop | None = None,
        cache: Path | None = None,
    ) -> None:
        path = named(Path(task)).resolve()
        if not path.is_dir():
            raise EnvError(f"There is no task at '{task}'; name the folder of one, or one that comes with us.")
        if variant is not None and (variant < 0 or not is_family(path)):
            raise EnvError(f"'{task}' has no variant {variant}; only families have variants, from 0 on.")
        for given, known in (
            (clock, get_args(Clock)),
            (evidence, get_args(KeptEvidence)),
            (sandbox, SANDBOXES),
        ):
            if given not in known:
                raise EnvError(f"'{given}' is none of {', '.join(known)}.")
        self._keeping = Keeping(evidence, Path(out) if out is not None else None)
        if world is not None and Path(world).is_dir():
            world = str(Path(world).resolve())
        self._spec = TrialSpec(
            task=str(path), agent="env", out="", sandbox=sandbox, world=world, seed=str(seed), clock=clock,
            variant=variant, model=model, npc_model=npc_model, judge_model=judge_model,
        )  # fmt: skip
        self._shared = SharedWorkshop(cache, workshop)
        self._state: State = "new"
        self._prepared: Prepared | None = None
        self._stack = AsyncExitStack()
        self._standing = asyncio.Lock()
        """Held while it is graded or forked: one at a time."""
        self._forks = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- life ----------------------------------------------------------------------------------------------------

    async def reset(self, *, seed: int | str | None = None) -> Start:
        """A new company at its first moment, and a new sandbox; what was there before is gone."""
        return await self._anew(lambda: self._open(seed))

    async def close(self) -> None:
        """End the company and the sandbox, and keep what evidence was asked for. May be called again."""
        if self._state == "closed":
            return
        if self._state == "resetting":
            raise EnvError("close cannot be done: this environment is being reset; wait for that.")
        before, self._state = self._state, "closed"
        try:
            await self._standing.acquire()
        except BaseException:
            self._state = before  # nothing was closed: it can be asked for again
            raise
        try:
            if before == "open":
                async with as_env_errors():
                    await self._keep()
        finally:
            try:
                await self._stack.aclose()
            finally:
                self._standing.release()
                await self._shared.leave()

    async def fork(self) -> Env:
        """Another environment with the same company at the same moment and the same files; neither sees the other.

        Processes do not travel: what runs in the sandbox runs on here, and not there.
        """
        at = self._opened("fork")
        if not at.prepared.site.capabilities.copies:
            raise EnvError(f"The {self._spec.sandbox} sandbox cannot be forked; use the embedded one.")
        async with self._standing, as_env_errors():
            self._opened("fork")
            self._forks += 1
            twin = copy.copy(self)
            twin._shared, twin._stack, twin._standing = self._shared.join(), AsyncExitStack(), asyncio.Lock()
            twin._forks, twin._keeping = 0, self._keeping.of_fork(self._forks)
            twin._trajectory = copy.deepcopy(self._trajectory)
            try:
                await twin._open_copy(at, self._requests.known)
            except BaseException:
                await twin._stack.aclose()
                await twin._shared.leave()
                raise
            return twin

    async def checkpoint(self, folder: str | Path) -> None:
        """Keep it in a folder as it is at this moment, for `restore` and `step_back`; it goes on itself.

        As in a fork, processes do not travel. The folder holds the company's passwords and what graders look for.
        """
        at = self._opened("checkpoint")
        if not at.prepared.site.capabilities.copies:
            raise EnvError(f"The {self._spec.sandbox} sandbox cannot be kept; use the embedded one.")
        async with self._standing, as_env_errors():
            self._opened("checkpoint")
            with new_checkpoint(folder) as building:
                await at.keep(building)
                prepared = at.prepared
                saved = Saved(
                    building, self._spec, prepared.snapshot.key, prepared.image.key, at.known(), self._requests.known,
                    self._trajectory, self.finished,
                )  # fmt: skip
                await asyncio.to_thread(write_manifest, saved)

    @classmethod
    async def restore(cls, folder: str | Path, *, task: str | Path | None = None, **options: Any) -> Self:
        """An environment as one was when it was kept in this folder, also in another process.

        `task` is where the task lies now, if that is elsewhere; `options` are those of `Env` that may differ:
        `evidence`, `out`, models, `workshop` and `cache`.
        """
        saved = await asyncio.to_thread(read_checkpoint, folder)
        spec = saved.spec
        same: dict[str, Any] = {name: getattr(spec, name) for name in _KEPT_OPTIONS}
        env = cls(task if task is not None else spec.task, **{**same, **options})
        try:
            await env._anew(lambda: env._open_kept(saved))
        except BaseException:
            await env.close()
            raise
        return env

    async def step_back(self, folder: str | Path) -> None:
        """Become what this environment, or another of the same task, was when it was kept in this folder."""
        saved = await asyncio.to_thread(read_checkpoint, folder)
        if (Path(saved.spec.task).name, saved.spec.variant) != (Path(self._spec.task).name, self._spec.variant):
            raise EnvError(f"'{folder}' was kept of another task: {Path(saved.spec.task).name}; restore it instead.")
        await self._anew(lambda: self._open_kept(saved))

    # -- looking -------------------------------------------------------------------------------------------------

    async def grade(self) -> Marks:
        """What the work is worth as it is now. It ends nothing and leaves no trace: a copy is graded."""
        at = self._opened("grade")
        async with self._standing, as_env_errors():
            await at.runner.wait(60.0)
            async with AsyncExitStack() as stack:
                folder = owned.folder("grading")
                stack.push_async_callback(asyncio.to_thread, shutil.rmtree, folder, ignore_errors=True)
                apart = Premises(at.workshop, at.spec, Evidence(folder / "evidence"), Outcome.of(at.spec, _UNKNOWN))
                apart.passes = at.passes
                _, frozen = await both(apart.copy_company(stack, at), at.freeze(folder / "frozen"))
                await check_faults(apart)
                told, judge = self._trajectory.for_evaluators(), at.passes.environment("judge")
                verdict = await grade_apart(apart, at, frozen, told, judge, at.sandbox)
        marks = marks_of(verdict)
        self._keeping.grade(at.evidence, marks)
        return marks

    async def state(self, *, secrets: bool = False) -> dict[str, str]:
        """A hash of each part of the company and of the sandbox's files: two environments with the same are alike.

        Passwords and tokens differ from run to run, and count only with `secrets`: a fork has the same.
        """
        at = self._opened("state")
        async with self._standing, as_env_errors():
            found = await at.company.digests(secrets=secrets)
            folder = Path(tempfile.mkdtemp(dir=at.folder))
            try:
                await at.sandbox.snapshot(folder, FROZEN_PATHS)
                found["files"] = await asyncio.to_thread(digest, folder)
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            return found

    # -- inside --------------------------------------------------------------------------------------------------

    def _opened(self, what: str) -> Premises:
        if self._state == "open":
            return self._at
        why = {
            "new": "is not open yet; call reset first",
            "resetting": "is being reset; wait for that",
            "closed": "is closed; make a new one",
        }[self._state]
        raise EnvError(f"{what} cannot be done: this environment {why}.")

    async def _premises(self) -> Premises:
        workshop = await self._shared.get()
        evidence = await asyncio.to_thread(self._keeping.open, self._stack)
        workshop.opened[self._spec.task] += 1
        spec = replace(self._keeping.spec(self._spec), attempt=workshop.opened[self._spec.task])
        evidence.text("spec.json", spec.to_json())
        return Premises(workshop, spec, evidence, Outcome.of(spec, _UNKNOWN))

    async def _anew(self, opening: Callable[[], Awaitable[_T]]) -> _T:
        """End what was there before, and open what comes."""
        if self._state == "closed":
            raise EnvError("This environment is closed; make a new one.")
        if self._state == "resetting":
            raise EnvError("This environment is being reset already; wait for that reset.")
        self._state = "resetting"
        try:
            async with self._standing, as_env_errors():
                await self._stack.aclose()
                return await opening()
        except BaseException:
            await self._stack.aclose()
            if self._state == "resetting":
                self._state = "new"
            raise

    async def _prepare(self, at: Premises) -> Prepared:
        if self._prepared is None:
            preparation = Preparation(at.workshop, at.spec, at.evidence, at.outcome)
            task = await preparation.task()
            self._prepared = await preparation.rest(task, await preparation.site(task))
        return self._prepared

    async def _open(self, seed: int | str | None) -> Start:
        if seed is not None:
            self._spec = replace(self._spec, seed=str(seed))
        at = await self._premises()
        await at.admit(self._stack)
        await at.open(self._stack, await self._prepare(at))
        await at.init()
        await let_in(at.task, at.company, at.listeners, at.passes.gateway.app(at.spec.name, ["examinee"]))
        self._trajectory, self.finished = Trajectory("env", "1"), None
        self._begin(at, {})
        world, task = at.company.world, at.task
        services = {name: world.url(name) for name in open_to_examinee(task)}
        return Start(instruction_for(task, at.company), await at.company.now(), services, examinee(world))

    async def _open_copy(self, origin: Premises, known: Mapping[str, dict[str, str]]) -> None:
        at = await self._premises()
        await at.admit(self._stack)
        at.passes.gateway.go_on(origin.spec.name, at.spec.name)
        await at.open_copy(self._stack, origin)
        await self._go_on(at, known)

    async def _open_kept(self, saved: Saved) -> None:
        self._spec = replace(self._spec, seed=saved.spec.seed, clock=saved.spec.clock)
        at = await self._premises()
        await at.admit(self._stack)
        prepared = await self._prepare(at)
        if (prepared.snapshot.key, prepared.image.key) != (saved.snapshot, saved.image):
            raise EnvError(
                f"'{saved.folder}' does not fit: the task, its world or dayjob has changed since it was kept."
            )
        await at.open_kept(self._stack, prepared, saved.folder, saved.known)
        self._trajectory, self.finished = saved.trajectory, saved.finished
        await self._go_on(at, saved.signed_in)

    async def _go_on(self, at: Premises, known: Mapping[str, dict[str, str]]) -> None:
        """A company that was at work before is open to whoever works there."""
        models = at.passes.gateway.app(at.spec.name, ["examinee"])
        await at.listeners.open("examinee", open_to_examinee(at.task), models)
        self._begin(at, dict(known))

    def _begin(self, at: Premises, known: dict[str, dict[str, str]]) -> None:
        who = examinee(at.company.world)
        self._requests = Requests(at.company, at.folder, open_to_examinee(at.task), who, known)
        self._stack.push_async_callback(self._requests.close)
        self._tools = Tools(
            at.sandbox, at.passes.environment("examinee"), self._requests, at.company.world,
            open_to_examinee(at.task), who,
        )  # fmt: skip
        self._at, self._state = at, "open"

    async def _keep(self) -> None:
        at = self._at
        if self._keeping.what == "none" or at.company.lost:
            return
        at.evidence.json("changes.json", await at.company.changes())
        at.evidence.json("trajectory.json", self._trajectory.as_atif(at.spec.name))
        if self._keeping.what == "full":
            frozen = await at.freeze(at.folder / "frozen")
            await asyncio.to_thread(at.evidence.archive, "workspace.tar.gz", frozen.folder / "workspace")


_UNKNOWN = Label.INFRA_ERROR
"""What an outcome says that nobody will read."""
