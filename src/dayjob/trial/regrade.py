"""Grading kept work again, with the evaluator as it is now; the work itself is not done again.

The company and the examinee's files are put back as they were when the work ended. What the new grading replaces
(outcome, result, log) is copied to `earlier/` first, and `outcome.json` is written last, as in a trial.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dayjob import owned
from dayjob.company.clock import moment
from dayjob.company.world import Snapshot, WorldError, build_snapshot
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.llm.faults import ModelFault
from dayjob.llm.settings import SettingsError
from dayjob.sandbox.sandbox import BuildError, SandboxError
from dayjob.task import Task, TaskError
from dayjob.trial.accounts import environment, renew
from dayjob.trial.colleagues import Passes
from dayjob.trial.company_process import CompanyError, CompanyLost
from dayjob.trial.evidence import next_earlier
from dayjob.trial.grade import WITHHELD, GraderError, GradingInputs, Verdict, grade
from dayjob.trial.grader_network import network_of, way_out, with_graders_way_out
from dayjob.trial.grading_archive import End, NotKept, unpack
from dayjob.trial.ingredients import digest
from dayjob.trial.outcome import Label, Outcome, label_for, without_digests
from dayjob.trial.preparation import BUILD_SECONDS
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import PrivateVariant, variant_of_spec
from dayjob.trial.workshop import Workshop
from dayjob.whole_files import write_whole


@dataclass(frozen=True, slots=True)
class Regraded:
    """How kept work is graded now, and how it was."""

    before: Outcome
    after: Outcome


async def regrade(workshop: Workshop, spec: TrialSpec, before: Outcome) -> Regraded:
    """Grade a trial's kept work again. Raises `NotKept` when there is nothing to grade, and then changes nothing."""
    folder = Path(spec.out)
    with _place() as place:
        end, frozen = await asyncio.to_thread(unpack, folder, place)
        if end.left_running:
            ports = ", ".join(map(str, end.left_running))
            raise NotKept(f"the examinee had left something running on port {ports}, which is gone; run it again")
        try:
            task = Task.load(await _task_folder(workshop, spec))
            snapshot = await asyncio.to_thread(snapshot_of, workshop, spec, task, end)
            site = await workshop.site(spec.sandbox)
            site.keep_out(find_world(spec.world or task.settings.world), folder)
            image = await site.build(task.path, replace(task.dockerfile, made=spec.made), within=BUILD_SECONDS)
            gateway = await workshop.gateway(spec)
        except (
            *(TaskError, PrivateVariant, WorldError, UnknownWorld, BuildError, SettingsError, ModelFault),
        ) as error:
            raise NotKept(str(error)) from error
        try:
            company = await workshop.companies.open(
                snapshot,
                place / "written",
                seed=spec.seed,
                journal=journal_before_grading(folder / "journal.jsonl", place / "journal.jsonl"),
                colleagues=None,
                phase="grade",
                now=moment(end.now),
                kept=True,
                passing=replace(task.settings.time, clock=spec.clock or task.settings.time.clock),
                way_out=way_out(with_graders_way_out(task, spec)),
            )
        except CompanyLost as loss:
            raise NotKept(f"the company could not be started: {loss}") from loss
        passes = Passes(gateway, spec.name, place / "models.jsonl")
        judges = gateway.app(spec.name, ["judge"])
        inputs = GradingInputs(
            site, workshop.server, company, image, task.services, frozen, None, end.trajectory, judges,
            installed=bool(task.settings.egress if spec.egress is None else spec.way_out),
            network=network_of(with_graders_way_out(task, spec)),
        )  # fmt: skip
        after = replace(
            before,
            result=None,
            total=None,
            checkpoints=[],
            faults=[],
            raised=[],
            judged=[],
            reason="",
            step="",
            made_of={**before.made_of, "image": image.key, "regraded_with": digest(task.path)},
        )
        verdict: Verdict | None = None
        try:
            await company.restore(place / "company")
            env = environment(company, await renew(company, task.services)) | passes.environment("judge")
            verdict = await grade(inputs, env, within=task.settings.timeouts.grade)
            verdict = verdict.withheld() if spec.variant_set else verdict
            log = verdict.log
            _judge(after, verdict)
            after.notes = list(dict.fromkeys([*before.notes, *passes.notes]))
            after.judged = passes.judged(withheld=bool(spec.variant_set))
        except GraderError as error:
            said, log = (WITHHELD, WITHHELD) if spec.variant_set else (str(error), error.log)
            after.label, after.reason, after.step = Label.GRADER_ERROR, said, "grade"
        except (SandboxError, CompanyError, CompanyLost, OSError) as error:
            raise NotKept(f"grading could not be done: {error}") from error
        finally:
            passes.close()
            await company.stop()
    if spec.variant_set:
        after.made_of = without_digests(after.made_of)
    _replace(folder, after, verdict, log)
    return Regraded(before, after)


async def _task_folder(workshop: Workshop, spec: TrialSpec) -> Path:
    variant = variant_of_spec(spec)
    if variant is None:
        return Path(spec.task)
    return await variant.made(await workshop.site(spec.sandbox), workshop.cache)


def _judge(after: Outcome, verdict: Verdict) -> None:
    after.faults = list(verdict.faults)
    after.raised = list(verdict.raised)
    after.notes = [*after.notes, *(note for note in verdict.notes if note not in after.notes)]
    if verdict.faults or verdict.result is None:
        said = "; ".join(dict.fromkeys(str(fault.get("sentence")) for fault in verdict.faults))
        after.label, after.reason = Label.UNGRADED, f"while grading: {said}"
        return
    score = verdict.result["final_score"]
    after.result, after.total = score["result"], score["total"]
    after.checkpoints = verdict.result["checkpoints"]
    after.label = label_for(score["result"], score["total"])


def snapshot_of(workshop: Workshop, spec: TrialSpec, task: Task, end: End) -> Snapshot:
    """The world that the work was done in; raises `NotKept` when it is another now."""
    name = spec.world or task.settings.world
    snapshot = build_snapshot(find_world(name), task.world_overlay, cache=workshop.cache)
    if snapshot.key != end.snapshot:
        raise NotKept(f"the world {name} is not the one the work was done in; put it back, or run the trial again")
    return snapshot


def journal_before_grading(source: Path, target: Path) -> Path:
    """What was seen until the work ended; the earlier grading is not part of it."""
    with source.open("rb") as lines, target.open("wb") as kept:
        kept.writelines(line for line in lines if b'"phase":"grade"' not in line[:200])
    return target


def _replace(folder: Path, after: Outcome, verdict: Verdict | None, log: str) -> None:
    aside = next_earlier(folder)
    for path in (folder / "outcome.json", folder / "result.json", *sorted((folder / "logs").glob("grade*.log"))):
        if path.is_file():
            # A copy: until the new outcome is there, the old one stands.
            (aside / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, aside / path.relative_to(folder))
    write_whole(folder / "logs" / "grade.log", log.encode("utf-8", "replace"))
    if verdict is not None and verdict.result is not None and after.scored:
        write_whole(folder / "result.json", (json.dumps(verdict.result, indent=1) + "\n").encode())
    else:
        (folder / "result.json").unlink(missing_ok=True)
    write_whole(folder / "outcome.json", after.to_json().encode())


@contextmanager
def _place() -> Iterator[Path]:
    """A folder on the host, which the next start removes should we be killed."""
    folder = owned.folder("regrade")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
