"""What a sandbox costs, beside `docker run` in the same run, and many at once.

python -m bench.sandbox
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from tests.dockerd import BASE_IMAGE, private_docker

ROUNDS = 40
DOCKER_ROUNDS = 10
AT_ONCE = 64
LIMITS = {"embedded": 40.0, "ratio": 8.0, "memory": 2048.0}


async def embedded(cache: Path) -> tuple[float, float, float]:
    """Milliseconds for start + exec + stop, and seconds and MiB for many at once."""
    async with EmbeddedSite(cache) as site:
        image = await site.base()

        async def one() -> None:
            room = EmbeddedSandbox(site, image, listen=[3000, 8092, 2999])
            started = await room.start()
            assert (await room.exec(["true"])).ok
            await room.stop()
            for sock in started.listeners.values():
                sock.close()

        each = await _median(one, ROUNDS)
        before = _memory(site.warden.pid)
        began = time.monotonic()
        rooms = [EmbeddedSandbox(site, image, listen=[3000, 8092, 2999]) for _ in range(AT_ONCE)]
        await asyncio.gather(*(room.start() for room in rooms))
        done = await asyncio.gather(*(room.exec("echo $$ > /workspace/file; cat /workspace/file") for room in rooms))
        assert all(one.ok for one in done)
        memory = _memory(site.warden.pid) - before
        await asyncio.gather(*(room.stop() for room in rooms))
        return each, time.monotonic() - began, memory


async def _median(one: Callable[[], Awaitable[None]], rounds: int) -> float:
    await one()
    times = []
    for _ in range(rounds):
        began = time.monotonic()
        await one()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def _memory(warden: int) -> float:
    """MiB of this process, the warden and everything below it, shared pages counted in proportion."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    ours, total = {os.getpid(), warden}, 0
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    for pid in ours:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(next(line.split()[1] for line in text.splitlines() if line.startswith("Pss:")))
    return total / 1024


def docker_run() -> float:
    """Milliseconds for `docker run --rm true`."""
    with private_docker() as address:
        command = ["docker", "-H", address, "run", "--rm", "--network", "none", BASE_IMAGE, "true"]
        subprocess.run(command, check=True)
        times = []
        for _ in range(DOCKER_ROUNDS):
            began = time.monotonic()
            subprocess.run(command, check=True)
            times.append((time.monotonic() - began) * 1000)
        return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-") as folder:
        each, seconds, memory = asyncio.run(embedded(Path(folder)))
    peer = docker_run()
    print(f"median of {ROUNDS} sandboxes and {DOCKER_ROUNDS} containers, one after the other\n")
    print("| what | figure | aim |\n| --- | ---: | ---: |")
    print(f"| embedded: start + exec + stop, three listeners | {each:.1f} ms | ≤ {LIMITS['embedded']:.0f} ms |")
    print(f"| `docker run --rm --network none … true` | {peer:.0f} ms | |")
    print(f"| docker / embedded | {peer / each:.1f} | ≥ {LIMITS['ratio']:.0f} |")
    print(f"| {AT_ONCE} embedded sandboxes at once: start, a command each, stop | {seconds:.2f} s | |")
    print(f"| their memory, all processes, beyond one host process | {memory:.0f} MiB | ≤ {LIMITS['memory']:.0f} MiB |")
    held = each <= LIMITS["embedded"] and peer / each >= LIMITS["ratio"] and memory <= LIMITS["memory"]
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
