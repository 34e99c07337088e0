"""What grading needs, kept: the company and the examinee's files as they were when the work ended, in one archive.

`kept.tar.gz` holds `kept.json`, `company/` (the databases that were touched, git, blobs: a company opened on it and its
snapshot goes on from there) and `frozen/` (what a grader sees of the examinee's files, with their owners). Beyond a
size it is left out, and said so.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import tarfile
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from dayjob import unpacking
from dayjob.company.company import Company
from dayjob.company.control import archive
from dayjob.sandbox.sandbox import Frozen

NAME = "kept.tar.gz"
FORMAT = 1
LARGEST = 256 * 1024 * 1024


class NotKept(Exception):
    """Work that cannot be graded again; the sentence says why."""


@dataclass(frozen=True, slots=True)
class End:
    """The moment the work ended, beyond the files."""

    snapshot: str
    now: str
    """The company's own time."""
    paths: list[str]
    trajectory: str
    """What evaluators are told of it."""
    left_running: list[int]
    """Ports of what the examinee had left running, which no archive can hold."""


async def keep(folder: Path, company: Company, frozen: Frozen, trajectory: str, ports: list[int]) -> str | None:
    """Write the archive; returns a sentence when it would be too large."""
    now = company.clock.stamp()
    end = End(company.snapshot.key, now, list(frozen.paths), trajectory, ports)
    return await asyncio.to_thread(_pack, folder / NAME, end, archive(company, company.touched), frozen.folder)


def _pack(target: Path, end: End, state: bytes, frozen: Path) -> str | None:
    size = len(state) + sum(path.lstat().st_size for path in frozen.rglob("*") if not path.is_symlink())
    if size > LARGEST:
        return f"this work cannot be graded again: its {size} bytes are more than the {LARGEST} that are kept"
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{NAME}.")
    try:
        with os.fdopen(handle, "wb") as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
            _add(tar, "kept.json", json.dumps({"format": FORMAT, **asdict(end)}).encode())
            with tarfile.open(fileobj=io.BytesIO(state)) as company:
                for entry in company:
                    content = company.extractfile(entry) if entry.isreg() else None
                    entry.name = f"company/{entry.name}"
                    tar.addfile(entry, content)
            tar.add(frozen, arcname="frozen")
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return None


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def unpack(folder: Path, into: Path) -> tuple[End, Frozen]:
    """The end of a trial's work, unpacked: `into/company` and the frozen files. Raises `NotKept`."""
    path = folder / NAME
    try:
        with tarfile.open(path) as tar:
            # Owners, modes and links are what was frozen; only a grader's room ever follows them.
            unpacking.unpack(tar, into, "fully_trusted", numeric_owner=True)
        facts = json.loads((into / "kept.json").read_text("utf-8"))
    except FileNotFoundError:
        raise NotKept("its work did not come to an end, or was too large to keep") from None
    except (tarfile.TarError, OSError, ValueError) as error:
        raise NotKept(f"{path} cannot be read: {error}") from error
    if facts.pop("format", None) != FORMAT:
        raise NotKept(f"{path} is not of format {FORMAT}; update dayjob")
    end = End(**facts)
    return end, Frozen(into / "frozen", tuple(end.paths))
