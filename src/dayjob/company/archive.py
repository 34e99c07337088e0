"""A company as a tar: its databases, the files it has written, and the name of the snapshot it began from.

It is written as a stream, a piece at a time, so that its size costs no memory.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from dayjob.company.company import Company
from dayjob.service_names import NAMES


def write_archive(
    company: Company, out: BinaryIO, services: Iterable[str] = NAMES, more: Mapping[str, bytes] | None = None
) -> None:
    """`<service>.db` for each of these, `blobs/` and `own/` as written, `snapshot.json` naming the start; `more`."""
    with tarfile.open(fileobj=out, mode="w|") as tar:
        _add(tar, "snapshot.json", json.dumps({"format": 1, "snapshot": company.snapshot.key}).encode())
        for name in services:
            image = company.database(name).image()
            entry = tarfile.TarInfo(f"{name}.db")
            entry.size = image.size
            tar.addfile(entry, image)
        for part in ("blobs", "own"):
            if (folder := company.folder / part).is_dir():
                tar.add(folder, arcname=part, filter=_only_files)
        for name, content in (more or {}).items():
            _add(tar, name, content)


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _only_files(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return entry if entry.isreg() or entry.isdir() else None
