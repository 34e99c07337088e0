"""What the journal and the changes say of work on the board."""

from __future__ import annotations

from typing import Any

from tests.company.board.conftest import Wire, as_person
from tests.company.serving import Served


def told(served: Served) -> list[str]:
    return [one.words for one in served.call(served.company.changes, "board")]


def trellis(wire: Wire) -> str:
    return str(next(one["id"] for one in wire.get("/projects/")["results"] if one["identifier"] == "TREL"))


def test_a_moved_item_is_told_in_words(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    item = sam.get("/issues/TREL-33/")
    done = next(one for one in sam.get(f"/projects/{item['project']}/states/")["results"] if one["name"] == "Done")
    sam("PATCH", f"/projects/{item['project']}/issues/{item['id']}/", {"state": done["id"]})
    assert told(larkspur) == ['sam.reed moved TREL-33 "On-call list for launch week" from Todo to Done']


def test_every_kind_of_change_has_its_sentence(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    project = trellis(sam)
    item = sam.get("/issues/TREL-38/")
    path = f"/projects/{project}/issues/{item['id']}/"
    me: Any = sam("GET", f"{larkspur.url('board')}/api/v1/users/me/").json()
    label = next(one for one in sam.get(f"/projects/{project}/labels/")["results"] if one["name"] == "bug")
    cycle = next(one for one in sam.get(f"/projects/{project}/cycles/")["results"] if one["name"] == "Sprint 7")
    sam("PATCH", path, {"assignees": [me["id"]], "labels": [label["id"]], "target_date": "2026-03-12"})
    sam("POST", f"/projects/{project}/cycles/{cycle['id']}/cycle-issues/", {"issues": [item["id"]]})
    sam("POST", f"{path}comments/", {"comment_html": "<p>On it.</p>"})
    name = 'TREL-38 "Show Latin names in italics"'
    assert told(larkspur) == [
        f'sam.reed set the due date of {name} from none to "2026-03-12"',
        f"sam.reed gave {name} to sam.reed",
        f'sam.reed took the label "customer" off {name}',
        f'sam.reed labelled {name} "bug"',
        f'sam.reed put {name} into cycle "Sprint 7"',
        f'sam.reed wrote "On it." on {name}',
    ]


def test_an_item_moved_there_and_back_is_no_change(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    item = sam.get("/issues/TREL-38/")
    path = f"/projects/{item['project']}/issues/{item['id']}/"
    sam("PATCH", path, {"priority": "urgent"})
    sam("PATCH", path, {"priority": item["priority"]})
    assert told(larkspur) == []


def test_a_refused_request_changes_nothing(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    item = sam.get("/issues/TREL-38/")
    path = f"/projects/{item['project']}/issues/{item['id']}/"
    assert (
        sam("PATCH", path, {"priority": "urgent", "start_date": "2026-03-09", "target_date": "2026-03-01"}).ok is False
    )
    assert told(larkspur) == []
    assert sam.get("/issues/TREL-38/")["priority"] == item["priority"]


def test_the_journal_knows_who_read_what_and_no_secret(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    sam.get("/issues/TREL-31/")
    requests = larkspur.call(larkspur.company.journal.requests, "board")
    assert [(one.account, one.method, one.status) for one in requests] == [("sam.reed", "GET", 200)]
    assert larkspur.company.journal.accessed("board", "/api/v1/workspaces/larkspur/issues/TREL-31")
    sam("POST", "/projects/", {"name": "Shed", "identifier": "SHED"})
    kept = larkspur.call(larkspur.company.journal._read)
    assert sam.session.headers["x-api-key"] not in kept.decode()


def test_a_reset_brings_the_board_back(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    project = trellis(sam)
    sam.make(f"/projects/{project}/issues/", name="Gone soon")
    admin = Wire(larkspur, "larkspur", "plane_api_larkspur")
    before = admin.get(f"/projects/{project}/issues/")["total_count"]
    admin("POST", f"{larkspur.url('control')}/api/reset-plane")
    assert admin.get(f"/projects/{project}/issues/")["total_count"] == before - 1
