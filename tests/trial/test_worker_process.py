"""A worker process as a run sees it: how many trials it is given, what is made of its words, and of its end."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from dayjob.llm.run_limits import Desk
from dayjob.trial import worker_process
from dayjob.trial.leases import Leases
from dayjob.trial.local_driver import Ended, Stepped, Stop
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worker_process import WorkerProcess, cut_short
from dayjob.trial.worklist import Worklist


class Pipe:
    """What would go to a worker's standard input."""

    def __init__(self, *, closing: bool = False, ended: bool = False) -> None:
        self.lines: list[dict[str, Any]] = []
        self.closing = closing
        self.ended = ended

    def write(self, data: bytes) -> None:
        if self.ended:
            raise RuntimeError("unable to perform operation on a closed pipe")
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        self.lines.append(json.loads(data))

    def is_closing(self) -> bool:
        return self.closing


def specs(folder: Path, number: int) -> list[TrialSpec]:
    return [TrialSpec(f"/tasks/t{one}", "oracle", str(folder / str(one))) for one in range(number)]


class Told:
    def __init__(self, folder: Path, number: int, hands: int, retries: int = 0) -> None:
        self.events: list[Any] = []
        self.worklist = Worklist(specs(folder, number), retries)
        desk: Any = None
        self.worker = WorkerProcess(self.worklist, hands, self.events.append, Stop(), None, cast(Desk, desk))

    def feed(self, pipe: Pipe) -> None:
        self.worker._feed(cast(asyncio.StreamWriter, pipe))

    def hear(self, leases: Any = None, **event: Any) -> None:
        self.worker._hear(event, cast(Leases, leases))


@pytest.mark.parametrize(("trials", "hands", "given"), [(5, 1, 1), (5, 3, 3), (2, 3, 2), (0, 3, 0)])
def test_a_worker_is_given_as_many_trials_as_it_has_hands(tmp_path: Path, trials: int, hands: int, given: int) -> None:
    told, pipe = Told(tmp_path, trials, hands), Pipe()
    told.feed(pipe)
    told.feed(pipe)
    assert [line["out"] for line in pipe.lines] == [one.out for one in specs(tmp_path, given)]
    assert len(told.worklist) == trials - given
    assert TrialSpec.from_json(json.dumps(pipe.lines[0])) == specs(tmp_path, 1)[0] if given else True


def test_a_worker_that_has_ended_is_given_trials_to_no_harm(tmp_path: Path) -> None:
    told = Told(tmp_path, 2, 2)
    told.feed(Pipe(ended=True))
    assert len(told.worklist) == 0


def test_steps_and_ends_are_told_of_the_trial_that_they_are_of(tmp_path: Path) -> None:
    told, pipe = Told(tmp_path, 3, 2), Pipe()
    told.feed(pipe)
    first, second, _ = specs(tmp_path, 3)
    told.hear(event="beat")
    told.hear(event="step", out=second.out, step="work")
    outcome = Outcome("t0", "oracle", 1, Label.RESOLVED, result=1, total=1)
    told.hear(event="outcome", out=first.out, outcome=json.loads(outcome.to_json()))
    assert told.events == [Stepped(second, "work"), Ended(first, outcome, False)]
    told.feed(pipe)
    assert len(pipe.lines) == 3


def test_a_trial_that_is_tried_again_is_said_to_be(tmp_path: Path) -> None:
    told, pipe = Told(tmp_path, 1, 1, retries=1), Pipe()
    for again in (True, False):
        told.feed(pipe)
        lost = Outcome("t0", "oracle", 1, Label.INFRA_ERROR)
        told.hear(event="outcome", out=specs(tmp_path, 1)[0].out, outcome=json.loads(lost.to_json()))
        assert told.events[-1].again is again


def test_what_a_worker_asks_of_the_desk_goes_to_its_leases(tmp_path: Path) -> None:
    class Heard:
        events: list[Any] = []  # noqa: RUF012  # this test's own

        def hear(self, event: Any) -> None:
            self.events.append(event)

    told = Told(tmp_path, 1, 1)
    told.hear(Heard(), event="turns", do="call", id=1)
    assert Heard.events == [{"event": "turns", "do": "call", "id": 1}]
    assert told.events == []


@pytest.mark.parametrize("closing", [True, False])
def test_an_answer_goes_to_a_worker_that_still_listens(closing: bool) -> None:
    pipe = Pipe(closing=closing)
    worker_process._answer(cast(asyncio.StreamWriter, pipe), {"turn": 1})
    assert pipe.lines == ([] if closing else [{"turn": 1}])


@pytest.mark.parametrize(
    ("how", "cancelled", "label", "reason"),
    [
        (-9, False, Label.INFRA_ERROR, "the worker process ended with -9"),
        ("it stood still", False, Label.INFRA_ERROR, "it stood still"),
        (0, True, Label.CANCELLED, "the trial was cancelled"),
        ("it stood still", True, Label.CANCELLED, "the trial was cancelled"),
    ],
)
def test_a_trial_whose_worker_went_away_has_an_outcome_on_the_disk(
    tmp_path: Path, how: int | str, cancelled: bool, label: Label, reason: str
) -> None:
    (spec,) = specs(tmp_path, 1)
    found = cut_short(spec, how, cancelled=cancelled)
    assert (found.task, found.agent, found.attempt, found.label, found.reason) == ("t0", "oracle", 1, label, reason)
    assert Outcome.from_json((Path(spec.out) / "outcome.json").read_text()) == found
    assert "models" in found.resources


def test_an_outcome_that_was_written_before_the_worker_went_away_stands(tmp_path: Path) -> None:
    (spec,) = specs(tmp_path, 1)
    Path(spec.out).mkdir()
    written = Outcome("t0", "oracle", 1, Label.PARTIAL, result=1, total=2)
    (Path(spec.out) / "outcome.json").write_text(written.to_json())
    assert cut_short(spec, -9, cancelled=False) == written


def test_an_outcome_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    found = cut_short(specs(tmp_path, 1)[0], -9, cancelled=False)
    assert found.label is Label.INFRA_ERROR
    assert found.reason == (
        "the worker process ended with -9; this could not be written: "
        "No space left on device; free some space, then: dayjob resume"
    )


def test_a_worker_is_looked_at_every_second_and_ended_once_it_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    class Life:
        said: list[str | None] = [None, None, "for 5 s (4 s of CPU time)"]  # noqa: RUF012  # this test's own

        def stuck(self) -> str | None:
            return self.said.pop(0)

    class Process:
        pid = 77
        killed = 0

        def kill(self) -> None:
            self.killed += 1
            raise ProcessLookupError

    told, process = Told(tmp_path, 1, 1), Process()
    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(told.worker._watch(cast(Any, process), cast(Any, Life())))
    assert slept == [1, 1, 1]
    assert process.killed == 1
    assert told.worker._stuck == "worker process 77 stood still for 5 s (4 s of CPU time) and was ended"


def test_a_worker_is_a_process_of_its_own_that_a_persons_ctrl_c_does_not_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    class Enough(Exception):
        pass

    async def start(*command: Any, **options: Any) -> Any:
        started.append((command, options))
        raise Enough

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    told = Told(tmp_path, 1, 1)
    for hold, passed in ((None, ()), (9, (9,))):
        told.worker.hold = hold
        with pytest.raises(Enough):
            asyncio.run(told.worker._one_process())
        command, options = started.pop()
        assert command == (sys.executable, "-m", "dayjob.trial.worker")
        assert (options["limit"], options["start_new_session"], options["pass_fds"]) == (64 << 20, True, passed)
        assert options["stdin"] == options["stdout"] == asyncio.subprocess.PIPE
