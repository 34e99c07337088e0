"""The entry point inside a sandbox: run the evaluator beside it and write the result file, whole or not at all.

Exit 0: `result_path` holds the result. Exit 1: it does not exist, and the log says why. In both cases
`result_path` + `.faults.json` lists what did not answer while grading, and what checks raised
(`{"format": 1, "faults": [...], "raised": [...], "left_out": [...]}`).
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dayjob.grading import faults
from dayjob.scoring import Result
from dayjob.whole_files import write_whole

log = logging.getLogger("eval")


class GradingFailed(Exception):
    """There is no result; the sentence says why and what to change."""


def main(
    arguments: Sequence[str] | None = None, *, utils: Path, before_writing: Callable[[], None] = lambda: None
) -> int:
    """Grade with the `evaluator.py` in `utils`."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    parser = argparse.ArgumentParser(prog="eval.py", description="Grade the checkpoints of this task.")
    parser.add_argument("--trajectory_path", type=Path, help="the examinee's trajectory; absent means empty")
    parser.add_argument(
        "--result_path",
        "--output_path",
        type=Path,
        default=Path("result.json"),
        help="where the result is written (default: ./result.json)",
    )
    asked = parser.parse_args(arguments)

    # An earlier verdict must not pass for this one if grading fails.
    asked.result_path.unlink(missing_ok=True)
    faults.forget_faults()
    stop_watching = faults.watch_requests()
    try:
        with _opened(utils):
            result: dict[str, Any] | None = grade(utils, read_trajectory(asked.trajectory_path))
    except GradingFailed as failure:
        log.error("%s", failure, exc_info=failure.__cause__)
        result = None
    finally:
        stop_watching()
    faults.record_helpers_faults(os.environ.get("DAYJOB_HELPER_FAULTS"))
    before_writing()
    found = [dataclasses.asdict(fault) for fault in faults.faults()]
    beside = asked.result_path.with_name(asked.result_path.name + ".faults.json")
    _write(beside, {"format": 1, "faults": found, "raised": faults.raised(), "left_out": faults.left_out()})
    if result is None:
        return 1
    _write(asked.result_path, result)
    log.info("result: %s", json.dumps(result))
    return 0


@contextmanager
def _opened(utils: Path) -> Iterator[None]:
    """What an image carries under seal, open while grading."""
    if not any((utils / name).is_file() for name in ("sealed", "evaluator.py.enc")):
        yield
        return
    from dayjob.grading.seal import SealError, opened  # late: most images have no seal

    try:
        with opened(utils):
            yield
    except SealError as error:
        raise GradingFailed(str(error)) from None


def _newer_python(error: BaseException) -> str:
    """A hint for evaluators whose f-strings nest quotes, which older Pythons cannot read."""
    if not isinstance(error, SyntaxError) or "f-string" not in str(error) or sys.version_info >= (3, 12):
        return ""
    return f" (its f-strings need Python 3.12, and the grader's is {sys.version_info.major}.{sys.version_info.minor})"


def grade(utils: Path, trajectory: str) -> dict[str, Any]:
    """The evaluator's result as the documented object, or `GradingFailed`."""
    if not (utils / "evaluator.py").is_file():
        raise GradingFailed(f"there is no evaluator.py in {utils}, so there is nothing to grade with")
    standins = str(utils / "standins")
    if standins not in sys.path:
        sys.path.append(standins)
    try:
        evaluator = importlib.import_module("evaluator")
    except (Exception, SystemExit) as error:  # an evaluator may fail in any way it likes
        faults.record_fault_behind(error)
        raise GradingFailed(f"evaluator.py could not be imported: {error!r}{_newer_python(error)}") from error
    if not callable(getattr(evaluator, "grade_checkpoints", None)):
        raise GradingFailed("evaluator.py has no function grade_checkpoints")
    try:
        result = evaluator.grade_checkpoints(trajectory)
    except (Exception, SystemExit) as error:  # likewise
        faults.record_fault_behind(error)
        raise GradingFailed(f"grade_checkpoints failed: {error!r}; put what may fail under @grader") from error
    if not isinstance(result, Result):
        raise GradingFailed(f"grade_checkpoints must return a Result, not {type(result).__name__}")
    if not result.checkpoints:
        raise GradingFailed("grade_checkpoints returned a Result without checkpoints; a task has at least one")
    try:
        return result.to_dict()
    except (Exception, SystemExit) as error:  # a custom strategy may fail in any way it likes
        raise GradingFailed(f"the result cannot be scored: {error}") from error


def read_trajectory(path: Path | None) -> str:
    """The trajectory's text. What cannot be read is an empty trajectory: grading goes on without it."""
    if path is None:
        log.warning("no trajectory was given; grading with an empty one")
        return ""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        log.warning("the trajectory %s cannot be read (%s); grading with an empty one", path, error.strerror)
        return ""


def _write(path: Path, content: dict[str, Any]) -> None:
    """For the driver to read, whoever it is."""
    write_whole(path, json.dumps(content, indent=2).encode(), mode=0o644)
