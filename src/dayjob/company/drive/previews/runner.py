"""Starts a worker for a document and remembers what it found, by the document's content."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from dayjob.company.drive.previews.limits import LARGEST, SECONDS

_WORKERS = 2
_PATIENCE = 6 * SECONDS
_REMEMBERED = 64 * 1024 * 1024
_TOO_LARGE = {"problem": f"This document is larger than {LARGEST // 1024**2} MB, the most that is shown here."}
_memory: OrderedDict[tuple[str, str], bytes] = OrderedDict()


@cache
def _pool() -> ThreadPoolExecutor:
    """At most two documents are read at a time, however many pages ask."""
    return ThreadPoolExecutor(_WORKERS, "previews")


async def read_document(kind: str, blob: str, path: Path, size: int) -> dict[str, Any]:
    """What a worker found in the document, or `{"problem": sentence}`."""
    if size > LARGEST:
        return dict(_TOO_LARGE)
    if (blob, kind) not in _memory:
        found = await asyncio.get_running_loop().run_in_executor(_pool(), _run, kind, path)
        _memory[blob, kind] = found
        while sum(map(len, _memory.values())) > _REMEMBERED:
            _memory.popitem(last=False)
    document: dict[str, Any] = json.loads(_memory.get((blob, kind), b"{}"))
    return document or {"problem": "This document is too large to be shown here."}


def document(kind: str, path: Path, size: int) -> dict[str, Any]:
    """The same, for callers without an event loop; nothing is remembered."""
    if size > LARGEST:
        return dict(_TOO_LARGE)
    found: dict[str, Any] = json.loads(_pool().submit(_run, kind, path).result())
    return found


def _run(kind: str, path: Path) -> bytes:
    command = [sys.executable, "-I", "-m", "dayjob.company.drive.previews.worker", kind]
    with (
        path.open("rb") as file,
        subprocess.Popen(
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}, cwd="/",
            start_new_session=True,
        ) as worker,
    ):  # fmt: skip
        ended = threading.Timer(_PATIENCE, worker.kill)
        ended.start()
        try:
            assert worker.stdout is not None
            found = worker.stdout.read(_REMEMBERED + 1)
            if len(found) > _REMEMBERED:
                worker.kill()
                return _problem("This document is too large to be shown here.")
            if worker.wait() == 0:
                return found
        finally:
            late = not ended.is_alive()
            ended.cancel()
    if late:
        return _problem("This document takes too long to read.")
    # A signal: the kernel ended it at one of its limits, or a library crashed on the document.
    return _problem("This document cannot be shown: reading it took too much time or memory, or it is damaged.")


def _problem(sentence: str) -> bytes:
    return json.dumps({"problem": sentence}).encode()
