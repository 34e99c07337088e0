"""Programs that the examinee installed, as an evaluator finds them: last on its path, and run in a workbench.

An evaluator that starts one by its name (`java -version`) gets what it prints and its exit code; the program itself
never runs in the evaluator's room. Whatever the image has of the same name comes first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dayjob.grading.stand_in import MOST_OUTPUT, NO_LIMIT, given_input, record, show
from dayjob.grading.workbench import INSTALLED, NotIsolated, Refused, Workbench

STAND_IN = "bin/installed"
"""The program that stands in for all of them, in the grading set."""

_CANNOT = 126


def names() -> list[str]:
    """The programs' names."""
    return [name for name in os.environ.get(INSTALLED, "").split(":") if name]


def put_on_path(utils: Path, folder: Path) -> list[str]:
    """Make a folder of them, the last one on this process's path; returns those that the image does not have."""
    ours = [name for name in names() if not _is_on_path(name)]
    if ours:
        folder.mkdir()
        for name in ours:
            (folder / name).symlink_to(utils / STAND_IN)
        os.environ["PATH"] = f"{os.environ['PATH']}:{folder}"
    return ours


def _is_on_path(name: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for folder in os.environ["PATH"].split(":"))


def main(arguments: Sequence[str]) -> int:
    """Run the program that we were started as, in a workbench; nothing of the evaluator's variables goes with it."""
    name, rest = os.path.basename(arguments[0]), arguments[1:]
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = "/"
    try:
        with Workbench(ports=False, installed=True) as bench:
            bench.bring_own([here, *(os.path.join(here, word) for word in rest)])
            ended = bench.execute([name, *rest], here, {}, given_input(), NO_LIMIT, most_output=MOST_OUTPUT)
    except Refused as refusal:
        print(f"{name}: {refusal}", file=sys.stderr)
        return _CANNOT
    except NotIsolated as error:
        record(name, error)
        return _CANNOT
    with ended.archive:
        return ended.code if show(name, ended) else _CANNOT
