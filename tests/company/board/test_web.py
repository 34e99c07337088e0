"""The addresses of Plane's web client that published tasks and their tools ask: a session, and nothing but reading."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.company.board.conftest import Wire
from tests.company.serving import Served

PRIYA = "priya.nair@larkspur.test"


class Web:
    """A client that signs in as Plane's own do: a token, then an address and a password."""

    def __init__(self, served: Served, email: str = "admin@larkspur.test", password: str = "admin-of-larkspur-board"):
        self.url = served.url("board")
        self.session = requests.Session()
        token = self.session.get(f"{self.url}/auth/get-csrf-token/", timeout=60).json()["csrf_token"]
        self.session.headers.update({"X-CSRFToken": token, "Referer": self.url})
        form = {"email": email, "password": password}
        entered = self.session.post(f"{self.url}/auth/sign-in/", data=form, allow_redirects=False, timeout=60)
        assert entered.status_code == 302

    def get(self, path: str, status: int = 200, query: dict[str, str] | None = None) -> Any:
        answer = self.session.get(f"{self.url}/api{path}", params=query, timeout=60)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def web(larkspur: Served) -> Web:
    return Web(larkspur)


@pytest.fixture
def sam(larkspur: Served) -> Web:
    return Web(larkspur, "sam.reed@larkspur.test", "sam-reed-first-day")


def test_the_items_of_a_workspace_are_paged_and_ordered(larkspur: Served, web: Web) -> None:
    asked = {"order_by": "-target_date", "per_page": "10"}
    first = web.get("/workspaces/larkspur/issues/", query=asked)
    second = web.get("/workspaces/larkspur/issues/", query={**asked, "cursor": "10:1:0"})
    days = [one["target_date"] or "" for one in (*first["results"], *second["results"])]
    assert (len(days), days) == (20, sorted(days, reverse=True))
    assert first["next_cursor"] == "10:1:0"
    admin = Wire(larkspur, "larkspur", "plane_api_larkspur")
    item = first["results"][0]
    public = admin.get(f"/projects/{item['project_id']}/issues/{item['id']}/")
    same = {"state_id": "state", "assignee_ids": "assignees", "label_ids": "labels", "parent_id": "parent"}
    assert {name: item[name] for name in same} == {name: public[other] for name, other in same.items()}
    assert (item["name"], item["sequence_id"]) == (public["name"], public["sequence_id"])


def test_members_and_projects_are_those_of_the_public_api(larkspur: Served, web: Web) -> None:
    admin = Wire(larkspur, "larkspur", "plane_api_larkspur")
    members = web.get("/workspaces/larkspur/members/")
    assert {one["member"]["id"]: one["role"] for one in members} == {
        one["id"]: one["role"] for one in admin.get("/members/")
    }
    assert {one["member"]["email"] for one in members} >= {PRIYA}
    assert {one["id"] for one in web.get("/workspaces/larkspur/projects/")} == {
        one["id"] for one in admin.get("/projects/")["results"]
    }
    assert web.get("/users/me/")["email"] == "admin@larkspur.test"
    assert web.get("/workspaces/larkspur/")["slug"] == "larkspur"


def test_analytics_count_what_the_caller_sees(web: Web, sam: Web) -> None:
    for one in (web, sam):
        found = one.get("/workspaces/larkspur/default-analytics/")
        items = one.get("/workspaces/larkspur/issues/")["results"]
        assert found["total_issues"] == len(items) > 0
        assert sum(row["state_count"] for row in found["total_issues_classified"]) == len(items)
        assert sum(row["state_count"] for row in found["open_issues_classified"]) == found["open_issues"]
        assert {row["state_group"] for row in found["open_issues_classified"]} <= {"backlog", "unstarted", "started"}
        nobody = [row["count"] for row in found["pending_issue_user"] if row["assignees__id"] is None]
        assert sum(nobody) <= found["open_issues"]
        assert all(row["assignees__id"] for row in found["most_issue_closed_user"])
    assert (
        sam.get("/workspaces/larkspur/default-analytics/")["total_issues"]
        < web.get("/workspaces/larkspur/default-analytics/")["total_issues"]
    ), "Sam is not in every project"


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/workspaces/larkspur/webhooks/", 404, {"error": "Page not found."}),
        ("/instances/", 404, {"error": "Page not found."}),
        ("/workspaces/elsewhere/issues/", 403, None),
    ],
)
def test_what_is_not_there_is_refused_as_plane_does(web: Web, path: str, status: int, body: Any) -> None:
    answer = web.get(path, status)
    assert body is None or answer == body


def test_a_session_is_needed_and_no_key_takes_its_place(larkspur: Served, web: Web) -> None:
    url = f"{larkspur.url('board')}/api/workspaces/larkspur/issues/"
    for headers in ({}, {"X-API-Key": "plane_api_larkspur"}):
        refused = requests.get(url, headers=headers, timeout=60)
        assert (refused.status_code, refused.json()) == (
            401, {"detail": "Authentication credentials were not provided."},
        )  # fmt: skip
    changed = web.session.post(url, json={"name": "No"}, timeout=60)
    assert (changed.status_code, changed.headers["allow"]) == (405, "GET")
    public = web.session.get(url.replace("/api/", "/api/v1/"), timeout=60)
    assert public.status_code == 401, "and the public API takes no session"
