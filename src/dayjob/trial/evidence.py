"""What a trial leaves behind, as plain files in one folder, each written whole: temporary name, rename.

`outcome.json` comes last, once all the others are on the disk; a folder without one is a trial that was cut short.
"""

from __future__ import annotations

import errno
import json
import os
import tarfile
import tempfile
from pathlib import Path
from typing import Any

OUTCOME = "outcome.json"
LARGEST_ARCHIVE = 64 * 1024 * 1024


class Evidence:
    """The folder of one trial."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._set_aside()
        (folder / "logs").mkdir(parents=True, exist_ok=True)

    def _set_aside(self) -> None:
        """What an earlier attempt left here is kept apart: nothing of it may pass for this one's."""
        left = [path for path in self.folder.iterdir() if path.name != "earlier"] if self.folder.is_dir() else []
        if left:
            place = next_earlier(self.folder)
            for path in left:
                path.rename(place / path.name)

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def text(self, name: str, text: str) -> None:
        write_whole(self.folder / name, text.encode("utf-8", "replace"), settled=False)

    def json(self, name: str, value: Any) -> None:
        self.text(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")

    def log(self, step: str, *parts: bytes | str) -> None:
        """The log of a step: what it printed, in order."""
        text = "".join(part.decode("utf-8", "replace") if isinstance(part, bytes) else part for part in parts)
        self.text(f"logs/{step}.log", text)

    def archive(self, name: str, folder: Path, limit: int = LARGEST_ARCHIVE) -> str | None:
        """Pack a folder; returns a sentence about what was left out because the files were too large in sum."""
        left_out, size = 0, 0
        target = self.folder / name
        with (
            tempfile.NamedTemporaryFile(dir=self.folder, prefix=f".{name}.", delete=False) as file,
            tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar,
        ):
            for path in sorted(folder.rglob("*")):
                info = path.lstat()
                if path.is_file() and not path.is_symlink():
                    if size + info.st_size > limit:
                        left_out += 1
                        continue
                    size += info.st_size
                tar.add(path, arcname=path.relative_to(folder), recursive=False, filter=_anonymous)
        os.replace(file.name, target)
        return f"{name} leaves out {left_out} files, beyond {limit} bytes" if left_out else None

    def seal(self, outcome: str) -> None:
        """Have everything on the disk, then the outcome. Blocking: for a thread."""
        for path in self.folder.iterdir():
            for file in path.iterdir() if path.name == "logs" else (path,):
                if file.is_file():
                    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
                    try:
                        os.fsync(handle)
                    finally:
                        os.close(handle)
        write_whole(self.folder / OUTCOME, outcome.encode("utf-8", "replace"))


def sentence_about(error: OSError) -> str:
    """What went wrong with which file, and what to do where that is known."""
    where = f"{error.filename}: " if error.filename else ""
    remedy = "; free some space, then: dayjob resume" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"{where}{error.strerror or error}{remedy}"


def next_earlier(folder: Path) -> Path:
    """A new numbered folder for what is about to be replaced in a trial's folder."""
    earlier = folder / "earlier"
    earlier.mkdir(exist_ok=True)
    place = earlier / str(1 + max((int(one.name) for one in earlier.iterdir()), default=0))
    place.mkdir()
    return place


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def write_whole(path: Path, content: bytes, *, settled: bool = True) -> None:
    """A reader sees the whole file or none, after a power cut too when `settled`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if settled:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
