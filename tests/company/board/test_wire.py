"""The wire itself: slashes, errors in Plane's words, paging, who may do what, rate limits."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
import requests

from tests.company.board.conftest import ROOT_KEY, Wire, as_person
from tests.company.serving import WORLDS, Served, serve


def projects(wire: Wire) -> dict[str, str]:
    return {one["identifier"]: one["id"] for one in wire.get("/projects/")["results"]}


def states(wire: Wire, project: str) -> dict[str, str]:
    return {one["name"]: one["id"] for one in wire.get(f"/projects/{project}/states/")["results"]}


# -- addresses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/projects", "/projects/", "//projects//", "/projects//"])
def test_missing_and_doubled_slashes_mean_nothing(wire: Wire, path: str) -> None:
    wire.project()
    assert wire.get(path)["total_count"] == 1


def test_items_answer_under_both_spellings(wire: Wire) -> None:
    garden = wire.project()["id"]
    made = wire.make(f"/projects/{garden}/issues/", name="Prune the roses")
    for spelling in ("issues", "work-items"):
        assert wire.get(f"/projects/{garden}/{spelling}/{made['id']}/")["name"] == "Prune the roses"
        assert wire.get(f"/{spelling}/GARD-1/")["id"] == made["id"]
        assert wire.get(f"/{spelling}/search/", search="roses")["issues"][0]["project__identifier"] == "GARD"


# -- who is asking -----------------------------------------------------------------------------------------------


def test_no_key_a_wrong_key_and_no_such_page(blank: Served) -> None:
    url = blank.url("board")
    assert requests.get(f"{url}/api/v1/users/me/", timeout=10).status_code == 401
    wrong = requests.get(f"{url}/api/v1/users/me/", headers={"X-Api-Key": "nope"}, timeout=10)
    assert (wrong.status_code, wrong.json()) == (403, {"detail": "Given API token is not valid"})
    absent = requests.get(f"{url}/api/v1/nothing/", headers={"X-Api-Key": ROOT_KEY}, timeout=10)
    assert (absent.status_code, absent.json()) == (404, {"error": "Page not found."})


def test_another_method_is_refused_by_name(wire: Wire) -> None:
    answer = wire("PUT", "/projects/")
    assert (answer.status_code, answer.json()) == (405, {"detail": 'Method "PUT" not allowed.'})


def test_guests_read_and_comment_but_do_not_write(larkspur: Served) -> None:
    guest = as_person(larkspur, "ines.carvalho")
    trellis = projects(guest)["TREL"]
    item = guest.get("/issues/TREL-39/")
    assert guest("PATCH", f"/projects/{trellis}/issues/{item['id']}/", {"name": "No"}).status_code == 403
    refused = guest("POST", f"/projects/{trellis}/issues/", {"name": "No"})
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "You do not have permission to perform this action.",
    )
    said = guest("POST", f"/projects/{trellis}/issues/{item['id']}/comments/", {"comment_html": "<p>Soon?</p>"})
    assert said.status_code == 201


def test_those_outside_a_project_cannot_read_its_items(larkspur: Served) -> None:
    tomas = as_person(larkspur, "tomas.okafor")
    website = projects(tomas)["WEB"]
    for path in ("issues", "states", "cycles", "modules", "intake-issues"):
        assert tomas("GET", f"/projects/{website}/{path}/").status_code == 403, path
    # Plane lets everyone who is in some project ask for labels, and shows those of one's own projects.
    assert tomas.get(f"/projects/{website}/labels/")["results"] == []
    assert tomas("GET", "/issues/WEB-1/").status_code == 403


def test_a_secret_project_is_not_there_for_others(larkspur: Served) -> None:
    priya, tomas = as_person(larkspur, "priya.nair"), as_person(larkspur, "tomas.okafor")
    secret = priya.project("Secret garden", "SECR", network=0)["id"]
    assert "SECR" not in projects(tomas)
    assert tomas("GET", f"/projects/{secret}/").status_code == 404
    assert "SECR" in projects(priya)


def test_only_admins_and_makers_delete(larkspur: Served) -> None:
    sam, jonas = as_person(larkspur, "sam.reed"), as_person(larkspur, "jonas.weber")
    trellis = projects(sam)["TREL"]
    other, own = sam.get("/issues/TREL-1/")["id"], sam.make(f"/projects/{trellis}/issues/", name="Mine")["id"]
    refused = sam("DELETE", f"/projects/{trellis}/issues/{other}/")
    assert (refused.status_code, refused.json()["error"]) == (403, "Only admin or creator can delete the work item")
    assert sam("DELETE", f"/projects/{trellis}/issues/{own}/").status_code == 204
    assert jonas("DELETE", f"/projects/{trellis}/issues/{other}/").status_code == 204
    assert sam("DELETE", f"/projects/{trellis}/").status_code == 403


def test_a_stranger_to_the_workspace_sees_nothing(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    sam.base = sam.base.replace("/larkspur", "/elsewhere")
    for path in ("/projects/", "/members/", f"/projects/{uuid.uuid4()}/issues/"):
        assert sam("GET", path).status_code == 403, path


def test_administrators_invite_and_withdraw(larkspur: Served) -> None:
    priya, sam = as_person(larkspur, "priya.nair"), as_person(larkspur, "sam.reed")
    made = priya.make("/invitations/", email="new@larkspur.test", role=15)
    assert (made["email"], made["role"], made["accepted"]) == ("new@larkspur.test", 15, False)
    assert sam("GET", "/invitations/").status_code == 403
    again = priya("POST", "/invitations/", {"email": "NEW@larkspur.test"})
    assert (again.status_code, again.json()) == (400, {"non_field_errors": ["Email already invited"]})
    assert priya("POST", "/invitations/", {"email": "nobody"}).json() == {"email": ["Invalid email address"]}
    assert priya("PATCH", f"/invitations/{made['id']}/", {"role": 5}).json()["role"] == 5
    assert priya("DELETE", f"/invitations/{made['id']}/").status_code == 204
    assert priya.get("/invitations/") == []


def test_a_member_joins_a_project_changes_role_and_leaves(larkspur: Served) -> None:
    priya, tomas = as_person(larkspur, "priya.nair"), as_person(larkspur, "tomas.okafor")
    website = projects(priya)["WEB"]
    me = tomas("GET", f"{larkspur.url('board')}/api/v1/users/me/").json()["id"]
    joined = priya.make(f"/projects/{website}/project-members/", member=me, role=5)
    assert tomas.get(f"/projects/{website}/issues/")["total_count"] == 15
    assert tomas("POST", f"/projects/{website}/issues/", {"name": "No"}).status_code == 403
    assert priya("PATCH", f"/projects/{website}/project-members/{joined['id']}/", {"role": 15}).status_code == 200
    assert tomas("POST", f"/projects/{website}/issues/", {"name": "Yes"}).status_code == 201
    assert tomas("PATCH", f"/projects/{website}/project-members/{joined['id']}/", {"role": 20}).status_code == 403
    assert priya("DELETE", f"/projects/{website}/project-members/{joined['id']}/").status_code == 204
    assert tomas("GET", f"/projects/{website}/issues/").status_code == 403


# -- complaints --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, {"name": ["This field is required."]}),
        ({"name": ""}, {"name": ["This field may not be blank."]}),
        ({"name": None}, {"name": ["This field may not be null."]}),
        ({"name": {}}, {"name": ["Not a valid string."]}),
        ({"name": "x" * 256}, {"name": ["Ensure this field has no more than 255 characters."]}),
        ({"name": "a\0b"}, {"name": ["Null characters are not allowed."]}),
        ({"name": "x", "priority": "asap"}, {"priority": ['"asap" is not a valid choice.']}),
        ({"name": "x", "state": "done"}, {"state": ["“done” is not a valid UUID."]}),
        (
            {"name": "x", "start_date": "9 March"},
            {"start_date": ["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]},
        ),
        ({"name": "x", "assignees": "me"}, {"assignees": ['Expected a list of items but got type "str".']}),
        ({"name": "x", "point": 13}, {"point": ["Ensure this value is less than or equal to 12."]}),
        (
            {"name": "x", "start_date": "2026-03-10", "target_date": "2026-03-09"},
            {"non_field_errors": ["Start date cannot exceed target date"]},
        ),
        ({"name": "x", "description_html": ""}, {"non_field_errors": ["Invalid HTML passed"]}),
    ],
)
def test_wrong_fields_are_complained_of_by_name(wire: Wire, body: object, errors: object) -> None:
    garden = wire.project()["id"]
    answer = wire("POST", f"/projects/{garden}/issues/", body)
    assert (answer.status_code, answer.json()) == (400, errors)
    assert wire.get(f"/projects/{garden}/issues/")["total_count"] == 0


@pytest.mark.parametrize(
    "body",
    [b"{", b'{"name": NaN}', b"\xff\xfe", b'{"name": "\\ud800"}', b"[" * 100_000, b"9" * 5000, b'"text"', b"[1]"],
)
def test_what_is_not_an_object_is_refused(wire: Wire, body: bytes) -> None:
    answer = wire("POST", "/projects/", data=body, headers={"content-type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (400, ["detail"])


def test_a_body_of_another_kind_is_refused_and_a_form_is_read(wire: Wire) -> None:
    other = wire("POST", "/projects/", data=b"<x/>", headers={"content-type": "text/xml"})
    assert (other.status_code, other.json()) == (415, {"detail": 'Unsupported media type "text/xml" in request.'})
    form = wire("POST", "/projects/", data={"name": "Garden", "identifier": "GARD"})
    assert form.status_code == 201


def test_names_and_identifiers_are_taken_once(wire: Wire) -> None:
    wire.project()
    same_name = wire("POST", "/projects/", {"name": "Garden", "identifier": "OTHER"})
    assert (same_name.status_code, same_name.json()) == (409, {"name": "The project name is already taken"})
    same_sign = wire("POST", "/projects/", {"name": "Other", "identifier": "gard"})
    assert (same_sign.status_code, same_sign.json()) == (
        409,
        {"identifier": "The project identifier is already taken"},
    )


def test_a_thing_from_outside_comes_once(wire: Wire) -> None:
    garden = wire.project()["id"]
    facts = {"name": "Roses", "external_id": "7", "external_source": "paper"}
    first = wire.make(f"/projects/{garden}/issues/", **facts)
    again = wire("POST", f"/projects/{garden}/issues/", facts)
    assert (again.status_code, again.json()["id"]) == (409, first["id"])
    assert wire.get(f"/projects/{garden}/issues/", external_id="7", external_source="paper")["id"] == first["id"]
    put = wire("PUT", f"/projects/{garden}/issues/", {**facts, "name": "Red roses"})
    assert (put.status_code, put.json()["id"], put.json()["name"]) == (200, first["id"], "Red roses")


def test_cycles_do_not_overlap(wire: Wire) -> None:
    garden = wire.project()["id"]
    wire.make(f"/projects/{garden}/cycles/", name="One", start_date="2035-03-02", end_date="2035-03-08")
    clash = {"name": "Two", "start_date": "2035-03-08", "end_date": "2035-03-12"}
    refused = wire("POST", f"/projects/{garden}/cycles/", clash)
    assert (refused.status_code, refused.json()["status"]) == (400, False)
    assert "already on the given dates" in refused.json()["error"]
    half = wire("POST", f"/projects/{garden}/cycles/", {"name": "Half", "start_date": "2035-03-09"})
    assert half.json() == {"error": "Both start date and end date are either required or are to be null"}
    two = wire.make(f"/projects/{garden}/cycles/", name="Two", start_date="2035-03-09", end_date="2035-03-12")
    moved = wire("PATCH", f"/projects/{garden}/cycles/{two['id']}/", {"start_date": "2035-03-05"})
    assert moved.status_code == 400
    assert wire.make(f"/projects/{garden}/cycles/", name="Draft")["start_date"] is None


def test_a_cycle_that_is_over_takes_nothing_more(wire: Wire) -> None:
    garden = wire.project()["id"]
    item = wire.make(f"/projects/{garden}/issues/", name="Late")["id"]
    old = wire.make(f"/projects/{garden}/cycles/", name="Old", start_date="2020-01-06", end_date="2020-01-10")["id"]
    put = wire("POST", f"/projects/{garden}/cycles/{old}/cycle-issues/", {"issues": [item]})
    assert put.json() == {"error": "The Cycle has already been completed so no new issues can be added"}
    edit = wire("PATCH", f"/projects/{garden}/cycles/{old}/", {"name": "New"})
    assert edit.json() == {"error": "The Cycle has already been completed so it cannot be edited"}


def test_a_state_in_use_and_the_default_state_stay(wire: Wire) -> None:
    garden = wire.project()["id"]
    named = states(wire, garden)
    wire.make(f"/projects/{garden}/issues/", name="Roses", state=named["Todo"])
    used = wire("DELETE", f"/projects/{garden}/states/{named['Todo']}/")
    assert used.json() == {"error": "The state is not empty, only empty states can be deleted"}
    default = wire("DELETE", f"/projects/{garden}/states/{named['Backlog']}/")
    assert default.json() == {"error": "Default state cannot be deleted"}
    assert wire("DELETE", f"/projects/{garden}/states/{named['Cancelled']}/").status_code == 204


def test_an_item_cannot_be_its_own_ancestor(wire: Wire) -> None:
    garden = wire.project()["id"]
    one = wire.make(f"/projects/{garden}/issues/", name="One")["id"]
    two = wire.make(f"/projects/{garden}/issues/", name="Two", parent=one)["id"]
    for child, parent in ((one, two), (one, one)):
        ring = wire("PATCH", f"/projects/{garden}/issues/{child}/", {"parent": parent})
        assert ring.status_code == 400, ring.text


def test_scripts_in_descriptions_and_comments_do_not_survive(wire: Wire) -> None:
    garden = wire.project()["id"]
    evil = (
        '<p onclick="x()">Hi<script>alert(1)</script><img src="javascript:x" onerror="x">'
        '<a href="java&#115;cript:x">a</a><svg><a href="x">b</a></svg></p><iframe src="//evil"></iframe>'
    )
    item = wire.make(f"/projects/{garden}/issues/", name="Roses", description_html=evil)
    assert item["description_html"] == "<p>Hi<img><a>a</a></p>"
    comment = wire.make(f"/projects/{garden}/issues/{item['id']}/comments/", comment_html="a < b & <b>c")
    assert comment["comment_html"] == "<p>a &lt; b &amp; <b>c</b></p>"


# -- paging, fields, order ---------------------------------------------------------------------------------------


def test_the_envelope_has_every_field_of_planes(wire: Wire) -> None:
    garden = wire.project()["id"]
    for number in range(5):
        wire.make(f"/projects/{garden}/issues/", name=f"Row {number}")
    page = wire.get(f"/projects/{garden}/issues/", per_page=2, cursor="2:1:0", order_by="sequence_id")
    names = [one["name"] for one in page.pop("results")]
    assert names == ["Row 2", "Row 3"]
    assert page == {
        "grouped_by": None, "sub_grouped_by": None, "total_count": 5, "next_cursor": "2:2:0", "prev_cursor": "2:0:1",
        "next_page_results": True, "prev_page_results": True, "count": 2, "total_pages": 3, "total_results": 5,
        "extra_stats": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"per_page": "many"}, "Invalid per_page parameter."),
        ({"per_page": "1001"}, "Invalid per_page value. Cannot exceed 1000."),
        ({"cursor": "abc"}, "Invalid cursor parameter."),
        ({"cursor": "1:2"}, "Invalid cursor parameter."),
        ({"cursor": "10:-1:0"}, "Error in parsing"),
    ],
)
def test_a_cursor_that_is_none_is_refused(wire: Wire, query: dict[str, str], detail: str) -> None:
    answer = wire("GET", "/projects/", params=query)
    assert (answer.status_code, answer.json()) == (400, {"detail": detail})


def test_fields_and_order(wire: Wire) -> None:
    garden = wire.project()["id"]
    for name, priority in (("b", "low"), ("a", "urgent"), ("c", "none")):
        wire.make(f"/projects/{garden}/issues/", name=name, priority=priority)

    def names(**query: str) -> list[str]:
        return [one["name"] for one in wire.get(f"/projects/{garden}/issues/", **query)["results"]]

    assert names() == ["c", "a", "b"]
    assert names(order_by="priority") == ["a", "b", "c"]
    assert names(order_by="-name") == ["c", "b", "a"]
    assert names(order_by="created_by__password") == ["c", "a", "b"]
    one = wire.get(f"/projects/{garden}/issues/", fields="id,name", per_page=1)["results"][0]
    assert sorted(one) == ["id", "name"]
    refused = wire("GET", f"/projects/{garden}/issues/", params={"pql": 'priority = "urgent"'})
    assert (refused.status_code, refused.json()["unsupported_parameters"]) == (400, ["pql"])


def test_moments_are_written_as_plane_writes_them(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    trellis = projects(sam)["TREL"]
    assert sam.get("/issues/TREL-1/")["created_at"] == "2026-01-12T09:15:00Z"
    made = sam.make(f"/projects/{trellis}/issues/", name="Now")["created_at"]
    assert made.startswith("2026-03-09T09:0")
    assert len(made) == len("2026-03-09T09:00:00.123456Z")


def test_cycles_are_listed_by_when_they_are(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    trellis = projects(sam)["TREL"]
    current = sam.get(f"/projects/{trellis}/cycles/", cycle_view="current")
    assert [one["name"] for one in current] == ["Sprint 7"]
    past = {"Sprint 3", "Sprint 4", "Sprint 5", "Sprint 6"}
    for view, names in (("completed", past), ("upcoming", {"Sprint 8"}), ("draft", set())):
        assert {one["name"] for one in sam.get(f"/projects/{trellis}/cycles/", cycle_view=view)["results"]} == names


# -- limits ------------------------------------------------------------------------------------------------------


def test_no_rate_limit_unless_the_world_sets_one(wire: Wire) -> None:
    assert "X-RateLimit-Remaining" not in wire("GET", "/projects/").headers


def test_a_rate_limit_counts_down_and_then_refuses(tmp_path: Path) -> None:
    world = tmp_path / "limited"
    world.mkdir()
    (world / "world.toml").write_text((WORLDS / "blank/world.toml").read_text() + '\n[board]\nrate_limit = "3/hour"\n')
    with serve(world) as served:
        wire = Wire(served, "blank", ROOT_KEY)
        left = [wire("GET", "/projects/").headers["X-RateLimit-Remaining"] for _ in range(3)]
        refused = wire("GET", "/projects/")
    assert left == ["2", "1", "0"]
    assert refused.status_code == 429
    assert "Request was throttled" in refused.json()["detail"]
    assert int(refused.headers["retry-after"]) > 0


def test_a_body_past_the_limit_is_refused(wire: Wire) -> None:
    answer = wire("POST", "/projects/", data=b"x" * (11 * 1024 * 1024), headers={"content-type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (413, ["error"])


# -- files -------------------------------------------------------------------------------------------------------


def test_a_file_needs_the_signed_form_and_the_signed_address(wire: Wire) -> None:
    garden = wire.project()["id"]
    item = wire.make(f"/projects/{garden}/issues/", name="Roses")["id"]
    path = f"/projects/{garden}/issues/{item}/issue-attachments/"
    told = wire.make(path, name="../../a.txt", size=4, type="text/plain")
    assert told["attachment"]["attributes"]["name"] == "_.._a.txt"
    form = told["upload_data"]

    def send(content: bytes, **changed: str) -> int:
        answer = requests.post(
            form["url"], data={**form["fields"], **changed}, files={"file": ("a.txt", content)}, timeout=10
        )
        return answer.status_code

    assert send(b"good", key="other") == 403
    assert send(b"good", **{"x-amz-signature": "0" * 64}) == 403
    assert send(b"too long") == 400
    assert send(b"good") == 204
    assert wire("GET", f"{path}{told['asset_id']}/", allow_redirects=False).status_code == 400
    assert wire("PATCH", f"{path}{told['asset_id']}/", {"is_uploaded": True}).status_code == 200
    address = wire("GET", f"{path}{told['asset_id']}/", allow_redirects=False).headers["location"]
    assert requests.get(address, timeout=10).content == b"good"
    assert requests.get(address[:-1] + ("0" if address[-1] != "0" else "1"), timeout=10).status_code == 403
    bad = wire("POST", path, {"name": "a.exe", "size": 4, "type": "application/x-msdownload"})
    assert bad.json() == {"error": "Invalid file type.", "status": False}
