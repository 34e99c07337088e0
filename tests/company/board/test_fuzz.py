"""Nothing a client sends makes the board fail: every endpoint, with odd bodies, odd ids and odd queries."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from dayjob.company.board.api import routes
from dayjob.http.routing import _Node
from tests.company.board.conftest import ROOT_KEY, Wire
from tests.company.serving import Served

FIELDS = (
    "name", "identifier", "description", "description_html", "comment_html", "state", "group", "color", "priority",
    "start_date", "end_date", "target_date", "parent", "labels", "assignees", "members", "lead", "issues", "url",
    "title", "status", "issue", "relation_type", "work_item_ids", "related_issue", "new_cycle_id", "estimate_points",
    "value", "key", "size", "type", "email", "display_name", "role", "member", "external_id", "external_source",
    "default", "sequence", "sort_order", "timezone", "logo_props", "access", "duration", "snoozed_till", "owned_by",
    "created_by", "created_at", "point", "is_draft", "archived_at", "estimate_point", "network", "is_active",
    "property_type", "options", "default_value", "settings", "level", "is_epic",
    "filters", "query", "relation_definition_id", "relation_definition_type", "limit", "project_id", "workspace_search",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**200, -(2**70), 1.5, 1e308, "", " ", "x", "x" * 300,
    "a\0b", "é𝔘\u202e",
    "2026-03-09", "2026-13-45", "0001-01-01", "9999-12-31", "2026-03-09T09:00:00+14:00", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00", "00000000-0000-0000-0000-000000000000", "not-a-uuid", "http://[", "http://x:99999/",
    "javascript:alert(1)", "<p>" * 200, "<!--", "&#xd800;", [], [None], ["x"], [[]], {}, {"a": {"b": []}},
    {"name": "x"}, {"name": None}, "in-progress", "completed", "blocking", "UTC", "America", "../etc", "urgent",
    ["00000000-0000-0000-0000-000000000000"], "20", 20, "categories", "text/plain",
    {"and": [{"priority": "high"}]}, {"or": []}, {"and": [{"labels__id__in": ["x"]}, {"or": [{"state_id": None}]}]},
)  # fmt: skip
QUERIES = (
    "", "per_page=0", "per_page=-5", "per_page=1e3", "cursor=::", "cursor=1:99999999999:0", "cursor=1:2:3:4",
    "order_by=-", "order_by=%00", "order_by=name;drop", "fields=,,id", "expand=state,project,x", "search=%25%00%22",
    "search=%FF%FE", "search=a&limit=-1", "search=a&limit=x", "search=%22%27)&project_id=x", "external_id=1",
    "external_id=a&external_source=b", "status=9", "status=current&cycle_view=draft", "is_active=perhaps", "a=" * 40,
    "group_by=priority&sub_group_by=cycle_id", "group_by=password", "group_by=labels__id&sub_group_by=assignees__id",
    "type=archived&search=%F0%9F%8C%B9", "expand=labels,assignees,parent,created_by,issue,estimate_point,members",
)  # fmt: skip


def patterns(node: _Node, path: str = "") -> Iterator[tuple[str, str]]:
    """Every (method, pattern) the board's router knows; parameters as `{}`."""
    for method in node.handlers:
        yield method, path
    for segment, child in node.fixed.items():
        yield from patterns(child, f"{path}/{segment}")
    if node.param is not None:
        yield from patterns(node.param, f"{path}/{{}}")


def furnished(wire: Wire) -> dict[str, str]:
    """A project with one of everything; the ids by the segment before them in a path."""
    garden = wire.project(intake_view=True, is_time_tracking_enabled=True)["id"]
    base = f"/projects/{garden}"
    item = wire.make(f"{base}/issues/", name="Roses")["id"]
    state = wire.make(f"{base}/states/", name="Spare", color="#000")["id"]
    label = wire.make(f"{base}/labels/", name="weeds")["id"]
    cycle = wire.make(f"{base}/cycles/", name="One", start_date="2035-01-01", end_date="2035-01-05")["id"]
    module = wire.make(f"{base}/modules/", name="Beds")["id"]
    waiting = wire.make(f"{base}/intake-issues/", issue={"name": "Pond"})["issue"]
    estimate = wire.make(f"{base}/estimates/", name="Effort")["id"]
    kind = wire.make(f"{base}/work-item-types/", name="Plant")["id"]
    fact = wire.make(f"{base}/work-item-types/{kind}/work-item-properties/", display_name="Hue", property_type="OPTION")
    epic = wire.make(f"{base}/epics/", name="A rose garden")["id"]
    around = f"{base}/issues/{item}"
    return {
        "workspaces": "blank",
        "projects": garden,
        "issues": item,
        "work-items": item,
        "states": state,
        "labels": label,
        "cycles": cycle,
        "archived-cycles": cycle,
        "modules": module,
        "archived-modules": module,
        "cycle-issues": item,
        "module-issues": item,
        "intake-issues": waiting,
        "inbox-issues": waiting,
        "intake-work-items": waiting,
        "estimates": estimate,
        "work-item-types": kind,
        "work-item-properties": fact["id"],
        "epics": epic,
        "work-item-relation-definitions": wire.make("/work-item-relation-definitions/", name="shade")["id"],
        "invitations": wire.make("/invitations/", email="new@blank.test")["id"],
        "milestones": wire.make(f"{base}/milestones/", title="Spring")["id"],
        "comments": wire.make(f"{around}/comments/", comment_html="<p>Hi</p>")["id"],
        "links": wire.make(f"{around}/links/", url="https://larkspur.test/")["id"],
        "attachments": wire.make(f"{around}/attachments/", name="a.txt", size=3, type="text/plain")["id"],
        "pages": wire.make(f"{base}/pages/", name="Soil")["id"],
        "stickies": wire.make("/stickies/", name="Milk")["id"],
        "worklogs": wire.make(f"{around}/worklogs/", duration=1)["id"],
    }


def filled(pattern: str, ids: dict[str, str]) -> str:
    made: list[str] = []
    for segment in pattern.strip("/").split("/"):
        if segment == "{}":
            before = made[-1]
            known = ids.get(before, "00000000-0000-0000-0000-000000000000")
            made.append("GARD-1" if len(made) == 5 and before in ("issues", "work-items") else known)
        else:
            made.append(segment)
    return "/" + "/".join(made) + "/"


def test_no_endpoint_fails_whatever_it_is_sent(blank: Served) -> None:
    dice = random.Random(20260309)
    wire = Wire(blank, "blank", ROOT_KEY)
    ids = furnished(wire)
    url = blank.url("board")
    every = sorted(patterns(routes._root))
    assert len(every) > 150
    # What removes comes last, so that there is something to trouble until then.
    every.sort(key=lambda one: (one[0] == "DELETE", one[1].endswith("archive")))
    sent = 0
    for method, pattern in every:
        path = filled(pattern, ids)
        if method == "GET":
            for query in dice.sample(QUERIES, 10):
                answer = wire("GET", f"{url}{path}?{query}", allow_redirects=False)
                assert answer.status_code < 500, (path, query, answer.text)
                sent += 1
            continue
        for _ in range(1 if method == "DELETE" else 16):
            body = {dice.choice(FIELDS): dice.choice(VALUES) for _ in range(dice.randint(1, 6))}
            answer = wire(method, f"{url}{path}", body, allow_redirects=False)
            assert answer.status_code < 500, (method, path, body, answer.text)
            sent += 1
    assert sent > 1500
    told = blank.call(blank.company.changes, "board")
    assert told
    assert [one for one in told if not one.words.startswith("root ")] == []


def test_odd_ids_and_odd_paths_are_not_found(wire: Wire) -> None:
    garden = wire.project()["id"]
    odd = ("0", "%00", "x" * 3000, garden.upper(), "%ff", "'; --", "%F0%9F%8C%B9")
    for sign, place in itertools.product(odd, ("/projects/{}/", f"/projects/{garden}/issues/{{}}/", "/issues/{}/")):
        answer = wire("GET", place.format(sign))
        assert answer.status_code in (404, 403), (sign, place, answer.status_code)


def test_many_hands_lose_nothing(blank: Served) -> None:
    wire = Wire(blank, "blank", ROOT_KEY)
    garden = wire.project()["id"]
    shared = wire.make(f"/projects/{garden}/issues/", name="Shared")["id"]

    def work(hand: int) -> None:
        own = Wire(blank, "blank", ROOT_KEY)
        for turn in range(5):
            own.make(f"/projects/{garden}/issues/", name=f"{hand}/{turn}")
            own.make(f"/projects/{garden}/issues/{shared}/comments/", comment_html=f"<p>{hand}/{turn}</p>")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))
    items = wire.get(f"/projects/{garden}/issues/", order_by="sequence_id")["results"]
    assert [one["sequence_id"] for one in items] == list(range(1, 102))
    expected = {f"{hand}/{turn}" for hand in range(20) for turn in range(5)}
    assert {one["name"] for one in items[1:]} == expected
    comments = wire.get(f"/projects/{garden}/issues/{shared}/comments/")
    assert comments["total_count"] == 100
    assert {one["comment_html"] for one in comments["results"]} == {f"<p>{one}</p>" for one in expected}


def test_uploads_of_any_shape_are_refused_not_failed(blank: Served) -> None:
    url = f"{blank.url('board')}/uploads"
    shapes: list[dict[str, Any]] = [
        {"data": b""},
        {"data": b"junk", "headers": {"content-type": "multipart/form-data; boundary=x"}},
        {"data": b"--x\r\n\r\n", "headers": {"content-type": "multipart/form-data"}},
        {"data": {"key": "a", "policy": "b", "x-amz-signature": "c"}},
        {"data": {"key": "a", "policy": "é", "x-amz-signature": "\udc80".encode("utf-8", "surrogateescape")}},
        {"files": {"file": b"x"}},
        {"files": {"key": b"x", "file": b"y"}},
    ]
    for shape in shapes:
        assert 400 <= requests.post(url, timeout=10, **shape).status_code < 500, shape
    assert requests.get(f"{url}/a?X-Amz-Expires=9&X-Amz-Signature=z", timeout=10).status_code == 403
    assert requests.put(url, data=b"x", timeout=10).status_code == 405
