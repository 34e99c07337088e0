"""Runs: what is kept on disk, what is run again, whose turn it is, and what a kill -9 may cost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dayjob.trial.outcome import MEANINGS, Label, Outcome
from dayjob.trial.run_folder import RunError, open_run, reopen_run
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worklist import Worklist, not_done
from dayjob.whole_files import write_whole
from tests.trial.offices import office, task, write

# The full exercise is 200 trials and 10 kills (`DAYJOB_KILL_TRIALS=200 DAYJOB_KILLS=10`); this is it in a minute.
TRIALS = int(os.environ.get("DAYJOB_KILL_TRIALS", "24"))
KILLS = int(os.environ.get("DAYJOB_KILLS", "4"))


def specs(folder: Path, number: int = 3, **options: object) -> list[TrialSpec]:
    path, world = task(folder), str(office(folder))
    found = []
    for attempt in range(1, number + 1):
        out = str((folder / "run" / f"small-task.nop.{attempt}").resolve())
        found.append(TrialSpec(str(path), "nop", out, world=world, attempt=attempt, seed=f"0/{attempt}"))
    return [replace(one, **options) for one in found]  # type: ignore[arg-type]  # a test's own options


def end(spec: TrialSpec, label: Label) -> None:
    outcome = Outcome("small-task", spec.agent, spec.attempt, label)
    write_whole(Path(spec.out) / "outcome.json", outcome.to_json().encode())


def numbers(found: Sequence[TrialSpec]) -> list[int]:
    return [one.attempt for one in found]


@pytest.mark.parametrize("label", Label)
def test_the_table_of_labels_says_what_is_run_again(tmp_path: Path, label: Label) -> None:
    given = specs(tmp_path)
    with open_run(tmp_path / "run", given) as run:
        assert numbers(list(not_done(run))) == [1, 2, 3]
        end(given[1], label)
        assert numbers(list(not_done(run))) == ([1, 2, 3] if MEANINGS[label].retry else [1, 3])
        assert numbers(list(not_done(run, again=[label]))) == [1, 2, 3]


def test_a_run_can_grow_and_is_found_again(tmp_path: Path) -> None:
    given = specs(tmp_path, 5)
    with open_run(tmp_path / "run", given[:3]) as run:
        assert run.added == 3
    with open_run(tmp_path / "run", given) as run:
        assert run.added == 2
    with reopen_run(tmp_path / "run") as run:
        assert list(run.specs) == given


def test_a_run_can_be_moved(tmp_path: Path) -> None:
    given = specs(tmp_path)
    with open_run(tmp_path / "run", given):
        end(given[0], Label.FAILED)
    (tmp_path / "run").rename(tmp_path / "moved")
    with reopen_run(tmp_path / "moved") as run:
        assert numbers(list(not_done(run))) == [2, 3]


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", specs(tmp_path)):
        pass
    with pytest.raises(RunError, match=r"small-task\.nop\.1 with seed 0/1, not 7"):
        open_run(tmp_path / "run", specs(tmp_path, seed="7")).__enter__()


@pytest.mark.parametrize("changed", ["small-task/evaluator.py", "office/people/sam.reed.yml"])
def test_a_changed_task_or_world_is_another_run(tmp_path: Path, changed: str) -> None:
    with open_run(tmp_path / "run", specs(tmp_path)):
        pass
    with (tmp_path / changed).open("a") as file:
        file.write("# changed\n")
    with pytest.raises(RunError, match=f"made of something else: the .*{changed.split('/')[0]} has changed"):
        reopen_run(tmp_path / "run").__enter__()


def test_what_tools_leave_in_a_task_is_no_change(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", specs(tmp_path)):
        pass
    write(tmp_path / "small-task", {"__pycache__/evaluator.pyc": "x"})
    with reopen_run(tmp_path / "run") as run:
        assert len(run.specs) == 3


def test_a_newer_run_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"run.json": '{"format": 2}'})
    with pytest.raises(RunError, match="update dayjob"):
        reopen_run(tmp_path).__enter__()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "run", {"thesis.txt": "irreplaceable"})
    with pytest.raises(RunError, match=r"holds thesis\.txt"):
        open_run(tmp_path / "run", specs(tmp_path)).__enter__()


def test_two_processes_cannot_work_on_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dayjob.trial.run_folder.PATIENCE", 0.1)
    with open_run(tmp_path / "run", specs(tmp_path)), pytest.raises(RunError, match="another dayjob is at work"):
        reopen_run(tmp_path / "run").__enter__()


def test_tasks_take_turns() -> None:
    given = [TrialSpec(task, "nop", f"{task}{number}") for task in "ab" for number in range(3)]
    worklist = Worklist(given)
    order = []
    while (spec := worklist.next()) is not None:
        order.append(spec.out)
    assert order == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_our_faults_are_tried_again_as_often_as_asked() -> None:
    worklist = Worklist([TrialSpec("a", "nop", "a0"), TrialSpec("b", "nop", "b0")], retries=1)
    first = worklist.next()
    assert first is not None
    fault = Outcome("a", "nop", 1, Label.INFRA_ERROR)
    assert worklist.again(first, fault)
    second, third = worklist.next(), worklist.next()
    assert (second and second.out, third) == ("b0", first)
    assert not worklist.again(first, fault)
    assert worklist.next() is None
    for label in (Label.FAILED, Label.INIT_ERROR, Label.CANCELLED):
        assert not worklist.again(first, Outcome("a", "nop", 1, label))


def dayjob(cache: Path, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    for name in ("runtime", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    env = {**os.environ, "DAYJOB_CACHE": str(cache), "XDG_RUNTIME_DIR": str(folder / "runtime"),
           "TMPDIR": str(folder / "tmp")}  # fmt: skip
    command = [sys.executable, "-c", "from dayjob.cli import main; main()", *arguments]
    log = (folder / "log").open("ab")
    return subprocess.Popen(command, env=env, stdout=log, stderr=log)


def outcomes(run: Path) -> dict[str, tuple[int, str]]:
    """Each trial that has ended: the file itself (replaced means another) and its label."""
    return {
        path.parent.name: (path.stat().st_ino, json.loads(path.read_text())["label"])
        for path in run.glob("*/outcome.json")
    }


def test_kill_9_loses_no_outcome_and_makes_none_twice(cache: Path, tmp_path: Path) -> None:
    path, world, run = task(tmp_path), office(tmp_path), tmp_path / "run"
    begin = ["run", str(path), "--world", str(world), "-a", "nop", "-k", str(TRIALS), "-o", str(run), "-n", "4"]
    chance = random.Random(7)
    seen: dict[str, tuple[int, str]] = {}
    for kill in range(KILLS):
        process = dayjob(
            cache, tmp_path, *(begin if kill == 0 or not (run / "run.json").exists() else ["resume", str(run)])
        )
        # Somewhere in the trials that follow; the first also hits start-up.
        goal = len(seen) + chance.randrange(0, max(1, TRIALS // (KILLS + 1)))
        while process.poll() is None and len(list(run.glob("*/outcome.json"))) < goal:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = outcomes(run)
        assert {name: now.get(name) for name in seen} == seen, "an outcome that stood was lost or made again"
        seen = {name: one for name, one in now.items() if not MEANINGS[Label(one[1])].retry}
    assert len(seen) < TRIALS, "the kills came too late to mean anything"
    last = dayjob(cache, tmp_path, "resume", str(run), "-n", "4")
    assert last.wait() == 0, (tmp_path / "log").read_text()
    now = outcomes(run)
    assert {name: now[name] for name in seen} == seen
    assert sorted(now) == sorted(f"small-task.nop.{number}" for number in range(1, TRIALS + 1))
    assert {label for _, label in now.values()} == {"failed"}


def test_a_worker_that_dies_costs_its_trials_only_a_retry(cache: Path, tmp_path: Path) -> None:
    # The solution waits until the test has killed its worker once.
    mark = tmp_path / "killed"
    path, world, run = task(tmp_path, solution__py="import time; time.sleep(1)\n"), office(tmp_path), tmp_path / "run"
    process = dayjob(cache, tmp_path, "run", str(path), "--world", str(world), "-k", "4", "-o", str(run), "-n", "2")
    ends = time.monotonic() + 60
    while process.poll() is None and not mark.exists() and time.monotonic() < ends:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        at_work = list(run.glob("*/journal.jsonl"))
        workers = [pid for pid in children if b"dayjob.trial.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if at_work and workers:
            os.kill(int(workers[0]), signal.SIGKILL)
            mark.touch()
        time.sleep(0.01)
    assert mark.exists()
    assert process.wait() == 0, (tmp_path / "log").read_text()
    assert len(outcomes(run)) == 4
    earlier = [json.loads(one.read_text()) for one in run.glob("*/earlier/*/outcome.json")]
    assert {one["label"] for one in earlier} == {"infra_error"}
    assert all("worker process ended with -9" in one["reason"] for one in earlier)
