"""What a trial leaves behind, as plain files in one folder, each written whole: temporary name, rename.

`outcome.json` comes last, once all the others are on the disk; a folder without one is a trial that was cut short.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tarfile
import tempfile
import time
from collections.abc import Container, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.whole_files import write_whole

OUTCOME = "outcome.json"
LARGEST_ARCHIVE = 64 * 1024 * 1024
MOST_ARCHIVED = 50_000
ARCHIVE_SECONDS = 60.0


class Evidence:
    """The folder of one trial."""

    def __init__(self, folder: Path, stays: Container[str] = ()) -> None:
        """`stays` are names of what an earlier attempt left here that is to stay where it is."""
        self.folder = folder
        self._set_aside(stays)
        owned.private(folder)
        (folder / "logs").mkdir(mode=0o700, exist_ok=True)

    def _set_aside(self, stays: Container[str]) -> None:
        """What an earlier attempt left here is kept apart: nothing of it may pass for this one's."""
        there = self.folder.iterdir() if self.folder.is_dir() else ()
        left = [path for path in there if path.name != "earlier" and path.name not in stays]
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

    def archive(
        self,
        name: str,
        folder: Path,
        limit: int = LARGEST_ARCHIVE,
        *,
        entries: int = MOST_ARCHIVED,
        seconds: float = ARCHIVE_SECONDS,
    ) -> str | None:
        """Pack the folders, files and links of a folder; returns a sentence about what was left out.

        No more than `limit` bytes of files and `entries` in all go in, and nothing after `seconds`.
        """
        packing = _Packing(limit, entries, time.monotonic() + seconds)
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=f".{name}.")
        try:
            with (
                os.fdopen(handle, "wb") as file,
                tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar,
            ):
                packing.pack(tar, folder)
            os.replace(temporary, self.folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return f"{name} leaves out {'; '.join(packing.left_out)}" if packing.left_out else None

    def seal(self, outcome: str) -> None:
        """Have everything on the disk, then the outcome. Blocking: for a thread."""
        with ExitStack() as stack:
            handles = []
            for path in self.folder.iterdir():
                for file in path.iterdir() if path.name == "logs" else (path,):
                    if file.is_file():
                        handles.append(os.open(file, os.O_RDONLY | os.O_CLOEXEC))
                        stack.callback(os.close, handles[-1])
            for handle in handles:
                os.fchmod(handle, 0o600)
                if hasattr(os, "posix_fadvise"):  # macOS has none
                    # Begins to write and waits for nothing: then one commit of the file system does for all of them.
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            for handle in handles:
                os.fsync(handle)
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


def left_out_note(names: Sequence[str]) -> list[str]:
    """A note about what of the examinee's files could not be frozen, if anything."""
    if not names:
        return []
    shown = ", ".join(f"/{name}" for name in names[:10])
    rest = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return [f"left out of what the grader sees: {shown}{rest}"]


class _Packing:
    """One archive being written, entry by entry, within its bounds."""

    def __init__(self, limit: int, entries: int, ends: float) -> None:
        self.limit = limit
        self.entries = entries
        self.ends = ends
        self.size = 0
        self.count = 0
        self.too_large = 0
        self.stopped = ""
        self._first_names: set[tuple[int, int]] = set()

    @property
    def left_out(self) -> list[str]:
        large = [f"{self.too_large} files, beyond {self.limit} bytes"] if self.too_large else []
        return large + ([self.stopped] if self.stopped else [])

    def pack(self, tar: tarfile.TarFile, folder: Path) -> None:
        for path, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted((*files, *folders)):
                if self._is_over():
                    return
                place = os.path.join(path, name)
                self._add(tar, place, os.path.relpath(place, folder))

    def _is_over(self) -> bool:
        if self.count >= self.entries:
            self.stopped = f"everything after the first {self.entries} entries"
        elif time.monotonic() > self.ends:
            self.stopped = f"everything after its first {self.count} entries, for which the time was up"
        self.count += 1
        return bool(self.stopped)

    def _add(self, tar: tarfile.TarFile, place: str, name: str) -> None:
        info = os.lstat(place)
        if stat.S_ISREG(info.st_mode):
            known = (info.st_dev, info.st_ino)
            if known not in self._first_names:
                if self.size + info.st_size > self.limit:
                    self.too_large += 1
                    return
                self.size += info.st_size
                self._first_names.add(known)
        elif not stat.S_ISDIR(info.st_mode) and not stat.S_ISLNK(info.st_mode):
            return  # a mark for something that is gone
        tar.add(place, arcname=name, recursive=False, filter=_anonymous)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
