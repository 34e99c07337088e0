"""Grading a task's answer in many words without a trial for each.

The solution has run once, without what delivers (`undelivered`), as an ordinary trial that kept its work. For each
entry of paraphrases.yml a company goes on from there, the entry is delivered through the examinee's doors, and the
evaluator grades in its own room, as in a trial. Colleagues are not there any more: the work ends with the delivery.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from dayjob import owned
from dayjob.company.clock import moment
from dayjob.company.world.find import find_world
from dayjob.http.server import bind
from dayjob.sandbox.sandbox import BuiltImage, Frozen, SandboxError, Site
from dayjob.service_names import NAMES
from dayjob.task import Task
from dayjob.task.paraphrases import Paraphrase, Paraphrases
from dayjob.trial.accounts import environment, examinee, renew
from dayjob.trial.colleagues import Passes
from dayjob.trial.company_process import CompanyError, CompanyLost, TrialCompany
from dayjob.trial.courier import NotDelivered
from dayjob.trial.delivery import Desk
from dayjob.trial.grade import GraderError, GradingInputs, Verdict, grade
from dayjob.trial.grader_network import network_of, way_out
from dayjob.trial.grading_archive import End, NotKept, unpack
from dayjob.trial.preparation import BUILD_SECONDS
from dayjob.trial.regrade import journal_before_grading, snapshot_of
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Graded:
    """What an entry got. `why` says why that is not as expected, with the checks' reasons; None when it is."""

    entry: Paraphrase
    result: int | None
    total: int | None
    why: str | None
    log: str = ""


@dataclass(frozen=True, slots=True)
class Base:
    """A task's work without its answer, as its trial kept it, and the entries that are to be graded."""

    task: Task
    spec: TrialSpec
    entries: Sequence[Paraphrase]


OnGraded = Callable[[Base, Graded], None]


def grade_all(bases: Sequence[Base], *, parallel: int, on_graded: OnGraded) -> None:
    """Grade the entries of all bases, a few at a time, on a loop of its own."""
    import uvloop

    async def main() -> None:
        async with Workshop() as workshop:
            for base in bases:
                await grade_base(workshop, base, parallel=parallel, on_graded=on_graded)

    uvloop.run(main())


async def grade_base(workshop: Workshop, base: Base, *, parallel: int, on_graded: OnGraded) -> None:
    """Grade the entries of one base; each is told of when all before it are known."""
    try:
        bench = await _Bench.open(workshop, base)
    except (NotKept, SandboxError) as error:
        for entry in base.entries:
            on_graded(base, Graded(entry, None, None, str(error)))
        return
    turns = asyncio.Semaphore(parallel)

    async def one(entry: Paraphrase) -> Graded:
        async with turns:
            return await bench.try_entry(entry)

    try:
        async with asyncio.TaskGroup() as group:
            grading = [group.create_task(one(entry)) for entry in base.entries]
            for task in grading:
                on_graded(base, await task)
    finally:
        await asyncio.to_thread(bench.close)


@dataclass(frozen=True, slots=True)
class _Bench:
    workshop: Workshop
    base: Base
    texts: Paraphrases
    place: Path
    end: End
    frozen: Frozen
    site: Site
    image: BuiltImage

    @classmethod
    async def open(cls, workshop: Workshop, base: Base) -> _Bench:
        task, spec = base.task, base.spec
        assert task.paraphrases is not None
        place = owned.folder("paraphrases")
        try:
            end, frozen = await asyncio.to_thread(unpack, Path(spec.out), place)
            site = await workshop.site(spec.sandbox)
            site.keep_out(find_world(spec.world or task.settings.world), Path(spec.out))
            image = await site.build(task.path, replace(task.dockerfile, made=spec.made), within=BUILD_SECONDS)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return cls(workshop, base, task.paraphrases, place, end, frozen, site, image)

    def close(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    async def try_entry(self, entry: Paraphrase) -> Graded:
        """Deliver it and have it graded."""
        own = self.place / entry.name.replace(" ", "-")
        own.mkdir()
        try:
            async with AsyncExitStack() as stack:
                company = await self._company(own, entry)
                stack.push_async_callback(company.stop)
                await company.restore(self.place / "company")
                frozen = await self._files(own)
                await self._deliver(entry, company, frozen)
                await company.enter("grade")
                return _judged(entry, await self._grade(own, company, frozen))
        except NotDelivered as refusal:
            return Graded(entry, None, None, f"it could not be delivered: {refusal}")
        except GraderError as error:
            return Graded(entry, None, None, f"there was no verdict: {error}", error.log)
        except (SandboxError, CompanyError, CompanyLost, OSError) as error:
            return Graded(entry, None, None, f"it could not be graded: {error}")
        finally:
            await asyncio.to_thread(shutil.rmtree, own, ignore_errors=True)

    async def _company(self, own: Path, entry: Paraphrase) -> TrialCompany:
        """The company as it was before the answer, in a process of its own. Its own ids: those of then are taken."""
        task, spec = self.base.task, self.base.spec
        snapshot = await asyncio.to_thread(snapshot_of, self.workshop, spec, task, self.end)
        return await self.workshop.companies.open(
            snapshot,
            own / "written",
            seed=f"{spec.seed}/{entry.name}",
            journal=journal_before_grading(Path(spec.out) / "journal.jsonl", own / "journal.jsonl"),
            colleagues=None,
            phase="work",
            now=moment(self.end.now),
            kept=True,
            passing=replace(task.settings.time, clock=spec.clock or task.settings.time.clock),
            way_out=way_out(task),
        )

    async def _files(self, own: Path) -> Frozen:
        """The examinee's files: everybody's, unless an answer is written among them."""
        if all(one.kind != "file" for one in self.texts.deliverables.values()):
            return self.frozen
        # With owners, links and overlayfs's marks, which no copy of Python's own keeps.
        copying = await asyncio.create_subprocess_exec("cp", "-a", str(self.frozen.folder), str(own / "frozen"))
        if await copying.wait() != 0:
            raise OSError("the examinee's files could not be copied")
        return replace(self.frozen, folder=own / "frozen")

    async def _deliver(self, entry: Paraphrase, company: TrialCompany, frozen: Frozen) -> None:
        open_doors = [name for name in NAMES if name not in self.base.task.settings.down]
        sockets = {name: bind() for name in open_doors}
        who = examinee(company.world)
        if who is None:
            raise NotDelivered(f"nobody in {company.world.name} is the examinee")
        desk = Desk(company.world, who, {name: one.getsockname()[1] for name, one in sockets.items()}, frozen.folder)
        try:
            await company.open("examinee", sockets)
            for deliverable, acts in self.texts.deliveries(entry):
                await desk.deliver(deliverable, acts)
        finally:
            await desk.leave()
            await company.close_doors()
            for one in sockets.values():
                one.close()

    async def _grade(self, own: Path, company: TrialCompany, frozen: Frozen) -> Verdict:
        task, spec = self.base.task, self.base.spec
        gateway = await self.workshop.gateway(spec)
        passes = Passes(gateway, spec.name, own / "models.jsonl")
        inputs = GradingInputs(
            self.site, self.workshop.server, company, self.image, task.services, frozen, None, self.end.trajectory,
            gateway.app(spec.name, ["judge"]), installed=bool(task.settings.egress), network=network_of(task),
        )  # fmt: skip
        try:
            env = environment(company, await renew(company, task.services)) | passes.environment("judge")
            return await grade(inputs, env, within=task.settings.timeouts.grade)
        finally:
            passes.close()


def _judged(entry: Paraphrase, verdict: Verdict) -> Graded:
    if verdict.faults or verdict.result is None:
        said = "; ".join(dict.fromkeys(str(fault.get("sentence")) for fault in verdict.faults))
        return Graded(entry, None, None, f"while grading: {said}", verdict.log)
    score = verdict.result["final_score"]
    why = entry.refuted(score["result"], score["total"])
    if why is not None:
        why += "".join(
            f"\n      checkpoint {number}, {row['result']}/{row['total']}: {row['reason']}"
            for number, row in enumerate(verdict.result["checkpoints"], 1)
            if row.get("reason")
        )
    if verdict.raised:
        why = f"{why or 'its result is as expected'}\n      a check failed by itself: {'; '.join(verdict.raised[:3])}"
    return Graded(entry, score["result"], score["total"], why, verdict.log)
