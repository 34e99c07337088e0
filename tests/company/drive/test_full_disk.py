"""A disk without room: 507, and everything that was there is still there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.company.world import Snapshot
from tests.company.drive.client import Client
from tests.company.serving import serve


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("needs the right to mount a small file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_507_and_loses_nothing(blank_snapshot: Snapshot, small_disk: Path) -> None:
    with serve(blank_snapshot, folder=small_disk / "company") as served:
        client = Client(served.url("drive"))
        assert client.put("/kept.bin", b"k" * 1_000_000).status_code == 201
        for content in (b"x" * 8_000_000, iter([b"x" * 1_000_000] * 8)):
            answer = client.put("/kept.bin", content)  # type: ignore[arg-type]  # an iterator is sent chunked
            assert answer.status_code == 507
            assert "InsufficientStorage" in answer.text
        client.raw("MKCOL", "/remote.php/dav/uploads/root/u")
        assert client.raw("PUT", "/remote.php/dav/uploads/root/u/0", data=b"x" * 8_000_000).status_code == 507
        assert client.raw("PUT", "/remote.php/dav/uploads/root/u/0", data=b"x" * 2_000_000).status_code == 201
        away = {"Destination": f"{client.url}/remote.php/webdav/kept.bin"}
        assert client.raw("MOVE", "/remote.php/dav/uploads/root/u/.file", headers=away).status_code == 507
        assert client.get("/kept.bin") == b"k" * 1_000_000
        assert client.raw("DELETE", "/remote.php/dav/uploads/root/u").status_code == 204
        assert client.put("/new.bin", b"n" * 1_000_000).status_code == 201
        assert not list((small_disk / "company" / "blobs").glob(".part-*"))
