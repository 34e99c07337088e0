"""The other side of a tree's stream: writes it below a folder, on the host or in a room.

Whoever wrote the stream saw what an examinee left, so every name is checked, nothing is written through a link, and a
second name is given only to a file that this very stream has brought.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from dayjob.sandbox.tree import CHUNK, LeftOut, TreeError

# A name, size or number of links that this file system does not take, or a thing in the way.
NOT_HERE = (
    errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EILSEQ, errno.EINVAL,
    errno.EFBIG, errno.EMLINK, errno.ENOTEMPTY,
)  # fmt: skip

Owner = Callable[[int, int], tuple[int, int]]
Link = Callable[[str, str], str]


@dataclass(slots=True)
class Received:
    """What came of a stream, beyond the files."""

    left_out: LeftOut = field(default_factory=LeftOut)
    new_folders: list[str] = field(default_factory=list)
    """Folders that hide whatever the image has in their place."""
    gone: list[tuple[str, int]] = field(default_factory=list)
    """Names where there is nothing, whatever the image has there, and since when."""


def receive(
    source: BinaryIO, folder: str, *, owner: Owner | None = None, link: Link | None = None, strict: bool = False
) -> Received:
    """Write a stream below `folder`. What cannot be written there is left out, or an error when `strict`.

    `owner` gives the uid and gid an entry gets here (absent: whoever runs this); `link` may replace a symbolic link's
    target. Names that would leave the folder are refused.
    """
    return _Receiver(source, folder, owner, link, strict).all()


class _Receiver:
    def __init__(self, source: BinaryIO, folder: str, owner: Owner | None, link: Link | None, strict: bool) -> None:
        self.source = source
        self.folder = folder
        self.owner = owner
        self.link = link
        self.strict = strict
        self.found = Received()
        os.makedirs(folder, exist_ok=True)
        self._sound = {folder}
        """Folders that are no links, as far as this stream goes."""
        self._written: dict[str, tuple[int, int]] = {}
        self._folders: list[tuple[str, int, int]] = []

    def all(self) -> Received:
        while not (facts := self._frame()).get("end"):
            name = facts["name"]
            if name.startswith("/") or ".." in name.split("/"):
                raise TreeError(f"'{name}' would leave the folder")
            path = os.path.join(self.folder, name) if name else self.folder
            brought = _Content(self.source, facts.get("parts", ()))
            try:
                self._entry(facts, path, brought)
            except OSError as error:
                if self.strict or error.errno not in NOT_HERE:
                    raise
                self.found.left_out.add(name, os.strerror(error.errno))
            brought.skip_rest()
        for path, mode, changed in reversed(self._folders):
            os.chmod(path, mode)
            set_time(path, changed)
        self.found.left_out.add_all(facts["left_out"], facts.get("more", 0))
        return self.found

    def _frame(self) -> dict[str, Any]:
        line = self.source.readline()
        if not line.endswith(b"\n"):
            raise TreeError("the stream ended early")
        facts: dict[str, Any] = json.loads(line)
        if facts.get("error"):
            raise TreeError(facts["error"])
        return facts

    def _entry(self, facts: dict[str, Any], path: str, brought: _Content) -> None:
        self._have(os.path.dirname(path))
        match facts["kind"]:
            case "folder":
                self._folder(facts, path)
            case "link":
                remove(path)
                os.symlink(self.link(facts["name"], facts["target"]) if self.link else facts["target"], path)
                self._give(facts, path)
            case "same":
                self._same(facts, path)
            case "gone":
                self.found.gone.append((facts["name"], facts["time"]))
            case _:
                self._file(facts, path, brought)

    def _have(self, parent: str) -> None:
        """The folder an entry goes to, with no link on the way that this stream could have brought."""
        if parent in self._sound or len(parent) < len(self.folder):
            return
        self._have(os.path.dirname(parent))
        if os.path.islink(parent):
            raise NotADirectoryError(errno.ENOTDIR, "a link is in the way", parent)
        os.makedirs(parent, exist_ok=True)
        self._sound.add(parent)

    def _folder(self, facts: dict[str, Any], path: str) -> None:
        if os.path.islink(path) or not os.path.isdir(path):
            remove(path)
            os.mkdir(path, 0o700)
        self._give(facts, path)
        self._sound.add(path)
        self._folders.append((path, facts["mode"], facts["time"]))
        if facts.get("new"):
            self.found.new_folders.append(facts["name"])

    def _file(self, facts: dict[str, Any], path: str, brought: _Content) -> None:
        remove(path)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(file, facts["size"])
            brought.write_to(file)
            info = os.fstat(file)
        except OSError:
            remove(path)
            raise
        finally:
            os.close(file)
        self._give(facts, path)
        os.chmod(path, facts["mode"])
        set_time(path, facts["time"])
        self._written[facts["name"]] = (info.st_dev, info.st_ino)

    def _same(self, facts: dict[str, Any], path: str) -> None:
        first = os.path.join(self.folder, facts["as"])
        known = self._written.get(facts["as"])
        if known is None:
            self.found.left_out.add(facts["name"], "its first name was left out")
            return
        info = os.lstat(first)
        if (info.st_dev, info.st_ino) != known:
            raise TreeError(f"'{facts['as']}' is not the file that was written")
        remove(path)
        os.link(first, path, follow_symlinks=False)

    def _give(self, facts: dict[str, Any], path: str) -> None:
        if self.owner is not None:
            uid, gid = self.owner(facts["uid"], facts["gid"])
            os.chown(path, uid, gid, follow_symlinks=False)


class _Content:
    """The bytes that follow a frame; they are read to their end, written or not."""

    def __init__(self, source: BinaryIO, parts: Any) -> None:
        self.source = source
        self.parts = [(int(start), int(length)) for start, length in parts]

    def write_to(self, file: int) -> None:
        while self.parts:
            data = self._next()
            view, start = memoryview(data), self.parts[0][0]
            self._advance(len(data))
            while view:
                done = os.pwrite(file, view, start)
                view, start = view[done:], start + done

    def skip_rest(self) -> None:
        while self.parts:
            self._advance(len(self._next()))

    def _next(self) -> bytes:
        data = self.source.read(min(self.parts[0][1], CHUNK))
        if not data:
            raise TreeError("the stream ended early")
        return data

    def _advance(self, size: int) -> None:
        start, length = self.parts.pop(0)
        if length > size:
            self.parts.insert(0, (start + size, length - size))


def set_time(path: str, changed: int) -> None:
    with contextlib.suppress(OSError, OverflowError):  # a time that this file system cannot say
        os.utime(path, ns=(changed, changed), follow_symlinks=False)


def remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
