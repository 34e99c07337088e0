"""Files by content."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.blobs import BlobStore, read_range


def test_reading_needs_no_folder(tmp_path: Path) -> None:
    def folder() -> Path:
        raise AssertionError("asked for a folder to write to")

    store = BlobStore(tmp_path, folder)
    with pytest.raises(FileNotFoundError):
        store.path("0" * 64)


def test_a_blob_is_named_by_its_content_and_stored_once(tmp_path: Path) -> None:
    store = BlobStore(None, lambda: tmp_path / "blobs")
    one, same = store.put(b"hello"), store.put(b"hello")
    assert one == same
    assert one.hash == hashlib.sha256(b"hello").hexdigest()
    assert store.path(one.hash).read_bytes() == b"hello"
    assert sum(1 for path in tmp_path.rglob("*") if path.is_file()) == 1


def test_a_discarded_writer_leaves_nothing(tmp_path: Path) -> None:
    store = BlobStore(None, lambda: tmp_path / "blobs")
    writer = store.writer()
    writer.write(b"half")
    writer.discard()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_snapshot_is_read_and_never_written(tmp_path: Path) -> None:
    pristine = BlobStore(None, lambda: tmp_path / "pristine")
    known = pristine.put(b"from the world")
    store = BlobStore(tmp_path / "pristine", lambda: tmp_path / "own")
    assert store.path(known.hash).read_bytes() == b"from the world"
    new = store.put(b"from a client")
    assert (tmp_path / "own") in store.path(new.hash).parents


@given(st.text(max_size=80))
def test_no_name_leads_out_of_the_store(name: str) -> None:
    store = BlobStore(Path("/"), lambda: Path("/"))
    with pytest.raises(FileNotFoundError):
        store.path(name)


def test_a_range_is_read_exactly(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(range(100)))

    async def read() -> bytes:
        return b"".join([chunk async for chunk in read_range(tmp_path / "file", 10, 20)])

    assert asyncio.run(read()) == bytes(range(10, 30))
