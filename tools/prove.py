"""Proves every task at length: ten times in the embedded sandbox, each time with another seed, and once in docker.

    python -m tools.prove [--times N] [TASK…]

In docker it uses a daemon of its own, with a base image made here from Debian packages, so that nothing is pulled.
Ends with the figures for the README.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from tests.dockerd import BASE_IMAGE, private_docker

ROOT = Path(__file__).resolve().parents[1]
DAYJOB = Path(sys.executable).parent / "dayjob"


def prove(tasks: list[str], *options: str, **environment: str) -> tuple[int, int]:
    """How many claims hold, of how many; what does not hold is printed as soon as it is known."""
    command = [str(DAYJOB), "test", *tasks, *options]
    held, tried = 0, 0
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=PIPE, text=True) as proving:
        for line in proving.stdout or ():
            if found := re.match(r"(\d+) of (\d+) claims hold", line):
                held, tried = int(found[1]), int(found[2])
            if not line.startswith("✓"):
                print(line, end="", flush=True)
    return held, tried


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("tasks", nargs="*", default=["tasks/"])
    given = parser.parse_args()
    embedded = prove(given.tasks, "--times", str(given.times))
    with private_docker() as address:
        docker = prove(given.tasks, "--sandbox", "docker", DOCKER_HOST=address, DAYJOB_DOCKER_BASE=BASE_IMAGE)
    print(f"embedded: {embedded[0]} of {embedded[1]} claims hold; docker: {docker[0]} of {docker[1]}.")
    sys.exit(0 if all(held == tried > 0 for held, tried in (embedded, docker)) else 1)


if __name__ == "__main__":
    main()
