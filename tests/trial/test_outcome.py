"""Every label of an outcome with the smallest thing that gives it, what it is worth, and whether it is tried again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.agent.agent import AgentError
from dayjob.agent.trajectory import Trajectory
from dayjob.sandbox.sandbox import SandboxError
from dayjob.trial.company_process import CompanyLost
from dayjob.trial.failed_step import StepFailed
from dayjob.trial.grade import Verdict
from dayjob.trial.outcome import EXHAUSTED, MEANINGS, Label, Outcome, label_for
from dayjob.trial.preparation import Prepared
from dayjob.trial.run_folder import open_run
from dayjob.trial.spec import TrialSpec
from dayjob.trial.trial import Trial
from dayjob.trial.worklist import Worklist, not_done
from dayjob.trial.workshop import Workshop

# label: (scored, tried again by the same run, tried again by `resume`)
TABLE = {
    Label.RESOLVED: (True, False, False),
    Label.PARTIAL: (True, False, False),
    Label.FAILED: (True, False, False),
    Label.INIT_ERROR: (False, False, False),
    Label.INFRA_ERROR: (False, True, True),
    Label.GRADER_ERROR: (False, False, False),
    Label.UNGRADED: (False, True, True),
    Label.CANCELLED: (False, False, True),
}


def test_labels_are_the_words_that_the_docs_have() -> None:
    assert [str(label) for label in Label] == [
        "resolved", "partial", "failed", "init_error", "infra_error", "grader_error", "ungraded", "cancelled",
    ]  # fmt: skip


def outcome(label: Label, **facts: Any) -> Outcome:
    return Outcome("task", "agent", 1, label, **facts)


@pytest.mark.parametrize(
    ("result", "total", "label"),
    [
        (3, 3, Label.RESOLVED),
        (1, 1, Label.RESOLVED),
        (2, 3, Label.PARTIAL),
        (1, 3, Label.PARTIAL),
        (0, 3, Label.FAILED),
        (0, 1, Label.FAILED),
        (0, 0, Label.FAILED),
    ],
)
def test_marks_have_a_label(result: int, total: int, label: Label) -> None:
    assert label_for(result, total) is label


@pytest.mark.parametrize("label", list(Label))
def test_what_a_label_means_is_what_the_table_says(label: Label, tmp_path: Path) -> None:
    scored, now, later = TABLE[label]
    found = outcome(label, result=1, total=2)
    assert (found.scored, MEANINGS[label].scored) == (scored, scored)
    assert (found.score is not None) == scored
    (tmp_path / "task").mkdir()
    spec = TrialSpec(str(tmp_path / "task"), "agent", str(tmp_path / "run" / "one"))
    assert Worklist([spec], retries=1).again(spec, found) == now
    with open_run(tmp_path / "run", [spec]) as opened:
        Path(spec.out).mkdir()
        (Path(spec.out) / "outcome.json").write_text(found.to_json())
        assert list(not_done(opened)) == ([spec] if later else [])
        assert list(not_done(opened, again=[label])) == [spec]


@pytest.mark.parametrize(
    ("label", "result", "total", "score"),
    [
        (Label.RESOLVED, 4, 4, 1.0),
        (Label.PARTIAL, 3, 4, 0.375),
        (Label.PARTIAL, 1, 4, 0.125),
        (Label.FAILED, 0, 4, 0.0),
        (Label.FAILED, None, 4, 0.0),
        (Label.FAILED, 0, 0, None),
        (Label.FAILED, None, None, None),
        (Label.UNGRADED, 4, 4, None),
    ],
)
def test_the_score_is_half_for_marks_and_half_for_all_of_them(
    label: Label, result: int | None, total: int | None, score: float | None
) -> None:
    assert outcome(label, result=result, total=total).score == score


def test_an_exhausted_company_is_worth_nothing_whatever_the_task_was_worth() -> None:
    assert outcome(Label.FAILED, ended=EXHAUSTED).score == 0.0


def test_a_trial_that_nothing_else_is_known_of_was_done_by_itself() -> None:
    found = outcome(Label.RESOLVED)
    assert (found.ended, found.reason, found.step, found.stopped, found.waited_for_model) == ("done", "", "", "", 0.0)


def test_an_outcome_survives_its_journey() -> None:
    found = outcome(Label.PARTIAL, result=1, total=2, notes=["ä"], faults=[{"source": "chat"}])
    text = found.to_json()
    assert json.loads(text)["score"] == 0.25
    assert Outcome.from_json(text) == found
    with pytest.raises(ValueError, match="format 1"):
        Outcome.from_json(text.replace('"format": 1', '"format": 2'))


# -- trials ------------------------------------------------------------------------------------------------------


def ended(folder: Path, line: Callable[[Trial], Awaitable[None]]) -> Outcome:
    """A trial that consists of this alone."""

    class Small(Trial):
        async def _line(self, stack: AsyncExitStack) -> None:
            await line(self)

    async def main() -> Outcome:
        spec = TrialSpec("/tasks/small", "agent", str(folder / "out"))
        workshop = cast(Workshop, None)  # what the line does not ask for is not needed
        return await Small(workshop, spec, Outcome("small", "agent", 1, Label.INFRA_ERROR)).run()

    found = asyncio.run(main())
    assert Outcome.from_json((folder / "out" / "outcome.json").read_text()) == found
    return found


def raising(error: BaseException, *, at_work: bool = False) -> Callable[[Trial], Awaitable[None]]:
    async def line(trial: Trial) -> None:
        trial.points = 5
        if at_work:
            trial.trajectory = Trajectory("agent", "1")
        raise error

    return line


@pytest.mark.parametrize(
    ("error", "label", "reason"),
    [
        (StepFailed(Label.INIT_ERROR, "pre_init.py ended with 1"), Label.INIT_ERROR, "pre_init.py ended with 1"),
        (StepFailed(Label.GRADER_ERROR, "it hung"), Label.GRADER_ERROR, "it hung"),
        (StepFailed(Label.CANCELLED, "the run's budget"), Label.CANCELLED, "the run's budget"),
        (SandboxError("no room"), Label.INFRA_ERROR, "no room"),
        (OSError(28, "No space left on device"), Label.INFRA_ERROR, "No space left"),
        (CompanyLost("killed", exhausted=False), Label.INFRA_ERROR, "the company was lost: killed"),
        (CompanyLost("out of memory", exhausted=True), Label.INFRA_ERROR, "the company was lost: out of memory"),
        (KeyError("ours"), Label.INFRA_ERROR, "KeyError: 'ours'; see logs/trial.log"),
    ],
)
def test_a_trial_that_ends_before_the_work_is_labelled_by_why(
    error: Exception, label: Label, reason: str, tmp_path: Path
) -> None:
    found = ended(tmp_path, raising(error))
    assert found.label is label
    assert reason in found.reason
    assert (found.result, found.score) == (None, None)


@pytest.mark.parametrize(("exhausted", "label"), [(True, Label.FAILED), (False, Label.INFRA_ERROR)])
def test_a_company_that_its_examinee_exhausted_leaves_it_without_points(
    exhausted: bool, label: Label, tmp_path: Path
) -> None:
    found = ended(tmp_path, raising(CompanyLost("out of memory", exhausted=exhausted), at_work=True))
    assert found.label is label
    assert (found.ended, found.result, found.total, found.score) == (
        (EXHAUSTED, 0, 5, 0.0) if exhausted else ("done", None, None, None)
    )


def test_a_trial_that_is_stopped_says_so_before_it_goes(tmp_path: Path) -> None:
    with pytest.raises(asyncio.CancelledError):
        ended(tmp_path, raising(asyncio.CancelledError()))
    found = Outcome.from_json((tmp_path / "out" / "outcome.json").read_text())
    assert (found.label, found.reason) == (Label.CANCELLED, "the trial was cancelled")


def test_a_trial_that_is_stopped_while_it_is_audited_keeps_its_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def audit_until_stopped(*_: Any, **__: Any) -> None:
        raise asyncio.CancelledError

    async def line(trial: Trial) -> None:
        trial.at.prepared = cast(Prepared, SimpleNamespace(task=None, snapshot=None))
        raise StepFailed(Label.GRADER_ERROR, "it hung")

    monkeypatch.setattr("dayjob.trial.trial.audit_trial", audit_until_stopped)
    with pytest.raises(asyncio.CancelledError):
        ended(tmp_path, line)
    found = Outcome.from_json((tmp_path / "out" / "outcome.json").read_text())
    assert (found.label, found.reason) == (Label.GRADER_ERROR, "it hung")


@pytest.mark.parametrize("label", [Label.INIT_ERROR, Label.INFRA_ERROR, Label.GRADER_ERROR])
def test_a_step_that_takes_too_long_has_the_steps_own_label(label: Label, tmp_path: Path) -> None:
    async def line(trial: Trial) -> None:
        trial.workshop = Workshop(tmp_path / "cache")
        async with trial._step("grade", 0.001, label):
            await asyncio.Event().wait()

    found = ended(tmp_path, line)
    assert (found.label, found.step, found.reason) == (label, "grade", "grade did not end within 0.001 s")
    assert set(found.timings) == {"grade", "all"}


def judged(result: int, total: int, *faults: str) -> Verdict:
    score = {"total": total, "result": result}
    return Verdict({"checkpoints": [score], "final_score": score}, [{"sentence": one} for one in faults], "")


@pytest.mark.parametrize(
    ("verdicts", "label", "reason"),
    [
        ([judged(2, 2)], Label.RESOLVED, ""),
        ([judged(1, 2)], Label.PARTIAL, ""),
        ([judged(0, 2)], Label.FAILED, ""),
        ([judged(0, 0)], Label.FAILED, ""),
        ([judged(2, 2), judged(2, 2)], Label.RESOLVED, ""),
        ([judged(2, 2, "chat is down")], Label.UNGRADED, "while grading: chat is down"),
        ([judged(0, 2, "chat is down")], Label.UNGRADED, "while grading: chat is down"),
        ([judged(2, 2), judged(2, 2, "a", "a", "b")], Label.UNGRADED, "while grading: a; b"),
        ([Verdict(None, [{"sentence": "no judge"}], "")], Label.UNGRADED, "while grading: no judge"),
        ([judged(2, 2), judged(1, 2)], Label.GRADER_ERROR, "gave another result"),
        ([Verdict(None, [], "")], Label.GRADER_ERROR, "gave another result"),
    ],
)
def test_a_verdict_becomes_a_label(verdicts: list[Verdict], label: Label, reason: str, tmp_path: Path) -> None:
    async def line(trial: Trial) -> None:
        trial._judge(verdicts)

    found = ended(tmp_path, line)
    assert found.label is label
    assert reason in found.reason
    assert bool(reason) == bool(found.reason)
    told = tmp_path / "out" / "result.json"
    if found.scored:
        assert verdicts[0].result is not None
        assert json.loads(told.read_text()) == verdicts[0].result
        assert found.checkpoints == verdicts[0].result["checkpoints"]
        assert {"total": found.total, "result": found.result} == verdicts[0].result["final_score"]
    else:
        assert not told.exists()
        assert (found.result, found.total, found.checkpoints) == (None, None, [])


@pytest.mark.parametrize("error", [AgentError("not installed"), SandboxError("gone"), OSError("disk")])
def test_what_is_no_failure_of_the_agents_own_ends_the_trial(error: Exception, tmp_path: Path) -> None:
    async def line(trial: Trial) -> None:
        working: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        working.set_exception(error)
        trial._worked(working)

    assert ended(tmp_path, line).label is Label.INFRA_ERROR


def test_an_agent_that_fails_at_its_work_is_graded_on_what_it_left(tmp_path: Path) -> None:
    async def line(trial: Trial) -> None:
        working: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        working.set_exception(ValueError("no such tool"))
        trial._worked(working)
        trial._judge([judged(2, 2)])

    found = ended(tmp_path, line)
    assert (found.label, found.ended) == (Label.RESOLVED, "error")
    assert "no such tool" in found.stopped
