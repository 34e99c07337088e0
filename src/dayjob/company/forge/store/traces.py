"""Job logs: a file while the job runs, appended to by its runner; a blob when it has ended.

Values of masked variables are blotted out as they come, the runner's own masking notwithstanding. What covers them is
as long as they are, so that runner and forge agree on how much has arrived.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.store.base import Store

LIMIT = 4 * 1024 * 1024
"""Bytes of one job's log."""
_MASK = b"[MASKED]"


def _path(store: Store, job: Job) -> Path:
    folder = store.company.own_folder("forge") / "traces"
    folder.mkdir(exist_ok=True)
    return folder / f"{job.id}.log"


def size(store: Store, job: Job) -> int:
    if job.trace is not None:
        return store.company.blobs.path(job.trace).stat().st_size
    path = _path(store, job)
    return path.stat().st_size if path.exists() else 0


def read(store: Store, job: Job, start: int = 0) -> bytes:
    """What the job has said so far, from a byte on."""
    if job.erased_at is not None:
        return b""
    path = store.company.blobs.path(job.trace) if job.trace is not None else _path(store, job)
    if not path.exists():
        return b""
    with path.open("rb") as file:
        file.seek(start)
        return file.read(LIMIT)


def append(store: Store, job: Job, data: bytes, masked: Iterable[str]) -> int:
    """Add to a running job's log; returns how long it is now. The caller has looked at the limit."""
    store.company.quota.take(len(data))
    secrets = sorted({value.encode() for value in masked if value}, key=len, reverse=True)
    overlap = len(secrets[0]) - 1 if secrets else 0
    path = _path(store, job)
    path.touch()
    with path.open("r+b") as file:
        end = file.seek(0, 2)
        begin = max(0, end - overlap)
        file.seek(begin)
        found = blotted(file.read() + data, secrets)
        file.seek(begin)
        file.write(found)
        return file.tell()


def blotted(text: bytes, secrets: Iterable[bytes]) -> bytes:
    """The text with every secret covered by a mark of the same length."""
    for secret in secrets:
        text = text.replace(secret, (_MASK + b"*" * len(secret))[: len(secret)])
    return text


def close(store: Store, job: Job) -> None:
    """The job has ended: its log is kept as a blob."""
    path = _path(store, job)
    if job.trace is not None or not path.exists():
        return
    data = path.read_bytes()
    store.company.quota.correct(-len(data))
    path.unlink()
    store.update("jobs", job.id, trace=store.company.blobs.put(data).hash)


def erase(store: Store, job: Job) -> None:
    store.update("jobs", job.id, trace=None, erased_at=store.now())
