"""What Plane's own web client asks (`/api/…` without `v1`), as far as published tasks and their tools ask it too: the
caller has a session instead of a key, ids end in `_id`, and nothing is changed here."""

from __future__ import annotations

from collections.abc import Callable

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    Call,
    Endpoint,
    Permission,
    Reply,
    Route,
    anyone,
    workspace_colleague,
    workspace_member,
)
from dayjob.company.board.api.lists import paged
from dayjob.company.board.rows import Item, User
from dayjob.company.board.shapes.base import Shape
from dayjob.company.board.store import accounts, analytics, item_lists, items, projects
from dayjob.http.routing import Router

routes = Router(tolerant=True)
_WORKSPACE = "/api/workspaces/{slug}"
_MOST_PEOPLE = 5
_ITEM = (
    "id", "name", "sort_order", "completed_at", "estimate_point", "priority", "start_date", "target_date",
    "sequence_id", "created_at", "updated_at", "created_by", "updated_by", "is_draft", "archived_at",
)  # fmt: skip


def _get(pattern: str, permission: Permission) -> Callable[[Endpoint], Endpoint]:
    def register(function: Endpoint) -> Endpoint:
        routes.add("GET", pattern, Route(function, permission))
        return function

    return register


@_get("/api/users/me", anyone)
def me(call: Call) -> Reply:
    return Reply(200, {**shapes.user(call.user), "is_active": True, "is_bot": call.user.is_bot})


@_get(_WORKSPACE, workspace_member)
def workspace(call: Call) -> Reply:
    return Reply(200, shapes.plain(call.workspace()))


@_get(_WORKSPACE + "/members", workspace_colleague)
def members(call: Call) -> Reply:
    found, _ = accounts.members(call.db, "workspace", call.workspace().id, {})
    return Reply(200, [{"id": one.membership, "member": _person(one.user), "role": one.role} for one in found])


def _person(user: User) -> Shape:
    return {**shapes.user(user), "is_bot": user.is_bot}


@_get(_WORKSPACE + "/projects", workspace_member)
def list_projects(call: Call) -> Reply:
    found = projects.open_by_name(call.db, call.slug, call.user.id)
    return Reply(200, [shapes.plain(one) for one in found])


@_get(_WORKSPACE + "/issues", workspace_member)
def list_items(call: Call) -> Reply:
    """The items of all projects that the caller is in, a page at a time."""
    return paged(call, item_lists.of_member(call.user.id, call.slug), lambda rows: _items(call, rows))


def _items(call: Call, rows: list[Item]) -> list[Shape]:
    people, labels = items.people_and_labels(call.db, [one.id for one in rows])
    found = []
    for one in rows:
        whole = shapes.plain(one)
        found.append(
            {
                **{name: whole[name] for name in _ITEM}, "state_id": one.state, "project_id": one.project,
                "parent_id": one.parent, "assignee_ids": people[one.id], "label_ids": labels[one.id],
            }
        )  # fmt: skip
    return found


@_get(_WORKSPACE + "/default-analytics", workspace_colleague)
def default_analytics(call: Call) -> Reply:
    found = analytics.overview(call.db, call.user.id, call.slug, call.store.now[:10])
    body = {
        "total_issues": found.total,
        "total_issues_classified": _classified(found.groups),
        "open_issues": found.open,
        "open_issues_classified": _classified(found.open_groups),
        "issue_completed_month_wise": [{"month": int(month[5:]), "count": number} for month, number in found.months],
        "most_issue_created_user": _people(call, found.created[:_MOST_PEOPLE], "created_by"),
        "most_issue_closed_user": _people(call, [one for one in found.closed if one[0]][:_MOST_PEOPLE], "assignees"),
        "pending_issue_user": _people(call, found.pending, "assignees"),
    }
    return Reply(200, body)


def _classified(groups: analytics.Counts) -> list[Shape]:
    return [{"state_group": group, "state_count": number} for group, number in groups]


def _people(call: Call, counts: analytics.Counts, field: str) -> list[Shape]:
    found = []
    for id, number in counts:
        user = accounts.user(call.db, id)
        about = {name: getattr(user, name, None) for name in ("first_name", "last_name", "avatar", "display_name")}
        found.append({f"{field}__{name}": value for name, value in {**about, "id": id or None}.items()})
        found[-1]["count"] = number
    return found
