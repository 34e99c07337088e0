"""What programs share that stand in for others on an evaluator's path and have them run in a workbench."""

from __future__ import annotations

import json
import os
import stat
import sys

from dayjob.grading.workbench import Ended, NotIsolated

FAULTS = "DAYJOB_HELPER_FAULTS"
"""Where they write down that it was not the examinee's doing: they are processes of their own."""

NO_LIMIT = 86_400.0  # the host has one of its own
MOST_OUTPUT = 64 << 20
_MOST_INPUT = 256 << 20


def given_input() -> bytes:
    """Standard input, where somebody gave us some."""
    kind = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind)):
        return b""
    return sys.stdin.buffer.read(_MOST_INPUT)


def show(name: str, ended: Ended) -> bool:
    """Print what a program printed; False, with a sentence, when that is not all of it."""
    sys.stdout.buffer.write(ended.stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(ended.stderr)
    sys.stderr.flush()
    if ended.dropped:
        print(f"{name}: it printed more than {MOST_OUTPUT >> 20} MiB", file=sys.stderr)
    elif ended.timed_out:
        print(f"{name}: it did not end in time", file=sys.stderr)
    return not ended.dropped and not ended.timed_out


def record(name: str, error: NotIsolated) -> None:
    """Never a zero: whoever reads the verdict must know that this was not the examinee's doing."""
    if place := os.environ.get(FAULTS, ""):
        with open(place, "a", encoding="utf-8") as file:
            file.write(json.dumps(f"{name} could not be run apart from the grader: {error}") + "\n")
    print(f"{name}: {error}", file=sys.stderr)
