"""File content on its way in: hashes, announced checksums, and big files that are not hashed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dayjob.company.blobs import BlobStore
from dayjob.company.drive.checksums import ContentWriter, parse_checksum
from dayjob.company.drive.errors import BadRequest


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(None, lambda: tmp_path / "blobs")


def test_small_content_is_named_by_its_hash_and_has_all_checksums(blobs: BlobStore) -> None:
    writer = ContentWriter(blobs.writer(hash_limit=10), None, 5)
    writer.write(b"hello")
    content = writer.finish()
    assert content.blob.hash == hashlib.sha256(b"hello").hexdigest()
    assert content.checksums == (
        "SHA1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d MD5:5d41402abc4b2a76b9719d911017c592 ADLER32:062c0215"
    )


def test_content_past_the_limit_is_stored_whole_under_a_name_of_its_own(blobs: BlobStore) -> None:
    found = []
    for _ in range(2):
        writer = ContentWriter(blobs.writer(hash_limit=10), None, None)
        for part in (b"hello ", b"wide ", b"world"):
            writer.write(part)
        content = writer.finish()
        assert blobs.path(content.blob.hash).read_bytes() == b"hello wide world"
        assert content.blob.size == 16
        found.append(content.blob.hash)
    assert found[0] != found[1]
    assert hashlib.sha256(b"hello wide world").hexdigest() not in found
    blobs.drop(found[0])
    with pytest.raises(FileNotFoundError):
        blobs.path(found[0])


def test_only_unhashed_blobs_can_be_dropped(blobs: BlobStore) -> None:
    blob = blobs.put(b"shared with others")
    blobs.drop(blob.hash)
    assert blobs.path(blob.hash).read_bytes() == b"shared with others"


def test_a_wrong_checksum_stores_nothing(blobs: BlobStore, tmp_path: Path) -> None:
    writer = ContentWriter(blobs.writer(), ("MD5", "0" * 32), None)
    writer.write(b"hello")
    with pytest.raises(BadRequest):
        writer.finish()
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []


@pytest.mark.parametrize(
    ("header", "found"),
    [(None, None), ("", None), ("SHA1:AB", ("SHA1", "ab")), ("md5: x ", ("MD5", "x")), ("CRC9:1", None)],
)
def test_a_checksum_header_is_read(header: str | None, found: tuple[str, str] | None) -> None:
    assert parse_checksum(header) == found


def test_a_checksum_without_a_kind_is_refused() -> None:
    with pytest.raises(BadRequest):
        parse_checksum("abcdef")
