"""Honest trials beside hostile ones in one run: what the honest notice, what the host's memory sees, what is left.

python -m bench.hostile [HONEST [HOSTILE [AT_ONCE]]]

The honest are the project's own tasks with their solutions; the hostile do everything of `tests/trial/hostile.py` at
once until their time is up. The same run without the hostile is measured before and after, on the same machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import yaml

from dayjob import owned
from dayjob.sandbox import cgroups
from dayjob.task.model import is_task_folder
from tests.trial import hostile
from tests.trial.offices import task

ROOT = Path(__file__).parents[1]
SECONDS = 30


class Memory:
    """The most of the host's memory that was in use beyond the start, sampled. Use as `with`."""

    def __enter__(self) -> Memory:
        self.start, self.peak, self._ended = _in_use(), 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            self.peak = max(self.peak, _in_use() - self.start)


def _in_use() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    facts = {name: int(value.split()[0]) * 1024 for name, value in (line.split(":") for line in lines)}
    return facts["MemTotal"] - facts["MemAvailable"]


def run(folder: Path, name: str, tasks: list[Path], at_once: int) -> tuple[dict[str, dict[str, Any]], float, Memory]:
    """Outcomes by task, wall time, memory."""
    out = folder / name
    command = [
        sys.executable,
        "-m",
        "dayjob",
        "run",
        *map(str, tasks),
        "-a",
        "oracle",
        "-n",
        str(at_once),
        "-o",
        str(out),
    ]
    began = time.monotonic()
    with Memory() as memory:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "COLUMNS": "200"})
    wall = time.monotonic() - began
    if done.returncode not in (0, 1):
        sys.exit(f"the run ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    found = [json.loads(path.read_text()) for path in out.glob("*/outcome.json")]
    return {str(one["task"]): one for one in found}, wall, memory


def hostile_tasks(folder: Path, number: int) -> list[Path]:
    person = yaml.safe_load((ROOT / "worlds/larkspur/people/sam.reed.yml").read_text())
    program = hostile.solution("larkspur.test", person["username"], person["password"], "mara.lindqvist", SECONDS)
    made = []
    for place in range(number):
        parts = {
            "solution__py": program,
            "dependencies__yml": hostile.SERVICES,
            "scenarios__json": hostile.scenarios("Mara Lindqvist"),
            "task__toml": f"format = 1\n[timeouts]\nwork = {SECONDS + 15}\n",
        }
        path = task(folder / f"hostile{place}", **parts)
        made.append(path.rename(path.with_name(f"hostile-{place}")))
    return made


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    honest_number, hostile_number, at_once = (numbers + [30, 2, 16][len(numbers) :])[:3]
    tasks = sorted(path for path in (ROOT / "tasks").iterdir() if is_task_folder(path) and path.name != "example")
    honest = tasks[:honest_number]
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-") as name:
        folder = Path(name)
        enemies = hostile_tasks(folder, hostile_number)
        before, *_ = run(folder, "alone", honest, at_once)
        beside, wall, memory = run(folder, "beside", [*enemies, *honest], at_once)
        after, *_ = run(folder, "again", honest, at_once)
    alone = {key: statistics.mean(float(one[key]["timings"]["work"]) for one in (before, after)) for key in before}
    slower = {key: float(beside[key]["timings"]["work"]) / alone[key] for key in alone}
    total = sum(float(beside[key]["timings"]["work"]) for key in alone) / sum(alone.values())
    resolved = sum(beside[key]["label"] == "resolved" for key in alone)
    print(
        f"{len(honest)} honest trials beside {len(enemies)} hostile ones, {at_once} at a time; {os.cpu_count()} cores\n"
    )
    print("| what | figure | aim |\n| --- | ---: | ---: |")
    print(f"| honest trials at full marks | {resolved} of {len(alone)} | all |")
    print(f"| their work time, all together, beside the run without the hostile | {total:.2f} | ≤ 2 |")
    print(f"| likewise, the median trial | {statistics.median(slower.values()):.2f} | |")
    print(f"| likewise, the slowest trial | {max(slower.values()):.2f} | |")
    print(f"| memory of the host in use beyond the start, at most | {memory.peak / 2**20:.0f} MiB | bounded |")
    print(f"| the whole run | {wall:.0f} s | |")
    left = len(cgroups.abandoned()) + len(owned.abandoned_folders())
    print(f"| control groups and folders left | {left} | 0 |")
    print("\n| hostile trial | label | points | reason or how it ended |\n| --- | --- | ---: | --- |")
    for path in enemies:
        one = beside[path.name]
        print(f"| {path.name} | {one['label']} | {one['result']} of {one['total']} | {one['reason'] or one['ended']} |")


if __name__ == "__main__":
    main()
