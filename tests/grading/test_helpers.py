"""What graders ask of forge, board, drive and journal, to the letter, and what they make of unusual answers."""

from __future__ import annotations

import contextlib
import json
import tempfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
import requests

from dayjob.grading import board, chat, code, config, drive, forge, journal, llm, npc
from dayjob.grading.faults import ServiceFault
from tests.grading.sandbox import Answer, Here, SmallCompany

# -- forge and board --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("project", "path", "method", "asked"),
    [
        (None, None, "GET", "GET /api/v4"),
        (7, None, "GET", "GET /api/v4/projects/7"),
        ("root/a b", "issues/1", "GET", "GET /api/v4/projects/root%2Fa%20b/issues/1"),
        ("root%2Fa", "issues", "PUT", "PUT /api/v4/projects/root%2Fa/issues"),
    ],
)
def test_the_forge_is_asked_at_this_address(
    office: SmallCompany, project: str | int | None, path: str | None, method: str, asked: str
) -> None:
    forge.make_gitlab_request(project, path, method, {"a": "b"})
    seen = office.asked[-1]
    assert f"{seen.method} {seen.path}" == asked
    assert seen.query == {"a": "b"}
    assert seen.headers["PRIVATE-TOKEN"] == "forge-token"
    forge.make_gitlab_request(project, path)
    assert office.asked[-1].method == "GET"


def test_a_forge_that_refuses_or_is_gone_has_no_project_and_no_merge_request(office: SmallCompany) -> None:
    office.on("GET", "/api/v4/projects", Answer([{"name": "a", "id": 1}], 401))
    office.on("GET", "/api/v4/projects/1/merge_requests", Answer([{"title": "a"}], 500))
    assert forge.get_gitlab_project_id("a") is None
    assert forge.get_gitlab_merge_request_by_title("1", "a") is None
    office.on("GET", "/api/v4/projects/1/repository/files/a/raw", Answer(b"no", 404))
    assert forge.get_gitlab_file_in_mr({"project_id": 1, "sha": "s"}, "a") is None
    config.GITLAB_BASEURL = "http://127.0.0.1:9"
    assert forge.make_gitlab_request() is None
    assert forge.get_gitlab_project_id("a") is None
    assert forge.get_gitlab_merge_request_by_title("1", "a") is None
    assert forge.get_gitlab_file_in_mr({"project_id": 1, "sha": "s"}, "a") is None


def test_lists_of_the_forge_are_asked_for_in_pages_of_a_hundred(office: SmallCompany) -> None:
    office.on("GET", "/api/v4/projects", Answer([{"name": "x", "id": 1}], headers={"X-Next-Page": ""}))
    office.on("GET", "/api/v4/projects/9/merge_requests", [{"title": "Other"}, {"title": " A "}, {"title": "a"}])
    assert forge.get_gitlab_project_id("y") is None
    assert office.asked[-1].query == {"page": "1", "per_page": "100"}
    assert forge.get_gitlab_merge_request_by_title("9", " a") == {"title": " A "}
    assert office.asked[-1].query == {"per_page": "100"}
    assert forge.get_gitlab_merge_request_by_title("9", "none") is None


def archive(files: dict[str, str]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return out.getvalue()


def test_the_newest_merge_request_is_the_highest_number_that_is_not_closed(here: Here, office: SmallCompany) -> None:
    code.newest_merge_request.cache_clear()
    found = [{"iid": 9, "state": "opened"}, {"iid": 10, "state": "merged"}, {"iid": 11, "state": "closed"}]
    office.on("GET", "/api/v4/projects/a%2Fb/merge_requests", found)
    office.on("GET", "/api/v4/projects/a%2Fb/merge_requests/10/changes", {"changes": ["x"]})
    assert code.newest_merge_request("a/b", "sam") == {"changes": ["x"]}
    assert office.asked[0].query == {"author_username": "sam", "target_branch": "main", "per_page": "100"}
    office.on("GET", "/api/v4/projects/a%2Fb/merge_requests", [found[2]])
    assert code.newest_merge_request("a/b", "sam", "next") is None
    assert office.asked[-1].query["target_branch"] == "next"


def test_a_tree_is_unpacked_where_others_may_read_it_and_mixed_with_another(here: Here, office: SmallCompany) -> None:
    code.gitlab_tree.cache_clear()
    packed = archive({"pots-abc/a.py": "A", "pots-abc/t/b.py": "B"})
    office.on("GET", "/api/v4/projects/a%2Fb/repository/archive.zip", lambda asked: Answer(packed))
    before = tempfile.tempdir
    tempfile.tempdir = str(here.folder)
    try:
        tree = code.gitlab_tree("a/b", "abc")
        other = here.folder / "other"
        (other / "t").mkdir(parents=True)
        (other / "t" / "c.py").write_text("C")
        mixed = code.with_parts_of(tree, other, "t", "a.py", "absent")
    finally:
        tempfile.tempdir = before
    assert office.asked[-1].query == {"sha": "abc"}
    assert tree.name == "pots-abc"
    assert oct(tree.parent.stat().st_mode) == oct(mixed.parent.stat().st_mode) == "0o40755"
    assert sorted(str(one.relative_to(mixed)) for one in mixed.rglob("*")) == ["t", "t/c.py"]


def test_no_answer_of_the_forge_is_a_fault_and_a_refusal_an_error(office: SmallCompany) -> None:
    with pytest.raises(requests.HTTPError):
        code.get_from_gitlab("a/b", "issues")
    config.GITLAB_BASEURL = "http://127.0.0.1:9"
    with pytest.raises(ServiceFault, match="the forge did not answer GET issues"):
        code.get_from_gitlab("a/b", "issues")


ROOT = "/api/v1/workspaces/larkspur/projects/"


def test_the_board_is_asked_with_its_key_and_what_it_refuses_is_nothing(office: SmallCompany) -> None:
    office.on("POST", f"{ROOT}p/cycles/c/cycle-issues/", lambda asked: Answer(json.loads(asked.body)))
    office.on("POST", f"{ROOT}p/issues/", lambda asked: Answer(json.loads(asked.body)))
    assert board.add_plane_issue_to_cycle("p", "c", "i") == {"issues": ["i"]}
    assert board.create_plane_issue("p", "New") == {"name": "New"}
    assert office.asked[-1].headers["x-api-key"] == "board-key"
    assert board.create_plane_issue("q", "New") is None
    assert board.get_plane_state_details("p", "s") == {}
    assert board.get_plane_project_id("x") is None
    office.on("GET", ROOT, b"no json")
    assert board.get_all_plane_projects() == []
    office.on("GET", ROOT, [{"name": "x", "id": "p1"}])
    assert board.get_plane_project_id("x") == "p1"


@pytest.mark.parametrize(
    ("second", "names"),
    [
        ({"results": [{"name": "b"}]}, ["a", "b"]),
        ({"results": None, "next_page_results": False}, ["a"]),
        ({"results": [{"name": "b"}], "next_page_results": True, "next_cursor": "c1"}, ["a", "b"]),
        ({"results": [{"name": "b"}], "next_page_results": True}, ["a", "b"]),
        ({"results": [{"name": "b"}], "next_page_results": False, "next_cursor": "c9"}, ["a", "b"]),
    ],
)
def test_pages_of_the_board_are_followed_to_their_end_and_never_in_a_circle(
    office: SmallCompany, second: dict[str, Any], names: list[str]
) -> None:
    first = {"results": [{"name": "a"}], "next_page_results": True, "next_cursor": "c1"}
    office.on("GET", ROOT, lambda asked: Answer(second if asked.query == {"cursor": "c1"} else first))
    assert [row["name"] for row in board.get_all_plane_projects()] == names
    assert len(office.asked) == 2


# -- drive ------------------------------------------------------------------------------------------------------------


def test_a_folder_that_does_not_answer_has_no_file_and_one_that_is_refused_is_unknown(office: SmallCompany) -> None:
    office.on("PROPFIND", "/remote.php/webdav/a", Answer(b"", 200))
    assert drive.check_file_in_owncloud_directory("x", "/a/") is None
    config.OWNCLOUD_URL = "http://127.0.0.1:9"
    assert drive.check_file_in_owncloud_directory("x", "/a/") is False
    assert drive.get_binary_file_content_owncloud("x", "a") is None
    assert drive.download_owncloud_content("http://127.0.0.1:9/download", "c") is False


def test_files_come_with_the_graders_account_and_are_written_whole(here: Here, office: SmallCompany) -> None:
    office.on("GET", "/remote.php/webdav/a/b%20c.txt", Answer(b"\x00whole"))
    assert drive.check_and_download_file("b c.txt", "a", "out")
    assert (here.folder / "out").read_bytes() == b"\x00whole"
    assert office.asked[-1].headers["Authorization"] == "Basic Z3JhZGVyOmRyaXZlLXdvcmQ="
    assert not drive.check_and_download_file("none", "a", "other")
    assert not (here.folder / "other").exists()


@pytest.mark.parametrize(
    ("path", "status", "written"), [("/pic", 200, True), ("/pic", 201, False), ("/pic", 404, False)]
)
def test_a_picture_is_fetched_from_the_company_alone(
    here: Here, office: SmallCompany, path: str, status: int, written: bool
) -> None:
    office.on("GET", path, Answer(b"picture", status))
    assert drive.download_image_from_url(f"{office.url}{path}", "out") == ("out" if written else None)
    assert (here.folder / "out").exists() is written
    if written:
        assert (here.folder / "out").read_bytes() == b"picture"
    assert drive.download_image_from_url("http://127.0.0.1:9/pic", "out2") is None
    office.stop()
    assert drive.download_image_from_url(f"{office.url}{path}", "out2") is None


@pytest.mark.parametrize("link", ["", "  ", False, True, "http://elsewhere.test/download", "X", "XX/download"])
def test_a_link_that_leads_nowhere_of_ours_writes_nothing(here: Here, office: SmallCompany, link: str | bool) -> None:
    if isinstance(link, str):
        link = link.replace("XX", office.url[:-1]).replace("X", office.url)
    assert drive.download_owncloud_content(link, "out") is False
    assert not (here.folder / "out").exists()


def test_a_share_page_leads_to_the_file_that_it_names(here: Here, office: SmallCompany) -> None:
    office.on("GET", "/s/a", f'<a href="{office.url}/s/a">no</a> "{office.url}/s/a/download?x=1"'.encode())
    office.on("GET", "/s/a/download", lambda asked: Answer(b"file" if asked.query == {"x": "1"} else b""))
    assert drive.download_owncloud_content(f"  {office.url}/s/a \n", "out") is True
    assert (here.folder / "out").read_bytes() == b"file"
    office.on("GET", "/s/a/download", Answer(b"no", 403))
    assert drive.download_owncloud_content(f"{office.url}/s/a", "gone") is False


def test_a_file_that_mentions_the_drive_is_handed_over_whole(here: Here, office: SmallCompany) -> None:
    (here.folder / "a").write_bytes(f"see {office.url}/s/x \xff".encode("latin-1"))
    (here.folder / "b").write_text("nothing")
    assert drive.get_owncloud_url_in_file("a") == f"see {office.url}/s/x �"
    assert drive.get_owncloud_url_in_file("b") is False
    assert drive.get_owncloud_url_in_file("absent") is False


# -- journal ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "service"),
    [("rocketchat", "chat"), ("gitlab", "forge"), ("plane", "board"), ("owncloud", "drive"),
     ("chat", "chat"), ("forge", "forge"), ("board", "board"), ("drive", "drive")],
)  # fmt: skip
def test_a_service_goes_by_both_its_names(office: SmallCompany, name: str, service: str) -> None:
    office.on("GET", "/api/changes", {"changes": []})
    assert journal.changes(name) == []
    assert office.asked[-1].query == {"service": service}
    assert office.asked[-1].headers["X-Dayjob-Token"] == "control-token"


def test_a_service_that_there_is_not_is_named(office: SmallCompany) -> None:
    with pytest.raises(ValueError, match="there is no service 'mail'"):
        journal.changes("mail")


SUCCESS = {100: True, 199: True, 200: True, 299: True, 303: True, 304: True}
FAILURE = dict.fromkeys((300, 301, 302, 305, 307, 308, 400, 401, 404, 500), False)


@pytest.mark.parametrize(("status", "seen"), (SUCCESS | FAILURE).items())
@pytest.mark.parametrize("role", ["examinee", "people"])
def test_only_a_success_or_what_counts_as_one_is_an_access(
    office: SmallCompany, status: int, seen: bool, role: str
) -> None:
    row = {"service": "drive", "account": "sam", "method": "GET", "path": "/a%20b/c", "role": role, "status": status}
    office.on("GET", "/api/journal", {"rows": [row]})
    assert journal.accessed("drive", "/a b") is seen
    assert office.asked[-1].query == {"service": "drive", "prefix": "/a b"}


# -- patience ---------------------------------------------------------------------------------------------------------


def waited(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]) -> list[object]:
    """For how long requests would have waited; none of them is answered."""
    found: list[object] = []

    def send(self: requests.Session, request: requests.PreparedRequest, **given: Any) -> requests.Response:
        found.append(given["timeout"])
        raise requests.ConnectionError("nobody is there")

    monkeypatch.setattr(requests.Session, "send", send)
    with contextlib.suppress(Exception):
        ask()
    return found


@pytest.mark.parametrize(
    ("ask", "seconds"),
    [
        (lambda: chat.ChatClient("a", "b"), 30),
        (lambda: chat.ChatClient.call_api_get(client(), "me"), 30),
        (lambda: chat.ChatClient.call_api_post(client(), "me"), 30),
        (lambda: forge.make_gitlab_request(), 60),
        (lambda: board.get_all_plane_projects(), 60),
        (lambda: drive.check_file_in_owncloud_directory("a", "b"), 60),
        (lambda: drive.get_binary_file_content_owncloud("a", "b"), 60),
        (lambda: drive.download_owncloud_content(f"{config.OWNCLOUD_URL}/download", "x"), 60),
        (lambda: drive.download_image_from_url(f"{config.OWNCLOUD_URL}/x", "x"), 60),
        (lambda: journal.changes(), 30),
        (lambda: llm.llm_complete([]), 300),
        (lambda: llm.judge("x"), 600),
        (lambda: npc.npc_ready(), 120),
    ],
)
def test_how_long_a_helper_waits_for_an_answer(
    here: Here, monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object], seconds: int
) -> None:
    here.set(LITELLM_BASE_URL="http://llm.test:4000", DAYJOB_COLLEAGUES="")
    assert waited(monkeypatch, ask) == [seconds]


def client() -> chat.ChatClient:
    """One that has signed in already."""
    found = object.__new__(chat.ChatClient)
    found.api, found.session = "http://office.test/api/v1", requests.Session()
    return found
