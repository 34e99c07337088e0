"""Issues: list, open, change, close, move, delete; in a project, a group and everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.item_filters import issue_filter
from dayjob.company.forge.api.quick_actions import run_in_description
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import Refused, bad, not_found
from dayjob.company.forge.rows.items import Issue, ItemRow
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import (
    access,
    hooks,
    issues,
    item_changes,
    item_lists,
    items,
    visibility,
)
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.dates import day
from dayjob.company.forge.store.issues import TYPES
from dayjob.company.forge.store.item_changes import ItemChanges

ISSUE = "/projects/{id}/issues/{iid}"
AnyItem = TypeVar("AnyItem", bound=ItemRow)


def find(call: Call) -> tuple[Project, Issue]:
    """The issue in the path."""
    project = call.project()
    return project, visibility.find_issue(call.store, call.user, project, call.number("iid"))


def find_to_change(call: Call) -> tuple[Project, Issue]:
    """The issue in the path, for somebody who may change it."""
    project, issue = find(call)
    item_changes.check_change(call.store, call.me, project, issue)
    return project, issue


def _listed(call: Call, place: Project | Namespace | None) -> Any:
    listing = item_lists.issues(call.store, call.user, place, issue_filter(call))
    return call.listing(listing, lambda rows: shape.issues(call, rows))


@get("/issues")
def everywhere(call: Call) -> Any:
    call.signed_in()
    if not call.has("scope"):
        call.args["scope"] = "created_by_me"
    return _listed(call, None)


get("/groups/{id}/issues")(lambda call: _listed(call, call.group()))
get("/projects/{id}/issues")(lambda call: _listed(call, call.project()))


def _statistics(call: Call, place: Project | Namespace | None) -> Any:
    call.args.pop("state", None)
    listing = item_lists.issues(call.store, call.user, place, issue_filter(call))
    opened, total = item_lists.open_count(call.store, listing), call.store.count(listing)
    return {"statistics": {"counts": {"all": total, "closed": total - opened, "opened": opened}}}


@get("/issues_statistics")
def statistics(call: Call) -> Any:
    call.signed_in()
    return _statistics(call, None)


get("/projects/{id}/issues_statistics")(lambda call: _statistics(call, call.project()))
get("/groups/{id}/issues_statistics")(lambda call: _statistics(call, call.group()))


@get("/issues/{issue_id}")
def by_id(call: Call) -> Any:
    call.admin()
    issue = call.store.by_ids(Issue, [call.number("issue_id")]).get(call.number("issue_id"))
    if issue is None:
        raise not_found("Issue")
    return shape.issue(call, issue)


@get(ISSUE)
def show(call: Call) -> Any:
    return shape.issue(call, find(call)[1])


def assignees(call: Call) -> list[int] | None:
    ids = call.numbers("assignee_ids")
    if ids is None and call.has("assignee_id"):
        one = call.integer("assignee_id")
        ids = [one] if one else []
    return ids


def label_list(call: Call, name: str) -> list[str] | None:
    """Label names: a comma-separated string, or an array whose entries may hold commas too."""
    value = call.args.get(name)
    if value is None:
        return None if name not in call.args else []
    listed = value if isinstance(value, list) else [value]
    if any(isinstance(one, dict | list) for one in listed):
        raise bad(f"{name} is invalid")
    return [part.strip() for one in listed for part in str(one).split(",") if part.strip()]


@post("/projects/{id}/issues")
def create(call: Call) -> Any:
    project = call.project()
    me = call.me
    issues.check_open(call.store, me, project)
    call.need("title")
    owner = access.project_level(call.store, me, project) >= access.OWNER
    facts: dict[str, Any] = {
        "description": call.text("description"), "confidential": int(bool(call.boolean("confidential", False))),
        "issue_type": call.choice("issue_type", TYPES, "issue"), "weight": _weight(call),
        "due_date": day(call.text("due_date"), "due_date"),
    }  # fmt: skip
    with call.store.transaction():
        issue = issues.create(
            call.store, me, project, call.needed("title"), iid=call.integer("iid") if owner else None,
            created_at=call.text("created_at") if owner else None, labels=label_list(call, "labels"),
            assignees=assignees(call), milestone_id=call.integer("milestone_id"), **facts,
        )  # fmt: skip
        issue = run_in_description(call, project, "Issue", issue)
    announce(call, project, issue, "open")
    return created(shape.issue(call, issue))


def _weight(call: Call) -> int | None:
    weight: int | None = call.integer("weight")
    if weight is not None and weight < 0:
        raise Refused(400, {"error": "weight does not have a valid value"})
    return weight


def announce_item(call: Call, project: Project, item: ItemRow, event: str, **facts: Any) -> None:
    """Tell hooks of an issue or a merge request, and these facts about it."""
    for name in ("id", "iid", "title", "description", "state", "author_id"):
        facts[name] = getattr(item, name)
    facts["url"] = f"{call.base}/{project.full_path}/-/{item.table}/{item.iid}"
    call.forge.deliveries.announce(project, call.me, event, {"object_attributes": facts})


def announce(call: Call, project: Project, issue: Issue, action: str) -> None:
    facts = {"project_id": project.id, "created_at": issue.created_at, "labels": issue.label_names}
    announce_item(call, project, issue, hooks.event_of_issue(issue), action=action, **facts)


_CHANGES = (
    "title", "description", "assignee_ids", "assignee_id", "milestone_id", "labels", "add_labels", "remove_labels",
    "state_event", "updated_at", "due_date", "weight", "discussion_locked", "confidential", "issue_type", "epic_id",
    "epic_iid",
)  # fmt: skip


@put(ISSUE)
def change(call: Call) -> Any:
    project, issue = find_to_change(call)
    call.need_any(_CHANGES)
    store, me = call.store, call.me
    kind = call.choice("issue_type", TYPES) if call.has("issue_type") else issue.issue_type
    event = call.choice("state_event", ("close", "reopen"))
    with store.transaction():
        changes = ItemChanges(store, me, project, issue)
        common_changes(call, changes)
        if call.has("confidential"):
            changes.confidential(bool(call.boolean("confidential")))
        if call.has("due_date"):
            changes.due_date(call.text("due_date"))
        if call.has("weight"):
            changes.weight(call.integer("weight"))
        changes.issue_type(kind)
        shared_changes(call, project, "Issue", issue)
        if event:
            issues.set_state(store, me, issue, project, event)
        fresh = issues.get(store, issue.id)
        if call.has("description"):
            fresh = run_in_description(call, project, "Issue", fresh)
    announce(call, project, fresh, {"close": "close", "reopen": "reopen"}.get(event or "", "update"))
    return shape.issue(call, fresh)


def common_changes(call: Call, changes: ItemChanges) -> None:
    """Title, description and lock, which issues and merge requests change alike."""
    if call.has("title"):
        changes.title(call.text("title", ""))
    if call.has("description"):
        changes.description(call.text("description"))
    if call.has("discussion_locked"):
        changes.locked(call.boolean("discussion_locked"))


def shared_changes(call: Call, project: Project, kind: str, item: Any) -> None:
    """Labels, assignees and milestone, which issues and merge requests change alike."""
    store, me = call.store, call.me
    wanted = label_list(call, "labels")
    added, removed = label_list(call, "add_labels"), label_list(call, "remove_labels")
    if wanted is not None or added or removed:
        names = wanted if wanted is not None else items.label_names(store, kind, item.id)
        names = [*names, *(added or [])]
        items.set_labels(store, me, project, kind, item.id, [one for one in names if one not in (removed or [])])
    people = assignees(call)
    if people is not None:
        items.set_people(store, me, project, kind, item.id, "assignee", people)
    if call.has("milestone_id"):
        items.set_milestone(store, me, project, kind, item, call.integer("milestone_id") or None)


@delete(ISSUE)
def remove(call: Call) -> Any:
    return remove_item(call, *find(call), issues.delete)


def remove_item(call: Call, project: Project, item: AnyItem, take: Callable[[Store, AnyItem], None]) -> Any:
    """Delete an issue or a merge request; `take` is the store's way to do so."""
    item_changes.check_delete(call.store, call.me, project)
    with call.store.transaction():
        take(call.store, item)
    return no_content()


@post(f"{ISSUE}/move")
def move(call: Call) -> Any:
    project, issue = find_to_change(call)
    with call.store.transaction():
        moved = issues.move(call.store, call.me, project, issue, call.integer("to_project_id") or 0)
    return created(shape.issue(call, moved))


@post(f"{ISSUE}/clone")
def clone(call: Call) -> Any:
    project, issue = find_to_change(call)
    target, with_notes = call.integer("to_project_id") or project.id, bool(call.boolean("with_notes"))
    with call.store.transaction():
        cloned = issues.clone(call.store, call.me, issue, target, with_notes=with_notes)
    return created(shape.issue(call, cloned))


@put(f"{ISSUE}/reorder")
def reorder(call: Call) -> Any:
    _, issue = find_to_change(call)
    after, before = call.integer("move_after_id"), call.integer("move_before_id")
    return shape.issue(call, issues.reorder(call.store, issue, after, before))


@get(f"{ISSUE}/user_agent_detail")
def user_agent(call: Call) -> Any:
    call.admin()
    find(call)
    return {
        "user_agent": call.request.headers.get("user-agent", ""),
        "ip_address": "127.0.0.1",
        "akismet_submitted": False,
    }
