"""Proves every task at length: ten times in the embedded sandbox, each time with another seed, and once in docker.

    python -m tools.prove [--times N] [TASK…]

In docker it uses a daemon of its own, with a base image made here from Debian packages, so that nothing is pulled.
What came of all tasks is written to docs/proof.md, which the README's figures are taken from.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.dockerd import BASE_IMAGE, private_docker

ROOT = Path(__file__).resolve().parents[1]
DAYJOB = Path(sys.executable).parent / "dayjob"
PAGE = ROOT / "docs" / "proof.md"


@dataclass
class Proof:
    """What came of one sandbox: for each task how many claims hold, of how many."""

    sandbox: str
    times: int
    held: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    tried: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: float = 0

    @property
    def holds(self) -> bool:
        return sum(self.tried.values()) > 0 and self.held == self.tried

    @property
    def total(self) -> str:
        return f"{sum(self.held.values()):,} of {sum(self.tried.values()):,}"

    def of(self, task: str) -> str:
        return f"{self.held[task]} of {self.tried[task]}"


def prove(tasks: list[str], sandbox: str, times: int, **environment: str) -> Proof:
    """Prove the tasks; a claim that does not hold is printed as soon as that is known."""
    proof, began = Proof(sandbox, times), time.monotonic()
    command = [str(DAYJOB), "test", *tasks, "--sandbox", sandbox, "--times", str(times), "-n", "6", "--json"]
    environment = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as proving:
        for line in proving.stdout or ():
            claim = json.loads(line)
            proof.tried[claim["task"]] += 1
            proof.held[claim["task"]] += claim["holds"]
            if not claim["holds"]:
                print(f"✗ {sandbox}: {claim['task']}: {claim['claim']}: {claim['why']}", flush=True)
    proof.seconds = time.monotonic() - began
    print(f"{sandbox}: {proof.total} claims hold, {proof.seconds / 60:.0f} minutes.", flush=True)
    return proof


def page(proofs: list[Proof]) -> str:
    """What docs/proof.md says."""
    heading = [
        "# What `make prove` found",
        "",
        "Every task, with every wrong solution beside it, in both sandboxes, as `make prove` saw it.",
        "[Writing a task](writing-a-task.md) tells what is claimed.",
        "",
        "| task | " + " | ".join(f"{one.sandbox}, {_times(one.times)}" for one in proofs) + " |",
        "| --- |" + " --- |" * len(proofs),
    ]
    rows = [f"| {task} | " + " | ".join(one.of(task) for one in proofs) + " |" for task in sorted(proofs[0].tried)]
    total = "| **all** | " + " | ".join(f"**{one.total}**" for one in proofs) + " |"
    spent = " and ".join(f"{one.seconds / 60:.0f} minutes {one.sandbox}" for one in proofs)
    return "\n".join([*heading, *rows, total, "", f"On two cores: {spent}.", ""])


def _times(number: int) -> str:
    return {1: "once", 10: "ten times"}.get(number, f"{number} times")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("tasks", nargs="*", default=[])
    given = parser.parse_args()
    tasks = given.tasks or ["tasks/"]
    proofs = [prove(tasks, "embedded", given.times)]
    with private_docker() as address:
        proofs.append(prove(tasks, "docker", 1, DOCKER_HOST=address, DAYJOB_DOCKER_BASE=BASE_IMAGE))
    if not given.tasks:
        PAGE.write_text(page(proofs), "utf-8")
    sys.exit(0 if all(one.holds for one in proofs) else 1)


if __name__ == "__main__":
    main()
