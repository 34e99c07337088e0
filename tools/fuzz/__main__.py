"""Fuzz a company:  python -m tools.fuzz [--requests N] [--seed S] [--world DIR]

Generated requests over the four wires, as the world's own accounts, against a company in a child process. Looks for
answers of 500 and more, for stalls of its event loop, and for memory that grows. The company is put back to its
snapshot every few thousand requests, so that what people stored is not taken for a leak. Exit code 1 when something was
found. A request is made from the seed and its number alone: `--only NUMBER` sends that one again.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import tomllib
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tools.fuzz.asking import Asker, Realtime
from tools.fuzz.routes import Route, all_routes

ROOT = Path(__file__).resolve().parents[2]
ROUND = 1000
ASKERS = 3
GROWTH = 96
"""MiB that the process may grow from the end of the first quarter of the rounds to the end of the last."""
HONEST = (501, 503, 507)
"""What is not there, what is throttled, what is full: answers, not failures."""


@dataclass
class Findings:
    seed: str
    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, number: int, service: str, status: int, asked: str) -> None:
        with self.lock:
            self.statuses.setdefault(service, Counter())[status] += 1
            if status >= 500 and status not in HONEST:
                self.broken.append(f"{status} {service} #{number}: {asked}")

    @property
    def stalls(self) -> list[dict[str, Any]]:
        return [one for one in self.told if "stall" in one]

    @property
    def failures(self) -> list[dict[str, Any]]:
        return [one for one in self.told if "failure" in one]

    @property
    def growth(self) -> int:
        """MiB between a quarter of the way and the end; the first rounds import and cache."""
        return self.memory[-1] - self.memory[len(self.memory) // 4] if self.memory else 0

    @property
    def clean(self) -> bool:
        return not (self.broken or self.stalls or self.failures) and self.growth <= GROWTH


class Server:
    """The company's process."""

    def __init__(self, world: Path, cache: Path, findings: Findings) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.server", str(world), str(cache)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the company did not start: {self.process.stderr.read().decode()[-2000:]}")
        facts = json.loads(line)
        self.ports: dict[str, int] = facts["ports"]
        self._token: str = facts["token"]
        self._listening = threading.Thread(target=self._listen, args=(self.process.stderr, findings))
        self._listening.start()

    def _listen(self, stream: IO[bytes], findings: Findings) -> None:
        for line in stream:
            try:
                findings.told.append(json.loads(line))
            except ValueError:
                print("server:", line.decode("utf-8", "replace").rstrip(), file=sys.stderr)

    def reset(self) -> int:
        """Put the company back; returns the memory its process has then, in MiB."""
        url = f"http://127.0.0.1:{self.ports['control']}/api/reset-all"
        request = urllib.request.Request(url, method="POST", headers={"x-dayjob-token": self._token})
        urllib.request.urlopen(request, timeout=120).close()
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
        return 0

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)
        self._listening.join(10)


def fuzz(requests: int, seed: str, world: Path, only: int | None = None) -> Findings:
    """Send the requests, in rounds; what was found."""
    findings = Findings(seed)
    accounts = tomllib.loads((world / "world.toml").read_text())["accounts"]
    routes = all_routes()
    with tempfile.TemporaryDirectory(prefix="dayjob-fuzz-") as cache:
        server = Server(world, Path(cache), findings)
        try:
            for first in [only] if only is not None else range(0, requests, ROUND):
                last = first + 1 if only is not None else min(first + ROUND, requests)
                _round(server, accounts, routes, findings, range(first, last))
                findings.memory.append(server.reset())
        finally:
            server.close()
    return findings


def _round(
    server: Server, accounts: dict[str, dict[str, Any]], routes: list[Route], findings: Findings, numbers: range
) -> None:
    threads = [
        threading.Thread(target=_ask, args=(server, accounts, routes, findings, numbers[one::ASKERS]))
        for one in range(ASKERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _ask(
    server: Server, accounts: dict[str, dict[str, Any]], routes: list[Route], findings: Findings, numbers: range
) -> None:
    asker = Asker(server.ports, accounts)
    realtime = Realtime(server.ports["chat"], asker.token)
    try:
        for number in numbers:
            dice = random.Random(f"{findings.seed}:{number}")
            if dice.random() < 0.08:
                findings.note(number, "realtime", *realtime.ask(dice))
                continue
            route = dice.choice(routes)
            findings.note(number, route.service, *asker.ask(route, dice))
    except TimeoutError:
        findings.broken.append(f"no answer in time near #{number}")
    finally:
        asker.close()
        realtime.close()


def report(findings: Findings) -> None:
    print(f"seed {findings.seed}")
    print(f"{'service':10} {'requests':>9} {'2xx':>7} {'3xx':>7} {'4xx':>7} {'5xx':>5} {'closed':>7}")
    for service, found in sorted(findings.statuses.items()):
        kinds = [sum(count for status, count in found.items() if status // 100 == kind) for kind in (2, 3, 4, 5)]
        print(f"{service:10} {found.total():9} {kinds[0]:7} {kinds[1]:7} {kinds[2]:7} {kinds[3]:5} {found[0]:7}")
    print(f"memory after each round, MiB: {' '.join(map(str, findings.memory))} (growth {findings.growth})")
    for one in findings.stalls:
        print(f"STALL {one['stall']} s of processor time; the last to ask: {one['asked']}")
    for (error, at), count in Counter((one["error"], " < ".join(one["at"][::-1])) for one in findings.failures).items():
        example = next(one["failure"] for one in findings.failures if one["error"] == error)
        print(f"CRASH {count}×: {error} at {at}; such as {example}")
    for line in findings.broken[:20]:
        print("BROKEN", line)
    print("nothing found" if findings.clean else "something was found")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", default="14")
    parser.add_argument("--world", type=Path, default=ROOT / "worlds" / "larkspur")
    parser.add_argument("--only", type=int, help="send this one request of the seed again")
    given = parser.parse_args()
    findings = fuzz(given.requests, given.seed, given.world, given.only)
    report(findings)
    return 0 if findings.clean else 1


if __name__ == "__main__":
    sys.exit(main())
