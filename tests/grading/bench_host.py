"""The host's end of the workbench's wire, in this process: it notes what a grader asks and answers what a test says."""

from __future__ import annotations

import io
import json
import socket
import struct
import tarfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LENGTH = struct.Struct(">I")


def packed(entries: Mapping[str, bytes | str | None]) -> bytes:
    """A tar: bytes are a file's, a text is a link's target, None is a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in entries.items():
            entry = tarfile.TarInfo(name)
            entry.mode, entry.mtime = 0o644, 1_700_000_000
            if content is None:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            elif isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
            else:
                entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content) if isinstance(content, bytes) else None)
    return out.getvalue()


@dataclass
class Brought:
    """One `bring`: which paths it replaces, and the names and contents of what came."""

    replace: list[str]
    entries: dict[str, tarfile.TarInfo]
    contents: dict[str, bytes]


@dataclass
class BenchHost:
    """Answers every `run` with `ended` and `archive`, everything else with `said` (by what was asked) or a yes."""

    ended: dict[str, Any] = field(default_factory=dict)
    stdout: bytes = b""
    stderr: bytes = b""
    archive: bytes = field(default_factory=lambda: packed({}))
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    brought: list[Brought] = field(default_factory=list)
    stdin: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listener.close()

    def runs(self) -> list[dict[str, Any]]:
        return [one for one in self.asked if one.get("do") == "run"]

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with near, near.makefile("rwb") as wire:
            while head := wire.read(_LENGTH.size):
                message = json.loads(wire.read(_LENGTH.unpack(head)[0]))
                body = wire.read(message.get("size", 0))
                self.asked.append(message)
                kind = message.get("do") or ("connect" if "port" in message else "make")
                answer = self.said.get(kind, {"bench": "b1"})
                if answer == {"silent": True}:
                    return
                if kind == "bring":
                    self.brought.append(self._unpacked(message["replace"], body))
                if kind == "run":
                    self.stdin.append(body)
                    if kind not in self.said:
                        answer = self._run()
                text = json.dumps(answer).encode()
                wire.write(_LENGTH.pack(len(text)) + text)
                if "stdout" in answer:
                    wire.write(self.stdout + self.stderr + self.archive)
                wire.flush()
                if kind == "connect" and "refused" not in answer:
                    wire.write(b"hello from the port:" + wire.readline())
                    return

    def _run(self) -> dict[str, Any]:
        sizes = {"stdout": len(self.stdout), "stderr": len(self.stderr), "archive": len(self.archive)}
        return {"exit": 0, "timed_out": False, "dropped": 0, "left_out": [], **sizes, **self.ended}

    def _unpacked(self, replace: list[str], body: bytes) -> Brought:
        with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as tar:
            entries = {entry.name: entry for entry in tar}
            files = {name: tar.extractfile(entry) for name, entry in entries.items() if entry.isreg()}
            contents = {name: file.read() for name, file in files.items() if file is not None}
        return Brought(replace, entries, contents)
