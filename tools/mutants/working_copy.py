"""A copy of the project to put mutants into, with a Python of its own whose `src/` is the copy's.

Processes that tests start find the mutant too, whatever environment they are given: the copy's interpreter knows its
`src/` from a file beside it, not from a variable.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Copy:
    path: Path
    python: Path


@contextmanager
def working_copy(root: Path, folder: Path) -> Iterator[Copy]:
    """A copy under `folder` that nobody else uses meanwhile: the first free one, brought up to date, or another."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        with (folder / f"{number}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            place = folder / str(number)
            yield Copy(place, make_copy(root, place))
            return


def make_copy(root: Path, place: Path) -> Path:
    """The project's files as they are now, in `place`; only what changed is written again. Returns its interpreter."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    wanted = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for name in sorted(wanted):
        _refresh(root / name, place / name)
    for path in sorted(place.rglob("*")):
        name = str(path.relative_to(place))
        if path.is_file() and not name.startswith(".venv") and "__pycache__" not in name and name not in wanted:
            path.unlink()
    return _interpreter(root, place)


def _refresh(ours: Path, theirs: Path) -> None:
    theirs.parent.mkdir(parents=True, exist_ok=True)
    if ours.is_symlink():
        if not theirs.is_symlink():
            theirs.symlink_to(os.readlink(ours))
    elif not theirs.is_file() or theirs.read_bytes() != ours.read_bytes():
        shutil.copy2(ours, theirs)


def _interpreter(root: Path, place: Path) -> Path:
    venv = place / ".venv"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)}))
    outside = [path for path in sys.path if path.endswith("-packages") and path.startswith("/")]
    (site / "copy.pth").write_text("\n".join([str(place / "src"), *outside]) + "\n", "utf-8")
    command = venv / "bin" / "dayjob"
    command.write_text(f"#!{python}\nfrom dayjob.cli import main\nmain()\n", "utf-8")
    command.chmod(0o755)
    return python
