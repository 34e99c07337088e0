"""Whole trials on a machine whose control groups are version 2. `make cgroup2` runs these in a virtual machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dayjob.sandbox.cgroups import available, groups
from dayjob.sandbox.sandbox import MIB, Limits
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop
from tests.trial.offices import office, task

pytestmark = pytest.mark.skipif(
    not available() or available().version != 2,
    reason="this machine gives no control groups of version 2; make cgroup2 runs this in a virtual machine",
)

EXAMPLE = Path(__file__).parents[2] / "tasks" / "example"

# Takes all the memory there is, some in each process, and then all the processes.
BOMBS = """
import contextlib, os, signal
children = []
for number in range(8):
    child = os.fork()
    if child == 0:
        held = bytearray(512 << 20)
        print("had it", flush=True)
        signal.pause()
    children.append(child)
_, ended = os.wait()
print("ended by signal", os.WTERMSIG(ended))
for child in children:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            os.setsid()
            signal.pause()
        made += 1
except OSError as error:
    print("forks:", made, error.strerror)
"""


def limits_of(group: Path) -> list[str]:
    return [(group / name).read_text().strip() for name in ("memory.max", "pids.max", "cpu.max")]


def test_a_trial_is_worth_full_marks_beside_one_that_bombs(cache: Path, tmp_path: Path) -> None:
    bombing = task(tmp_path, solution__py=BOMBS)
    honest = TrialSpec(task=str(EXAMPLE), agent="oracle", out=str(tmp_path / "honest"), seconds=600)
    hostile = TrialSpec(
        task=str(bombing), agent="oracle", out=str(tmp_path / "hostile"), world=str(office(tmp_path)), seconds=600
    )

    limits: dict[str, list[str]] = {}

    def on_step(spec: TrialSpec, step: str) -> None:
        if step in ("work", "grade"):
            limits.update({group.name: limits_of(group) for group in groups()})

    async def both() -> tuple[Outcome, Outcome]:
        async with Workshop(cache, on_step) as workshop:
            return await asyncio.gather(workshop.run(honest), workshop.run(hostile))

    good, bad = asyncio.run(both())
    assert (good.label, good.result, good.total) == (Label.RESOLVED, 8, 8), good.reason
    assert (bad.label, bad.result) == (Label.FAILED, 0), bad.reason
    peak = bad.resources["memory_peak"]
    assert peak <= Limits().memory + Limits().disk
    assert len(limits) >= 2
    assert [name for name, values in limits.items() if any(value.startswith("max") for value in values)] == []
    assert groups() == {}
    said = (tmp_path / "hostile" / "trajectory.json").read_text()
    assert "Resource temporarily unavailable" in said
    for group, values in sorted(limits.items()):
        print(f"{group}: memory, processes and CPU at most {', '.join(values)}")
    for name, one in (("honest", good), ("hostile", bad)):
        peak = one.resources["memory_peak"] / MIB
        print(f"{name}: {one.label.value} {one.result}/{one.total}, memory peak {peak:.0f} MiB")
