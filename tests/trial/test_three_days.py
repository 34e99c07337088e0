"""Three days of a company in one trial: the same company each time, and the same points."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from dayjob.report.viewer.timeline import timeline
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import Tried, trial
from tests.trial.three_days import contents, digest, three_days

TEN = 10
ROOT = Path(__file__).parents[2]


def sit(cache: Path, folder: Path, number: int = 1, **more: object) -> Tried:
    world, task = three_days(folder)
    out = folder / f"out-{number}"
    spec = TrialSpec(task=str(task), agent="oracle", out=str(out), world=str(world), **more)  # type: ignore[arg-type]  # a test's own options
    return Tried(trial(spec, cache), out)


def test_ten_trials_on_the_stepped_clock_come_to_the_same_company(cache: Path, tmp_path: Path) -> None:
    found = []
    for number in range(TEN):
        tried = sit(cache, tmp_path, number)
        assert (tried.outcome.label, tried.outcome.notes) == (Label.RESOLVED, [])
        found.append(contents(tried.folder))
    assert {name.split(".")[0] for name in found[0] if "/" not in name} == {"chat", "forge", "board", "drive"}
    differences = {
        name for one in found[1:] for name in found[0].keys() | one.keys() if found[0].get(name) != one.get(name)
    }
    assert differences == set()
    assert len({digest(one) for one in found}) == 1
    done = {row for name, rows in found[0].items() if name.endswith(".timeline_done") for row in rows}
    assert len(done) == 12


def test_the_running_clock_comes_to_the_same_points_and_the_axis_folds_the_days(cache: Path, tmp_path: Path) -> None:
    tried = sit(cache, tmp_path, clock="running")
    assert tried.outcome.label is Label.RESOLVED
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert {row["account"] for row in rows if row["role"] == "timeline"} == {"mara.lind", "omar.diaz"}
    assert "mara.lind" not in tried.text("changes.json")  # what people did by themselves is not the examinee's doing
    drawn = timeline(tried.folder, tried.outcome, [], rows)
    assert drawn.seconds <= tried.outcome.timings["all"] + 1
    work = next(band for band in drawn.bands if band.name == "work")
    lanes = {lane.name: lane.marks for lane in drawn.lanes}
    assert len(lanes["clock"]) >= 12
    assert all(work.start - 0.5 <= mark.at <= work.end + 0.5 for mark in lanes["clock"] + lanes["messages"])
    assert drawn.company(0.0).startswith("Mon 0")
    assert drawn.company(drawn.seconds).startswith("Thu 12")


def test_a_run_that_is_killed_in_the_middle_goes_on_to_the_same_company(cache: Path, tmp_path: Path) -> None:
    whole = contents(sit(cache, tmp_path).folder)
    world, task = three_days(tmp_path)
    run = tmp_path / "run"
    command = [sys.executable, "-m", "dayjob", "run", str(task), "-a", "oracle", "--world", str(world), "-o", str(run)]
    environment = {**os.environ, "DAYJOB_CACHE": str(cache), "PYTHONPATH": str(ROOT / "src")}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    folder = run / "three-days.oracle.1"
    journal = folder / "journal.jsonl"
    while running.poll() is None and not (journal.exists() and b'"role":"timeline"' in journal.read_bytes()):
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert not (folder / "outcome.json").exists(), "it was not killed in the middle of its work"
    resume = [sys.executable, "-m", "dayjob", "resume", str(run)]
    subprocess.run(resume, env=environment, check=True, capture_output=True, timeout=120)
    outcome = json.loads((folder / "outcome.json").read_text())
    assert (outcome["label"], outcome["result"]) == ("resolved", 2)
    regrade = [sys.executable, "-m", "dayjob", "regrade", str(run)]
    subprocess.run(regrade, env=environment, check=True, capture_output=True, timeout=120)
    assert json.loads((folder / "outcome.json").read_text())["result"] == 2
    # A run's trials have seeds of their own, hence other ids; what is known by its words is the same.
    for table in ("chat.timeline_done", "forge.timeline_done", "drive.timeline_done", "board.timeline_done"):
        assert contents(folder)[table] == whole[table]
