"""Taking files and folders out of a room, whatever an examinee made of them.

No depth and no link is in the way, and who keeps writing holds it up only until its time is over.
"""

from __future__ import annotations

import errno
import os
import time

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_path(path: str, ends: float = float("inf")) -> None:
    """Take a file or a whole folder out of the room's view; the layer below keeps it for the grader.

    A path that ends with a slash is a folder to be emptied; so is every folder of the image's own where the kernel
    cannot keep the mark of a removed one in memory (see `kernel.memory_keeps_attributes`). Raises `TimeoutError` at
    `ends`, on the monotonic clock.
    """
    if path.endswith("/"):
        if os.path.isdir(path):
            _empty_and_close(os.open(path, _FOLDER & ~os.O_NOFOLLOW), ends)
    elif os.path.isdir(path) and not os.path.islink(path):
        _empty_and_close(os.open(path, _FOLDER), ends)
        _rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _empty_and_close(folder: int, ends: float) -> bool:
    try:
        return _empty(folder, ends)
    finally:
        os.close(folder)


def _empty(folder: int, ends: float) -> bool:
    """Delete everything in an open folder; returns whether empty folders have to stay in it.

    What lies deeper is moved up here first, so that depth costs nothing.
    """
    moved = 0
    stays: set[str] = set()
    while names := [name for name in os.listdir(folder) if name not in stays]:
        for name in names:
            if time.monotonic() > ends:
                raise TimeoutError("it could not be emptied in time: somebody keeps writing there")
            if _unlink(name, folder):
                continue
            removed = _rmdir(name, folder)
            if removed is None:
                stays.add(name)
            elif not removed:
                count, left = _move_up(name, folder, moved, ends)
                moved += count
                if left and not count:
                    stays.add(name)
    return bool(stays)


def _move_up(name: str, folder: int, moved: int, ends: float) -> tuple[int, int]:
    """Bring the folders within a folder up beside it, and delete its files; returns how many came up, and stay."""
    inner = os.open(name, _FOLDER, dir_fd=folder)
    count = left = 0
    try:
        for child in os.listdir(inner):
            if _unlink(child, inner):
                continue
            removed = _rmdir(child, inner)
            if removed is not False:
                left += removed is None
                continue
            try:
                os.rename(child, f".removed-{os.getpid()}-{moved + count}", src_dir_fd=inner, dst_dir_fd=folder)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                # A folder of the image's own cannot be moved in an overlay; it is no deeper than the image made it.
                if _empty_and_close(os.open(child, _FOLDER, dir_fd=inner), ends):
                    left += 1
                    continue
            count += 1
    finally:
        os.close(inner)
    return count, left


def _unlink(name: str, folder: int) -> bool:
    """Whether it was something other than a folder, and is gone."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except IsADirectoryError:
        return False
    return True


def _rmdir(name: str, folder: int | None = None) -> bool | None:
    """Whether it is gone; False when there is something in it, None when it is empty and has to stay."""
    try:
        os.rmdir(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno == errno.EIO:
            return None
        if error.errno not in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise
        return False
    return True
