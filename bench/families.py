"""What a variant costs beside the canonical task: to make, to compile, on the disk, and in a trial once it is compiled.

python -m bench.families [TASK]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import uvloop

from dayjob.company.world import build_snapshot
from dayjob.company.world.find import find_world
from dayjob.task import Task
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import make_here
from dayjob.trial.workshop import Workshop

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, VARIANTS = 12, 5


def spec(family: Path, number: int, out: Path) -> TrialSpec:
    return TrialSpec(str(family), "nop", str(out), variant=number)


def on_disk(folder: Path) -> int:
    """Bytes of blocks, each file counted once however many names it has."""
    found = {(facts.st_dev, facts.st_ino): facts.st_blocks * 512 for facts in map(os.lstat, folder.rglob("*"))}
    return sum(found.values())


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def trials(family: Path, cache: Path, place: Path) -> dict[int, list[float]]:
    """Seconds from spec to sandbox started, for variants in turn."""

    async def main() -> dict[int, list[float]]:
        found: dict[int, list[float]] = {number: [] for number in range(VARIANTS)}
        async with Workshop(cache) as workshop:
            for turn in range(ROUNDS + 1):
                for number in found:
                    outcome = await workshop.run(spec(family, number, place / f"{number}-{turn}"))
                    if turn:  # the first compiles and builds
                        found[number].append(outcome.timings["build"] + outcome.timings["start"])
        return found

    return uvloop.run(main())


def main(name: str = "payroll-by-team") -> None:
    family = ROOT / "tasks" / name
    with tempfile.TemporaryDirectory() as place:
        cache = Path(place, "cache")
        made = [timed(lambda n=n: make_here([spec(family, n, Path())], cache=cache)) for n in range(VARIANTS)]  # type: ignore[misc]
        folders = make_here([spec(family, number, Path()) for number in range(VARIANTS)], cache=cache)
        tasks = [Task.load(folder) for folder in folders]
        world = find_world(tasks[0].settings.world)
        compiled, sizes = [], []
        for task in tasks:
            compiled.append(timed(lambda task=task: build_snapshot(world, task.world_overlay, cache=cache)))  # type: ignore[misc]
            sizes.append(on_disk(cache / "snapshots"))
        per = trials(family, cache, Path(place, "out"))
        others = [seconds for number, each in per.items() if number for seconds in each]
        more = (sizes[-1] - sizes[0]) / (VARIANTS - 1)
        waited, plain = statistics.median(others) * 1000, statistics.median(per[0]) * 1000
        print(f"{name}: to make a variant, with a room for it: {statistics.median(made) * 1000:.0f} ms")
        print(f"to compile: canonical {compiled[0]:.2f} s, variant {statistics.median(compiled[1:]):.2f} s")
        print(f"on the disk: canonical {sizes[0] / 1e6:.1f} MB, each variant {more / 1e6:.2f} MB more")
        print(f"build and start, compiled: canonical {plain:.1f} ms, variant {waited:.1f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
