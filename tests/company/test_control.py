"""The control API: health that never lies, resets that are done when they say so, evidence behind a token."""

from __future__ import annotations

import io
import sqlite3
import tarfile
from collections.abc import Iterator

import pytest
import requests

from dayjob.service_names import NAMES, WIRES
from tests.company.serving import WORLDS, Served, serve


@pytest.fixture
def served() -> Iterator[Served]:
    with serve(WORLDS / "larkspur") as found:
        yield found


def put_file(served: Served, text: str = "hello") -> None:
    answer = requests.put(
        served.url("drive") + "/remote.php/webdav/control-test.txt",
        data=text,
        auth=("larkspur", "admin-of-larkspur-drive"),
        timeout=10,
    )
    assert answer.status_code == 201


def get_file(served: Served) -> int:
    return requests.get(
        served.url("drive") + "/remote.php/webdav/control-test.txt",
        auth=("larkspur", "admin-of-larkspur-drive"),
        timeout=10,
    ).status_code


def token(served: Served) -> dict[str, str]:
    return {"X-Dayjob-Token": served.company.control_token}


@pytest.mark.parametrize("wire", [*WIRES.values(), "redis", "sotopia"])
def test_health_is_told_by_get_and_head(served: Served, wire: str) -> None:
    url = f"{served.url('control')}/api/healthcheck/{wire}"
    assert requests.get(url, timeout=10).status_code == 200
    head = requests.head(url, timeout=10)
    assert (head.status_code, head.content) == (200, b"")


def test_a_service_without_a_whole_database_is_not_healthy(served: Served) -> None:
    served.call(served.company.database("chat").close)
    url = f"{served.url('control')}/api/healthcheck/rocketchat"
    assert requests.get(url, timeout=10).status_code == 400
    assert requests.post(f"{served.url('control')}/api/reset-rocketchat", timeout=10).status_code == 202
    assert requests.get(url, timeout=10).status_code == 200


def test_a_reset_is_done_when_it_is_answered_and_leaves_the_others_alone(served: Served) -> None:
    put_file(served)
    assert requests.post(f"{served.url('control')}/api/reset-rocketchat", timeout=10).status_code == 202
    assert get_file(served) == 200
    answer = requests.post(f"{served.url('control')}/api/reset-owncloud", timeout=10)
    assert answer.status_code == 202
    assert answer.json()["message"]
    assert get_file(served) == 404


def test_everything_can_be_reset_at_once(served: Served) -> None:
    put_file(served)
    assert requests.post(f"{served.url('control')}/api/reset-all", timeout=10).status_code == 202
    assert get_file(served) == 404


def test_once_an_examinee_works_a_reset_needs_the_token(served: Served) -> None:
    served.company.phase = "work"
    url = f"{served.url('control')}/api/reset-owncloud"
    put_file(served)
    assert requests.post(url, timeout=10).status_code == 403
    assert requests.post(url, headers={"X-Dayjob-Token": "guess"}, timeout=10).status_code == 403
    assert get_file(served) == 200
    assert requests.post(url, headers=token(served), timeout=10).status_code == 202
    assert get_file(served) == 404


@pytest.mark.parametrize("what", ["journal", "changes", "snapshot", "accessed?service=chat&path=/"])
def test_evidence_is_only_for_holders_of_the_token(served: Served, what: str) -> None:
    url = f"{served.url('control')}/api/{what}"
    assert requests.get(url, timeout=10).status_code == 403
    assert requests.get(url, headers=token(served), timeout=10).status_code == 200


def test_the_journal_and_the_changes_tell_what_happened(served: Served) -> None:
    put_file(served)
    control = served.url("control")
    [row] = requests.get(f"{control}/api/journal?service=drive&method=put", headers=token(served), timeout=10).json()[
        "rows"
    ]
    assert (row["account"], row["path"], row["status"]) == ("larkspur", "/remote.php/webdav/control-test.txt", 201)
    assert row["time"].startswith("2026-03-09T09:0")
    found = requests.get(f"{control}/api/changes?service=owncloud", headers=token(served), timeout=10).json()["changes"]
    added = [one for one in found if one["op"] == "added"]
    assert any("control-test.txt" in one["words"] and one["by"] == "larkspur" for one in added)
    seen = requests.get(
        f"{control}/api/accessed?service=owncloud&path=/remote.php/webdav", headers=token(served), timeout=10
    )
    assert seen.json() == {"accessed": True, "notes": []}


def test_a_snapshot_holds_whole_databases_and_the_files_written(served: Served) -> None:
    put_file(served, "kept in the snapshot")
    answer = requests.get(f"{served.url('control')}/api/snapshot", headers=token(served), timeout=30)
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as tar:
        names = tar.getnames()
        for name in NAMES:
            image = tar.extractfile(f"{name}.db")
            assert image is not None
            db = sqlite3.connect(":memory:")
            db.deserialize(image.read())
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            db.close()
        files = [tar.extractfile(name) for name in names if name.startswith("blobs/")]
        assert b"kept in the snapshot" in [file.read() for file in files if file is not None]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/healthcheck/mail", 404),
        ("POST", "/api/reset-mail", 404),
        ("GET", "/api/reset-owncloud", 405),
        ("GET", "/", 404),
        ("GET", "/api/%ff%00", 404),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(served: Served, method: str, path: str, status: int) -> None:
    answer = requests.request(method, served.url("control") + path, timeout=10)
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


def test_a_wrong_since_is_refused(served: Served) -> None:
    for since in ("x", "-1", "9" * 400 + "x", "²"):
        answer = requests.get(
            f"{served.url('control')}/api/journal", params={"since": since}, headers=token(served), timeout=10
        )
        assert answer.status_code == 400
