"""What an environment costs, beside `docker run` and `bwrap` in the same run.

python -m bench.env
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

from bench.sandbox import docker_run
from bench.trials import GROUPS
from dayjob.env import Env
from dayjob.trial.workshop import Workshop

TASK = Path(__file__).parents[1] / "tasks" / "example"
ROUNDS = 30
FORKS = 64
ROLLOUTS = 60
AT_ONCE = 4
OPEN = 32


async def median(one: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> float:
    """Milliseconds, after one that does not count."""
    await one()
    times = []
    for _ in range(rounds):
        began = time.monotonic()
        await one()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def bwrap() -> float:
    """Milliseconds for a shell in bubblewrap alone."""
    command = [
        "bwrap",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--unshare-all",
        "/bin/bash",
        "-c",
        ":",
    ]
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        subprocess.run(command, check=True)
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def below() -> set[int]:
    """This process and all below it."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return ours


def memory() -> float:
    """MiB of all of them, shared pages counted in proportion."""
    total = 0
    for pid in below():
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(next(line.split()[1] for line in text.splitlines() if line.startswith("Pss:")))
    return total / 1024


@contextmanager
def counted() -> Iterator[Callable[[], float]]:
    """Milliseconds of CPU so far, of this process and all that it starts: from a control group of its own."""
    group = GROUPS / f"dayjob-bench-{os.getpid()}"
    if not os.access(GROUPS, os.W_OK):
        yield lambda: float("nan")
        return
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text("0")
        yield lambda: int((group / "cpuacct.usage").read_text()) / 1e6
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            (GROUPS / "cgroup.procs").write_text(pid)
        group.rmdir()


async def rollout(workshop: Workshop, seed: int) -> None:
    async with Env(TASK, seed=seed, workshop=workshop) as env:
        await env.reset()
        await env.exec("ls /workspace")
        await env.http("drive", "GET", "/remote.php/webdav/Finance/vendor-budgets-2026.csv")
        await env.exec("echo done > /workspace/done")
        assert (await env.grade()).total == 8


async def measure(cpu: Callable[[], float]) -> dict[str, float]:
    found: dict[str, float] = {}
    async with Workshop() as workshop, Env(TASK, workshop=workshop) as env:

        async def first_answer() -> None:
            await env.reset()
            assert (await env.http("chat", "GET", "/api/info", sign_in=False)).ok

        found["reset"] = await median(first_answer)
        found["shell"] = await median(lambda: env.exec(":"))
        found["http"] = await median(lambda: env.http("chat", "GET", "/api/v1/me"))
        found["grade"] = await median(env.grade)
        before = cpu()
        for _ in range(ROUNDS):
            await env.grade()
        found["grade_cpu"] = (cpu() - before) / ROUNDS

        times = []
        for _ in range(ROUNDS):
            began = time.monotonic()
            other = await env.fork()
            times.append((time.monotonic() - began) * 1000)
            await other.close()
        found["fork"] = statistics.median(times)
        began = time.monotonic()
        forks = [await env.fork() for _ in range(FORKS)]
        found["forks"] = time.monotonic() - began
        for one in forks:
            await one.close()
        found["rollouts"] = await rollouts(workshop)
        found["memory"] = await memory_of_many(workshop)
    return found


async def rollouts(workshop: Workshop) -> float:
    """How many a second, a few at a time."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(seed: int) -> None:
        async with turns:
            await rollout(workshop, seed)

    await one(0)
    began = time.monotonic()
    await asyncio.gather(*(one(seed) for seed in range(ROLLOUTS)))
    return ROLLOUTS / (time.monotonic() - began)


async def memory_of_many(workshop: Workshop) -> float:
    before = memory()
    many = [Env(TASK, seed=seed, workshop=workshop) for seed in range(OPEN)]
    for one in many:
        await one.reset()
        await one.exec(":")
    used = memory() - before
    for one in many:
        await one.close()
    return used / OPEN


def main() -> None:
    alone = bwrap()
    with counted() as cpu:
        found = uvloop.run(measure(cpu))
    peer = docker_run()
    rows = [
        ("reset to the first answered request", f"{found['reset']:.0f} ms", "≤ 60 ms"),
        ("`docker run --rm --network none … true`", f"{peer:.0f} ms", ""),
        ("reset / docker run", f"{found['reset'] / peer:.2f}", "≤ 0.25"),
        ("a shell step", f"{found['shell']:.1f} ms", ""),
        ("`bwrap … bash -c :`", f"{alone:.1f} ms", ""),
        ("a shell step beyond bwrap", f"{found['shell'] - alone:.1f} ms", "≤ 10 ms"),
        ("a request to chat", f"{found['http']:.1f} ms", ""),
        ("grade, from call to marks", f"{found['grade']:.0f} ms", ""),
        ("grade, CPU of all processes", f"{found['grade_cpu']:.0f} ms", "≤ 60 ms"),
        ("fork", f"{found['fork']:.0f} ms", "≤ 50 ms"),
        (f"{FORKS} forks, one after the other", f"{found['forks']:.2f} s", "≤ 2 s"),
        (f"rollouts, three acts and a grade, {AT_ONCE} at a time", f"{found['rollouts']:.1f} /s", "≥ 12 /s"),
        (f"memory for each of {OPEN} open ones", f"{found['memory']:.1f} MiB", "≤ 12 MiB"),
    ]
    print(f"medians of {ROUNDS}, the example in Larkspur\n")
    print("| what | figure | aim |\n| --- | ---: | ---: |")
    for what, figure, aim in rows:
        print(f"| {what} | {figure} | {aim} |")


if __name__ == "__main__":
    main()
