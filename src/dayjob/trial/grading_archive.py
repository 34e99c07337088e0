"""What grading needs, kept: the company and the examinee's files as they were when the work ended, in one archive.

`kept.tar.gz` holds `kept.json`, `company/` (the databases that were touched, git, blobs: a company opened on it and
its snapshot goes on from there) and `frozen/` (the examinee's files as graders and workbenches see them, with their
owners). Beyond a size it is left out, and said so."""

from __future__ import annotations

import asyncio
import io
import json
import os
import tarfile
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from dayjob import unpacking
from dayjob.sandbox.sandbox import Frozen
from dayjob.trial.company_process import TrialCompany

NAME = "kept.tar.gz"
FORMAT = 2
READABLE = (1, FORMAT)
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
    system: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """What was changed of the system: see `Frozen`."""


async def keep(folder: Path, company: TrialCompany, frozen: Frozen, trajectory: str, ports: list[int]) -> str | None:
    """Write the archive; returns a sentence when it would be too large."""
    end = End(
        company.snapshot.key, await company.now(), list(frozen.paths), trajectory, ports, list(frozen.system),
        list(frozen.gone),
    )  # fmt: skip
    reading, writing = os.pipe()
    packing = asyncio.create_task(asyncio.to_thread(_pack, folder / NAME, end, reading, frozen.folder))
    try:
        await company.pack(writing)
    finally:
        os.close(writing)
        await asyncio.wait({packing})
    return packing.result()


class _TooLarge(Exception):
    """There is more than is kept."""


def _pack(target: Path, end: End, state: int, frozen: Path) -> str | None:
    """Pack what comes over the pipe `state` (a tar of the company) and the frozen files."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{NAME}.")
    try:
        too_large = _size(frozen) > LARGEST  # known before any of it is packed
        with (
            open(state, "rb") as stream,
            os.fdopen(handle, "wb") as file,
            tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar,
        ):
            _add(tar, "kept.json", json.dumps({"format": FORMAT, **asdict(end)}).encode())
            left = _add_company(tar, stream, 0 if too_large else LARGEST)
            _add_frozen(tar, frozen, left)
        os.replace(temporary, target)
    except _TooLarge:
        Path(temporary).unlink()
        return f"this work cannot be graded again: it is more than the {LARGEST} bytes that are kept"
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return None


def _add_company(tar: tarfile.TarFile, stream: BinaryIO, left: int) -> int:
    """Add the company's files as they come; returns how many bytes may still be added.

    They come from the company's process: only plain files and folders with plain names are taken from it.
    """
    with tarfile.open(fileobj=stream, mode="r|") as company:
        for entry in company:
            parts = entry.name.split("/")
            if not (entry.isreg() or entry.isdir()) or "" in parts or ".." in parts:
                raise tarfile.TarError(f"the company's archive holds '{entry.name}'")
            left -= entry.size + tarfile.BLOCKSIZE
            if left < 0:
                raise _TooLarge
            fresh = tarfile.TarInfo(f"company/{entry.name}")
            fresh.size, fresh.type = entry.size, entry.type
            fresh.mode = 0o700 if entry.isdir() else 0o600 | entry.mode & 0o100
            tar.addfile(fresh, company.extractfile(entry) if entry.isreg() else None)
    return left


def _size(folder: Path) -> int:
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


def _add_frozen(tar: tarfile.TarFile, frozen: Path, left: int) -> None:
    def counted(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        nonlocal left
        left -= entry.size + tarfile.BLOCKSIZE
        if left < 0:
            raise _TooLarge
        return entry

    tar.add(frozen, arcname="frozen", filter=counted)


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
    if facts.pop("format", None) not in READABLE:
        raise NotKept(f"{path} is not of format {FORMAT}; update dayjob")
    end = End(**facts)
    return end, Frozen(into / "frozen", tuple(end.paths), system=tuple(end.system), gone=tuple(end.gone))
