"""A private, writable copy of an SQLite image, in memory and in about half a millisecond whatever the image's size.

`clone(image)` maps the file copy-on-write and hands the mapping to SQLite, so a copy costs only the pages it
changes. That needs the connection's C pointer; where the running Python does not give it safely, the stock
`deserialize` does the same job with a real copy. `open_file(path)` is for state that people keep.
"""

from __future__ import annotations

import ctypes
import functools
import io
import mmap
import os
import platform
import sqlite3
import sys
from pathlib import Path
from typing import Any

# A mapped database cannot be enlarged in place, so address space (not memory) is reserved for it to grow into.
GROWTH = 512 * 1024 * 1024

_MAP_FIXED = 0x10
_MAP_NORESERVE = 0x4000
_PROT = mmap.PROT_READ | mmap.PROT_WRITE
_MAP_FAILED = ctypes.c_void_p(-1).value


class Database(sqlite3.Connection):
    """A connection that owns the mapping its pages live in, and gives it back on close."""

    mapping: tuple[int, int] | None = None

    def image(self) -> Image:
        """The whole database as a file to read from; nothing may be written meanwhile."""
        if self.mapping is None:
            return Image(self.serialize())
        pages, size = (self.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size"))
        return Image((ctypes.c_char * (pages * size)).from_address(self.mapping[0]))

    def close(self) -> None:
        super().close()
        if self.mapping is not None:
            mapping, self.mapping = self.mapping, None
            _native().munmap(*mapping)

    def __del__(self) -> None:
        self.close()


class Image(io.RawIOBase):
    """A database's bytes, read where they are: no second copy of it is made."""

    def __init__(self, content: ctypes.Array[ctypes.c_char] | bytes) -> None:
        self._content = memoryview(content).cast("B")
        self.size = len(self._content)
        self._at = 0

    def readable(self) -> bool:
        return True

    def read(self, length: int = -1) -> bytes:
        end = self.size if length < 0 else min(self.size, self._at + length)
        found = bytes(self._content[self._at : end])
        self._at = end
        return found


def _function(found: Any, gives: Any, *takes: Any) -> Any:
    """A function of a C library with its types."""
    found.argtypes, found.restype = takes, gives
    return found


class _Native:
    """The few C functions needed, found in the very library the sqlite3 module uses."""

    def __init__(self) -> None:
        import _sqlite3

        library = ctypes.CDLL(_sqlite3.__file__)
        libc = ctypes.CDLL(None, use_errno=True)
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
        long, size = ctypes.c_int64, ctypes.c_size_t
        self.deserialize = _function(
            library.sqlite3_deserialize, number, pointer, text, pointer, long, long, ctypes.c_uint
        )
        self.db_readonly = _function(library.sqlite3_db_readonly, number, pointer, text)
        self._mmap = _function(libc.mmap, pointer, pointer, size, number, number, number, long)
        self._munmap = _function(libc.munmap, number, pointer, size)

    def mmap(self, address: int | None, length: int, flags: int, fd: int) -> int:
        found = self._mmap(address, length, _PROT, flags, fd, 0)
        if found is None or found == _MAP_FAILED:
            raise OSError(ctypes.get_errno(), "mmap refused")
        return int(found)

    def munmap(self, address: int, length: int) -> None:
        self._munmap(address, length)


@functools.cache
def _native() -> _Native:
    return _Native()


@functools.cache
def can_map() -> bool:
    """Whether this interpreter lays a connection out as known here, so that its C pointer may be used."""
    if platform.python_implementation() != "CPython" or sys.platform != "linux":
        return False
    # Known layouts: the sqlite3 pointer directly follows the object's header.
    if not (3, 11) <= sys.version_info[:2] <= (3, 14) or hasattr(sys, "gettotalrefcount"):
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    try:
        native = _native()
    except (ImportError, OSError, AttributeError):
        return False
    probe = sqlite3.connect(":memory:")
    # The pointer is right if SQLite recognises the connection's own main schema and denies an unknown one.
    pointer = _pointer(probe)
    known: bool = native.db_readonly(pointer, b"main") == 0 and native.db_readonly(pointer, b"no such schema") == -1
    probe.close()
    return known


def _pointer(connection: sqlite3.Connection) -> int:
    value = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__).value
    assert value is not None
    return value


def clone(image: Path) -> Database:
    """A private writable in-memory copy of the database file `image`."""
    connection = _connect(":memory:")
    if not (can_map() and _map(connection, image)):
        connection.deserialize(image.read_bytes())
    _tune(connection)
    return connection


def _map(connection: Database, image: Path) -> bool:
    native = _native()
    fd = os.open(image, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        reserved = (size + GROWTH + mmap.PAGESIZE - 1) & ~(mmap.PAGESIZE - 1)
        try:
            base = native.mmap(None, reserved, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE, -1)
        except OSError:  # address space is limited (ulimit -v): the stock call needs none in advance
            return False
        native.mmap(base, size, mmap.MAP_PRIVATE | _MAP_FIXED | _MAP_NORESERVE, fd)
    finally:
        os.close(fd)
    if native.deserialize(_pointer(connection), b"main", base, size, reserved, 0) != sqlite3.SQLITE_OK:
        native.munmap(base, reserved)
        return False
    connection.mapping = (base, reserved)
    return True


def open_file(path: Path) -> Database:
    """The database file itself, write-ahead logged."""
    connection = _connect(str(path))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    _tune(connection)
    return connection


def _connect(where: str) -> Database:
    return sqlite3.connect(
        where, isolation_level=None, check_same_thread=False, cached_statements=512, factory=Database
    )


def _tune(connection: Database) -> None:
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute("PRAGMA cache_size=-1024")
