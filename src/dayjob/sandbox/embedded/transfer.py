"""The host's ends of a tree stream: send bytes, a file or a folder; receive into a folder. Blocking: for threads."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import IO, Any

from dayjob.sandbox import tree
from dayjob.sandbox.receiving import Link, Owner, Received, receive


def send_to(out: int, content: bytes | Path, name: str, mode: int) -> None:
    """Write a stream with one tree called `name`, and close it."""
    try:
        if isinstance(content, bytes):
            tree.send_content(out, content, name, mode)
        else:
            tree.send(out, [(str(content), name)])
    except tree.Gone:
        pass  # the other side gave up, and its answer says why
    finally:
        os.close(out)


# The latest time a file can be given; an archive may say anything.
_LATEST = 2**33


def send_archive(out: int, archive: IO[bytes]) -> None:
    """Write the folders, files and links of a tar as a stream, and close it."""
    try:
        sender = tree.Sender(out)
        with tarfile.open(fileobj=archive, mode="r|") as tar:
            for entry in tar:
                _send_entry(sender, tar, entry)
        sender.end()
    except tree.Gone:
        pass  # the other side gave up, and its answer says why
    except (tarfile.TarError, ValueError, EOFError) as error:
        os.write(out, json.dumps({"error": f"the archive cannot be read: {error}"}).encode() + b"\n")
    finally:
        os.close(out)


def _send_entry(sender: tree.Sender, tar: tarfile.TarFile, entry: tarfile.TarInfo) -> None:
    name = entry.name.strip("/")
    if not name or ".." in name.split("/") or tree.is_too_deep(name):
        return
    changed = int(min(max(entry.mtime, 0), _LATEST)) * 10**9
    facts: dict[str, Any] = {"name": name, "mode": entry.mode & 0o7777, "uid": 0, "gid": 0, "time": changed}
    if entry.isdir():
        sender.frame({**facts, "kind": "folder"})
    elif entry.issym():
        sender.frame({**facts, "kind": "link", "target": entry.linkname})
    elif entry.isreg() and entry.sparse is None and (content := tar.extractfile(entry)) is not None:
        parts = [(0, entry.size)] if entry.size else []
        sender.frame({**facts, "kind": "file", "size": entry.size, "parts": parts})
        while part := content.read(tree.CHUNK):
            sender.write(part)


def receive_from(source: int, into: Path, owner: Owner | None, link: Link | None) -> Received:
    """Write the stream below `into`, making parents as needed."""
    with open(source, "rb") as stream:
        return receive(stream, str(into), owner=owner, link=link)


def last_frame(file: Path) -> dict[str, Any]:
    """What a stream in a file ends with; nothing where that is no frame."""
    with file.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - tree.CHUNK))
        last = stream.read().rstrip(b"\n").rpartition(b"\n")[2]
    try:
        found = json.loads(last)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
