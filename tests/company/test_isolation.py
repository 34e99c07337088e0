"""Two companies in one process share nothing writable: whatever happens to one, the other stays as it was."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayjob.company.company import Company
from dayjob.company.world import Snapshot
from dayjob.service_names import NAMES
from tests.company.serving import WORLDS, Served, serve, snapshot_of

DRIVE = ("sam.reed", "sam-reed-first-day")

operations = st.one_of(
    st.tuples(st.just("post"), st.sampled_from(["#general", "#launch", "@mara.lindqvist"]), st.text(max_size=40)),
    st.tuples(st.just("put"), st.sampled_from(["a.txt", "b.txt", "c/d.txt"]), st.text(max_size=40)),
    st.tuples(st.just("delete"), st.sampled_from(["a.txt", "b.txt", "c"]), st.just("")),
    st.tuples(st.just("folder"), st.sampled_from(["c", "c/e"]), st.just("")),
    st.tuples(st.just("topic"), st.sampled_from(["general", "launch"]), st.text(max_size=20)),
    st.tuples(st.just("reset"), st.sampled_from(["rocketchat", "owncloud"]), st.just("")),
)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


def fingerprint(company: Company) -> dict[str, str]:
    """Every byte a company holds: databases, files, journal."""
    found = {name: hashlib.sha256(company.image(name)).hexdigest() for name in NAMES}
    for path in sorted(company.folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(company.folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    found["journal"] = str(len(company.journal.requests()))
    return found


def tree(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Client:
    """Does to one company what an examinee could do."""

    def __init__(self, served: Served) -> None:
        self.chat = served.url("chat") + "/api/v1"
        self.drive = served.url("drive") + "/remote.php/webdav"
        self.control = served.url("control")
        self.http = requests.Session()
        self.done = 0
        self.accepted = 0
        self.sign_in()

    def sign_in(self) -> None:
        answer = self.http.post(
            f"{self.chat}/login", json={"user": "larkspur.admin", "password": "admin-of-larkspur-chat"}, timeout=10
        )
        data = answer.json()["data"]
        self.http.headers.update({"X-Auth-Token": data["authToken"], "X-User-Id": data["userId"]})

    def do(self, what: str, where: str, text: str) -> None:
        text = text.encode("utf-8", "replace").decode()
        if what == "post":
            answer = self.http.post(f"{self.chat}/chat.postMessage", json={"channel": where, "text": text}, timeout=10)
        elif what == "topic":
            room = self.http.get(f"{self.chat}/channels.info", params={"roomName": where}, timeout=10).json()["channel"]
            answer = self.http.post(
                f"{self.chat}/channels.setTopic", json={"roomId": room["_id"], "topic": text}, timeout=10
            )
        elif what == "put":
            answer = self.http.put(f"{self.drive}/{where}", data=text.encode(), auth=DRIVE, timeout=10)
        elif what == "delete":
            answer = self.http.delete(f"{self.drive}/{where}", auth=DRIVE, timeout=10)
        elif what == "folder":
            answer = self.http.request("MKCOL", f"{self.drive}/{where}", auth=DRIVE, timeout=10)
        else:
            answer = self.http.post(f"{self.control}/api/reset-{where}", timeout=10)
            self.sign_in()
        assert answer.status_code < 500, f"{what} {where}: {answer.status_code} {answer.text[:200]}"
        self.done += 1
        self.accepted += answer.status_code < 400


def test_a_thousand_random_operations_on_one_company_leave_the_other_byte_identical(snapshot: Snapshot) -> None:
    pristine = tree(snapshot.path)
    with serve(snapshot) as used, serve(snapshot) as other:
        client = Client(used)
        before = other.call(fingerprint, other.company)
        start = used.call(fingerprint, used.company)

        @given(st.lists(operations, min_size=25, max_size=25))
        @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
        def operate(steps: list[tuple[str, str, str]]) -> None:
            for step in steps:
                client.do(*step)

        operate()
        assert client.done >= 1000
        assert client.accepted > client.done / 4, "too few operations did anything for this to prove much"
        assert used.call(fingerprint, used.company) != start
        assert other.call(fingerprint, other.company) == before
    assert tree(snapshot.path) == pristine


def test_closing_a_company_removes_what_it_wrote(snapshot: Snapshot) -> None:
    company = Company(snapshot)
    company.blobs.put(b"something")
    folder = company.folder
    assert folder.is_dir()
    company.close()
    assert not folder.exists()
