"""How long `dayjob --help` takes, beside `inspect --help` and a Python that does nothing.

Usage: python bench/help.py. Installs inspect-ai in a scratch environment under .cache/ on the first run; prints one
Markdown table.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

ROUNDS = 15
INSPECT = "inspect-ai"
SCRATCH = Path(__file__).resolve().parent.parent / ".cache" / "bench" / "inspect"


def inspect_command() -> tuple[Path, str]:
    """The peer's command and its version, installed when it is not there yet."""
    command = SCRATCH / "bin" / "inspect"
    if not command.exists():
        print(f"installing {INSPECT} in {SCRATCH.relative_to(SCRATCH.parents[2])} …", file=sys.stderr)
        venv.create(SCRATCH, with_pip=True)
        install = [str(SCRATCH / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", INSPECT]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{INSPECT} could not be installed: {done.stderr[-500:]}")
    asked = [str(SCRATCH / "bin" / "python"), "-c", f"import importlib.metadata as m; print(m.version('{INSPECT}'))"]
    return command, subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def measure(command: list[str]) -> float:
    """The median of a few rounds, in seconds; the first run, which fills caches, is not counted."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    inspect, version = inspect_command()
    dayjob = Path(sys.executable).with_name("dayjob")
    rows = [
        ("`python -c pass`", measure([sys.executable, "-c", "pass"])),
        ("`dayjob --help`", measure([str(dayjob), "--help"])),
        (f"`inspect --help` ({INSPECT} {version})", measure([str(inspect), "--help"])),
    ]
    ours = rows[1][1]
    print(f"median of {ROUNDS} runs\n")
    print("| command | time | ratio to dayjob |")
    print("| --- | ---: | ---: |")
    for command, seconds in rows:
        print(f"| {command} | {seconds * 1000:.0f} ms | {seconds / ours:.1f} |")


if __name__ == "__main__":
    main()
