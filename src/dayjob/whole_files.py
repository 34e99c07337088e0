"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_OURS = 0o600


def write_whole(path: Path, content: bytes, *, settled: bool = True, mode: int = _OURS) -> None:
    """A reader sees the whole file or none, after a power cut too when `settled`.

    Only its user may read it, unless `mode` says otherwise.
    """
    temporary = f"{path.parent}/.{path.name}.{os.urandom(4).hex()}"
    try:
        handle = os.open(temporary, _NEW, _OURS)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, _NEW, _OURS)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            if mode != _OURS:
                os.fchmod(handle, mode)
            if settled:
                file.flush()
                os.fsync(handle)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
