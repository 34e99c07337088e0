"""How fast the viewer opens: a run of 10,000 trials, and one trial with a trajectory of 500 MB.

python -m bench.view [--trials N] [--megabytes N] [--keep FOLDER]

"First time" starts without an index; "again" finds the one the first time left. Times are those of a browser's request
to the running command, from opening a socket to the last byte; "the command" is from its start to its address.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from dayjob.report.viewer.index import NAME
from dayjob.trial.outcome import Outcome, label_for

TASKS = 175


def write_run(folder: Path, trials: int) -> None:
    """Many small trials: three steps, a few records of a journal and changes each."""
    steps = [
        {"step_id": number, "source": "agent", "message": f"Step {number} of something.",
         "metrics": {"prompt_tokens": 900, "completion_tokens": 60, "cost_usd": 0.002}}
        for number in range(1, 4)
    ]  # fmt: skip
    document = {"schema_version": "ATIF-v1.8", "agent": {"name": "worker", "version": "1"}, "steps": steps}
    trajectory = json.dumps(document, indent=1)
    changes = json.dumps(
        [{"service": "drive", "op": "added", "words": "sam.reed added /a.txt", "after": {"name": "a"}}]
    )
    for number in range(trials):
        task, attempt = f"task-{number % TASKS:03d}", number // TASKS + 1
        trial = folder / f"{task}.worker.{attempt}"
        trial.mkdir(parents=True)
        marks = (number * 7) % 5
        outcome = Outcome(
            task, "worker", attempt, label_for(marks, 4), result=marks, total=4,
            checkpoints=[{"total": 4, "result": marks}], timings={"work": 3.0, "all": 4.0},
        )  # fmt: skip
        (trial / "spec.json").write_text(json.dumps({"format": 1, "task": f"/nowhere/{task}", "agent": "worker"}))
        (trial / "changes.json").write_text(changes)
        (trial / "journal.jsonl").write_text(
            '{"kind":"request","seq":1,"time":"2026-03-09T09:00:01Z","role":"examinee"}\n'
        )
        (trial / "trajectory.json").write_text(trajectory)
        (trial / "outcome.json").write_text(outcome.to_json())


def write_long_trial(folder: Path, megabytes: int) -> int:
    """One trial whose agent saw 50 kB of output at every step; returns how many steps it took."""
    trial = folder / "long.worker.1"
    trial.mkdir(parents=True)
    output = "".join(f'line {number}: {{"value": [{number}]}}, "quoted"\n' for number in range(1250))
    count = megabytes * 1_000_000 // len(json.dumps(output))
    with (trial / "trajectory.json").open("w") as file:
        file.write(
            '{\n "schema_version": "ATIF-v1.8",\n "agent": {\n  "name": "worker",\n  "version": "1"\n },\n "steps": ['
        )
        for number in range(1, count + 1):
            call = {"tool_call_id": "c", "function_name": "run", "arguments": {"command": f"cat {number}"}}
            result = {"source_call_id": "c", "content": output}
            step = {"step_id": number, "source": "agent", "message": f"Looking at {number}", "tool_calls": [call],
                    "observation": {"results": [result]}}  # fmt: skip
            text = json.dumps(step, indent=1).replace("\n", "\n  ")
            file.write(f"{',' if number > 1 else ''}\n  {text}")
        file.write("\n ]\n}\n")
    outcome = Outcome("long", "worker", 1, label_for(1, 1), result=1, total=1, timings={"all": 3600.0})
    (trial / "spec.json").write_text(json.dumps({"format": 1, "task": "/nowhere/long", "agent": "worker"}))
    (trial / "outcome.json").write_text(outcome.to_json())
    return count


@contextmanager
def viewing(folder: Path) -> Iterator[tuple[str, float, subprocess.Popen[str]]]:
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "dayjob", "view", str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        try:
            yield address, time.monotonic() - began, process
        finally:
            process.terminate()


def timed(url: str) -> tuple[float, requests.Response]:
    began = time.monotonic()
    answer = requests.get(url, timeout=120)
    took = time.monotonic() - began
    answer.raise_for_status()
    return took, answer


def complete(address: str, run: str, trials: int) -> float:
    """Wait until every trial is listed; returns for how long."""
    began = time.monotonic()
    while time.monotonic() - began < 600:
        found = re.search(
            rf"<strong>{trials:,}</strong> trial", requests.get(f"{address}r/{run}/index.html", timeout=60).text
        )
        if found:
            return time.monotonic() - began
        time.sleep(0.1)
    raise TimeoutError("the run was not listed within ten minutes")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=10_000)
    options.add_argument("--megabytes", type=int, default=500)
    options.add_argument("--keep", type=Path, help="Make the runs here, and leave them.")
    chosen = options.parse_args()
    place = chosen.keep or Path(tempfile.mkdtemp(prefix="dayjob-bench-view-"))
    try:
        many, long = place / "many", place / "long"
        if not many.exists():
            write_run(many, chosen.trials)
        steps = write_long_trial(long, chosen.megabytes) if not long.exists() else 0
        size = (long / "long.worker.1" / "trajectory.json").stat().st_size / 1e6
        print(f"{chosen.trials:,} trials; a trajectory of {size:.0f} MB{f' in {steps:,} steps' if steps else ''}\n")
        print("| what | first time | again |\n| --- | ---: | ---: |")
        columns = [measure(many, long, chosen.trials, first=first) for first in (True, False)]
        for name in columns[0]:
            print(f"| {name} | {columns[0][name]} | {columns[1][name]} |")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"\nlargest memory of a viewer: {peak:.0f} MB, the mapped trajectory included")
    finally:
        if chosen.keep is None:
            shutil.rmtree(place)


def measure(many: Path, long: Path, trials: int, *, first: bool) -> dict[str, str]:
    if first:
        for folder in (many, long):
            for path in folder.glob(f"{NAME}*"):
                path.unlink()
    found: dict[str, str] = {}
    with viewing(many) as (address, start, _):
        found["10,000 trials: the command"] = _ms(start)
        found["10,000 trials: the first page"] = _ms(timed(address)[0])
        waited = complete(address, "many", trials)
        found["10,000 trials: until all are listed"] = _ms(waited)
        found["10,000 trials: the run with its matrix"] = _ms(timed(f"{address}r/many/index.html")[0])
        found["10,000 trials: page 50 of the list"] = _ms(timed(f"{address}r/many/trials-50.html")[0])
        found["10,000 trials: one trial"] = _ms(timed(f"{address}r/many/t/task-000.worker.1/index.html")[0])
        if not first:
            found["10,000 trials: a search"] = _ms(timed(f"{address}search.html?q=something")[0])
        else:
            found["10,000 trials: a search"] = "–"
    with viewing(long) as (address, start, _):
        found["500 MB: the command"] = _ms(start)
        base = f"{address}r/long/t/long.worker.1"
        while requests.get(f"{base}/files.html", timeout=60).status_code != 200:
            time.sleep(0.01)
        found["500 MB: the trial's page"] = _ms(timed(f"{base}/index.html")[0])
        found["500 MB: its first steps"] = _ms(timed(f"{base}/steps.html")[0])
        found["500 MB: its steps 2,476 to 2,500"] = _ms(timed(f"{base}/steps-100.html")[0])
    return {name.replace("10,000", f"{trials:,}"): value for name, value in found.items()}


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main()
