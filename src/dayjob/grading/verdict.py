"""How a verdict leaves the grader's room: over a pipe that only this process has, with the trial's nonce.

The evaluator runs in a child without the pipe, so an evaluator that exits, crashes or is killed is seen as that, and
what it prints is a log. Usage: `main()` with the nonce readable at descriptor 3 and the pipe at 4.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

NONCE_FD = 3
VERDICT_FD = 4


def main(utils: Path = Path("/utils"), trajectory: Path = Path("/utils/trajectory.txt")) -> None:
    """Grade, and send `{"nonce", "exit", "result", "faults"}`; `result` is None when there is none."""
    with os.fdopen(NONCE_FD, "r") as source:
        nonce = source.read()
    with tempfile.TemporaryDirectory(prefix="verdict-", dir=utils) as folder:
        place = Path(folder, "result.json")
        child = os.fork()
        if child == 0:
            os.close(VERDICT_FD)
            _evaluate(utils, trajectory, place)
        _, status = os.waitpid(child, 0)
        verdict = {
            "nonce": nonce,
            "exit": os.waitstatus_to_exitcode(status),
            "result": _read(place),
            "faults": (_read(place.with_name(place.name + ".faults.json")) or {}).get("faults", []),
        }
    with os.fdopen(VERDICT_FD, "w") as out:
        json.dump(verdict, out)


def _evaluate(utils: Path, trajectory: Path, place: Path) -> None:
    code = 1
    try:
        from dayjob.grading.eval import main as evaluate

        code = evaluate(["--trajectory_path", str(trajectory), "--result_path", str(place)], utils=utils)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
