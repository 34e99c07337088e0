"""One limit for what a company stores, and each service's own way of saying that it is reached."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from starlette.formparsers import MultiPartParser

from dayjob.company.blobs import BlobStore
from dayjob.company.quota import OutOfSpace, Quota, folder_size
from dayjob.company.world import Snapshot
from tests.company.drive.client import Client
from tests.company.serving import WORLDS, Served, serve, snapshot_of

LIMIT = 400_000
ROOT = {"PRIVATE-TOKEN": "root-token"}


@pytest.fixture(scope="module")
def blank() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


@pytest.fixture
def small(blank: Snapshot) -> Iterator[Served]:
    """A company that may store 400 KB."""
    with serve(blank, quota=LIMIT) as found:
        yield found


def stored(served: Served) -> int:
    return folder_size(served.company.folder)


def test_a_limit_is_kept_by_many_writers_at_once(tmp_path: Path) -> None:
    quota = Quota(100_000)
    blobs = BlobStore(None, lambda: tmp_path, quota)
    refused = []

    def write(number: int) -> None:
        try:
            blobs.put(bytes([number]) * 10_000)
        except OutOfSpace:
            refused.append(number)

    threads = [threading.Thread(target=write, args=(one,)) for one in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 20
    assert quota.left == 0
    assert folder_size(tmp_path) == 100_000


def test_the_same_content_counts_once_and_what_is_discarded_not_at_all(tmp_path: Path) -> None:
    quota = Quota(150)
    blobs = BlobStore(None, lambda: tmp_path, quota)
    for _ in range(5):
        blobs.put(b"x" * 60)
    assert quota.used == 60
    writer = blobs.writer()
    writer.write(b"y" * 40)
    writer.discard()
    writer.discard()
    assert quota.used == 60


def test_without_a_limit_nothing_is_refused() -> None:
    quota = Quota()
    quota.take(10**15)
    assert quota.left is None
    assert quota.room(7) == 7


def test_drive_says_507_and_how_much_is_left(small: Served) -> None:
    root = Client(small.url("drive"))
    assert root.put("/a.bin", b"a" * 300_000).status_code == 201
    assert root.put("/b.bin", b"b" * 200_000).status_code == 507
    assert root.put("/b.bin", b"b" * 50_000).status_code == 201
    body = b'<d:propfind xmlns:d="DAV:"><d:prop><d:quota-available-bytes/></d:prop></d:propfind>'
    url = f"{small.url('drive')}/remote.php/webdav/"
    answer = requests.request(
        "PROPFIND", url, data=body, auth=("root", "blank-root-pass"), headers={"depth": "0"}, timeout=30
    )
    assert f"<d:quota-available-bytes>{LIMIT - 350_000}<" in answer.text
    told = requests.get(
        f"{small.url('drive')}/ocs/v1.php/cloud/users/root?format=json", auth=("root", "blank-root-pass"), timeout=30,
        headers={"OCS-APIRequest": "true"},
    ).json()["ocs"]["data"]["quota"]  # fmt: skip
    assert told["free"] == LIMIT - 350_000
    assert told["total"] == told["used"] + told["free"]
    assert stored(small) <= LIMIT


def test_drive_counts_pieces_of_an_upload_and_gives_back_what_is_dropped(small: Served) -> None:
    url, auth = f"{small.url('drive')}/remote.php/dav/uploads/root/one", ("root", "blank-root-pass")
    assert requests.request("MKCOL", url, auth=auth, timeout=30).status_code == 201
    assert requests.put(f"{url}/1", data=b"a" * 250_000, auth=auth, timeout=30).status_code == 201
    assert requests.put(f"{url}/2", data=b"a" * 250_000, auth=auth, timeout=30).status_code == 507
    assert requests.put(f"{url}/1", data=b"a" * 100_000, auth=auth, timeout=30).status_code == 204
    assert small.company.quota.used == 100_000
    assert requests.delete(url, auth=auth, timeout=30).status_code == 204
    assert small.company.quota.used == 0


def test_forge_refuses_uploads_and_commits_in_its_own_words(small: Served) -> None:
    base = f"{small.url('forge')}/api/v4"
    project = requests.post(f"{base}/projects", json={"name": "p"}, headers=ROOT, timeout=30).json()["id"]
    files = {"file": ("a.bin", b"a" * 300_000)}
    assert requests.post(f"{base}/projects/{project}/uploads", files=files, headers=ROOT, timeout=30).status_code == 201
    files = {"file": ("b.bin", b"b" * 300_000)}
    answer = requests.post(f"{base}/projects/{project}/uploads", files=files, headers=ROOT, timeout=30)
    assert (answer.status_code, answer.json()["message"][:3]) == (413, "413")
    facts = {"branch": "main", "commit_message": "m", "content": "c" * 300_000}
    answer = requests.post(f"{base}/projects/{project}/repository/files/c", json=facts, headers=ROOT, timeout=30)
    assert answer.status_code == 400
    assert "no storage left" in answer.json()["message"]


def test_a_push_that_does_not_fit_is_refused_with_a_reason_and_leaves_nothing(small: Served, tmp_path: Path) -> None:
    base = f"{small.url('forge')}/api/v4"
    requests.post(f"{base}/projects", json={"name": "p"}, headers=ROOT, timeout=30)
    address = small.url("forge").replace("http://", "http://root:root-token@") + "/root/p.git"

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, capture_output=True, text=True,
            timeout=60, check=False, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_TERMINAL_PROMPT": "0"},
        )  # fmt: skip

    git("init", "-q", "-b", "main")
    (tmp_path / "small.bin").write_bytes(os.urandom(100_000))
    git("add", "small.bin")
    git("commit", "-qm", "one")
    assert git("push", address, "main").returncode == 0
    used = small.company.quota.used
    assert 100_000 < used < 120_000
    (tmp_path / "large.bin").write_bytes(os.urandom(600_000))
    git("add", "large.bin")
    git("commit", "-qm", "two")
    done = git("push", address, "main")
    assert done.returncode != 0
    assert "bytes of storage that are left" in done.stderr
    assert small.company.quota.used == used
    assert stored(small) < LIMIT


def test_a_reset_gives_the_room_back(small: Served) -> None:
    base = f"{small.url('forge')}/api/v4"
    project = requests.post(f"{base}/projects", json={"name": "p"}, headers=ROOT, timeout=30).json()["id"]
    facts = {"branch": "main", "commit_message": "m", "content": "c" * 100_000}
    requests.post(f"{base}/projects/{project}/repository/files/c", json=facts, headers=ROOT, timeout=30)
    assert small.company.quota.used > 100_000
    small.call(small.company.reset, "forge")
    assert small.company.quota.used == 0


def test_chat_refuses_a_file_that_does_not_fit(blank: Snapshot) -> None:
    with serve(blank, quota=10) as full:
        chat = full.url("chat") + "/api/v1"
        facts = {"username": "ada", "name": "Ada", "email": "ada@blank.test", "pass": "correct-horse-battery"}
        requests.post(f"{chat}/users.register", json=facts, timeout=30)
        me = requests.post(f"{chat}/login", json={"user": "ada", "password": facts["pass"]}, timeout=30).json()["data"]
        headers = {"X-Auth-Token": me["authToken"], "X-User-Id": me["userId"]}
        room = requests.get(f"{chat}/channels.list", headers=headers, timeout=30).json()["channels"][0]["_id"]
        files = {"file": ("a.txt", b"a" * 1000)}
        answer = requests.post(f"{chat}/rooms.upload/{room}", files=files, headers=headers, timeout=30)
        assert (answer.status_code, answer.json()["errorType"]) == (400, "error-file-upload-failed")


def test_nothing_is_spooled_outside_the_companys_folder(
    small: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = tmp_path / "nowhere"
    _ = small.company.folder
    monkeypatch.setattr(tempfile, "tempdir", str(nowhere))
    files = {"files": ("a.bin", b"a" * 200_000)}
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1000)
    answer = requests.post(
        f"{small.url('drive')}/index.php/apps/files/upload", files=files, data={"dir": "/"}, timeout=30,
        auth=("root", "blank-root-pass"), allow_redirects=False,
    )  # fmt: skip
    assert answer.status_code == 303
    assert small.company.quota.used == 200_000
