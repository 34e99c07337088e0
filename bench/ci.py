"""What CI adds to a push: until its pipeline has ended, with a job that does nothing and with one of a second.

python -m bench.ci
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.runner.ci_office import CiOffice, opened

ROUNDS = 15
LIMITS = (500.0, 1500.0, 60.0)


Figures = tuple[float, float]
"""Milliseconds: the median, and the fastest, which says more on a machine that is busy with something else."""


def figures(times: list[float]) -> Figures:
    return statistics.median(times[1:]), min(times[1:])


async def pushed(office: CiOffice, command: str) -> Figures:
    """From the answer to a push until its pipeline has ended."""
    project = await office.project()
    times = []
    for number in range(ROUNDS + 1):
        ci = f"test: {{image: python:3.13, script: ['{command}']}}\n# {number}\n"
        await office.commit(project, {".gitlab-ci.yml": ci})
        began = time.monotonic()
        await office.over()
        times.append((time.monotonic() - began) * 1000)
    jobs = await office.ask("GET", f"/projects/{project}/jobs", params={"per_page": 100})
    assert {job["status"] for job in jobs} == {"success"}
    assert len(jobs) == ROUNDS + 1
    return figures(times)


async def room(office: CiOffice) -> Figures:
    """The start of a room such as jobs have."""
    image = (await office.site.build_plain((), within=600)).without_grading()
    times = []
    for _ in range(ROUNDS + 1):
        sandbox = office.site.sandbox(image, name="bench", kind="job", listen=[8929])
        began = time.monotonic()
        started = await sandbox.start()
        times.append((time.monotonic() - began) * 1000)
        await sandbox.stop()
        for sock in started.listeners.values():
            sock.close()
    return figures(times)


async def measure() -> dict[str, Figures]:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder, "cache"), Path(folder)) as office:
            return {
                "a push whose job does nothing, until its pipeline has ended": await pushed(office, "true"),
                "a push whose test takes one second": await pushed(office, "sleep 1"),
                "start of a job's room": await room(office),
            }


def main() -> None:
    found = asyncio.run(measure())
    print(f"{ROUNDS} each, one after the other\n")
    print("| what | median | fastest | aim |\n| --- | ---: | ---: | ---: |")
    for (what, (median, fastest)), limit in zip(found.items(), LIMITS, strict=True):
        print(f"| {what} | {median:.0f} ms | {fastest:.0f} ms | ≤ {limit:.0f} ms |")
    sys.exit(0 if all(one[0] <= limit for one, limit in zip(found.values(), LIMITS, strict=True)) else 1)


if __name__ == "__main__":
    main()
