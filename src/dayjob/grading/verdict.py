"""How a verdict leaves the grader's room: over a pipe that only this process writes to, with the trial's nonce.

The nonce comes in on standard input and the verdict goes out on standard output. The evaluator runs in a child that has
neither: what it prints goes to the log, and one that exits, crashes or is killed is seen as just that.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from dayjob.grading import git, installed, own_room, stand_in, workbench

_RESERVE = 1 << 20
_NOTES = "notes"


def main(utils: Path = Path("/utils"), trajectory: Path = Path("/utils/trajectory.txt")) -> None:
    """Grade, and write `{"nonce", "exit", "result", "faults", "raised", "left_out", "notes"}`; no result is None."""
    nonce = sys.stdin.read()
    with tempfile.TemporaryDirectory(prefix="verdict-", dir=utils) as folder:
        place = Path(folder, "result.json")
        child = os.fork()
        if child == 0:
            _evaluate(utils, trajectory, place)
        _, status = os.waitpid(child, 0)
        beside = _read(place.with_name(place.name + ".faults.json")) or {}
        verdict = {
            "nonce": nonce,
            "exit": os.waitstatus_to_exitcode(status),
            "result": _read(place),
            "faults": beside.get("faults", []),
            "raised": beside.get("raised", []),
            "left_out": beside.get("left_out", []),
            "notes": _lines(place.with_name(_NOTES)),
        }
    sys.stdout.write(json.dumps(verdict))
    sys.stdout.flush()


def _evaluate(utils: Path, trajectory: Path, place: Path) -> None:
    code = 1
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.environ["PATH"] = f"{utils}/bin:{os.environ.get('PATH', os.defpath)}"
        os.environ[git.STATE] = str(place.with_name("git.json"))
        began = place.with_name("began")
        began.touch()
        os.environ[workbench.BEGAN] = str(began)
        os.environ[stand_in.FAULTS] = str(place.with_name("helper-faults"))
        theirs = os.environ.get(workbench.FROZEN, "").split(":")
        apart = installed.put_on_path(utils, place.with_name("installed"))
        own_room.watch(str(place.with_name(_NOTES)), [one for one in (*theirs, tempfile.gettempdir()) if one], apart)
        from dayjob.grading.eval import main as evaluate

        reserve = _reserved(place.with_name("reserve"))
        arguments = ["--trajectory_path", str(trajectory), "--result_path", str(place)]
        code = evaluate(arguments, utils=utils, before_writing=lambda: reserve.unlink(missing_ok=True))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _reserved(path: Path) -> Path:
    """Room on the disk for the result, whatever the examinee's code writes while it is graded."""
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, _RESERVE)
    return path


def _lines(path: Path) -> list[str]:
    """What was noted, one JSON text a line."""
    try:
        return [str(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    except (OSError, ValueError):
        return []


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
