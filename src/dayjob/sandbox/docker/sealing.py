"""A task folder made ready for an image that travels: what only graders and init scripts may see goes into a seal.

Solutions, mutants, scenarios and the like stay out altogether. Every other file that ends in `/utils` or `/npc`, or is
withheld by name wherever a Dockerfile copies it, is replaced by a note in the image and sealed for its place.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from dayjob.grading.seal import NAME, seal
from dayjob.sandbox.context import SEALED_FOLDERS, WITHHELD, Context, Copy, dockerfile_copies

if TYPE_CHECKING:
    from dayjob.task.dockerfile import Dockerfile

# No step inside an image needs these.
STAY_OUT = (
    "checkpoints.md", "colleagues.yml", "scenarios.json", "solution.py", "solution.sh", "mutants", "world", "task.toml",
)  # fmt: skip
# Every image shows these: they are the instruction, and what init.sh waits for.
_OPEN = ("task.md", "dependencies.yml")
_NOTE = b"# This file is sealed; eval.py and init.sh open it with DAYJOB_SEAL_KEY.\n"
_FILE = "dayjob.sealed"


def sealed_context(folder: Path, dockerfile: Dockerfile, key: bytes, into: Path) -> list[str]:
    """Write what `docker build` is to get into a folder; returns the places of what was sealed."""
    context = Context(folder)
    copies = [
        copy
        for copy in (*context.onbuild(), *dockerfile_copies(context, dockerfile))
        if copy.source.is_file() and copy.source.relative_to(folder).parts[0] not in STAY_OUT
    ]
    in_the_open = {copy.source for copy in copies if not _is_secret(copy)}
    secret = [copy for copy in copies if _is_secret(copy) and copy.source not in in_the_open]
    _copy_without(folder, {copy.source for copy in secret}, into)
    places = {copy.target: copy.source.read_bytes() for copy in secret}
    (into / _FILE).write_bytes(seal(places, key))
    _append(into / "Dockerfile", f"COPY {_FILE} /utils/{NAME}")
    if (into / ".dockerignore").is_file():
        _append(into / ".dockerignore", f"!{_FILE}")
    return sorted(places)


def _is_secret(copy: Copy) -> bool:
    if copy.source.name in _OPEN:
        return False
    return copy.withheld or f"{copy.target}/".startswith(SEALED_FOLDERS)


def _copy_without(folder: Path, hidden: set[Path], into: Path) -> None:
    """Copy a task folder, with a note in place of each hidden file and without what no image may hold."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if relative.parts[0] in STAY_OUT or "__pycache__" in relative.parts:
            continue
        place = into / relative
        if path in hidden:
            place.write_bytes(_NOTE)
        elif path.is_dir() and not path.is_symlink():
            place.mkdir()
        elif relative.parts[0] not in WITHHELD:
            shutil.copy2(path, place, follow_symlinks=False)


def _append(path: Path, line: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
