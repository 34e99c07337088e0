"""Issues: list, open, change, close, move, delete; in a project, a group and everywhere."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.item_filters import item_filters
from dayjob.company.forge.api.quick_actions import run_in_description
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, issues, items, labels, namespaces, notes, projects, visibility
from dayjob.company.forge.store.base import Refused, Store, forbidden, not_found, refused
from dayjob.company.forge.store.issues import TYPES, Issue
from dayjob.company.forge.store.item_changes import ItemChanges
from dayjob.company.forge.store.projects import Project

ISSUE = "/projects/{id}/issues/{iid}"


def find(call: Call, level: int = 0) -> tuple[Project, Issue]:
    """The issue in the path; a confidential one exists only for those who may see it."""
    project = call.project(level)
    if not access.may_use(call.store, call.user, project, "issues"):
        raise not_found()
    issue = issues.find(call.store, project, call.number("iid"))
    if issue is None or not visibility.may_see_issue(call.store, call.user, project, issue):
        raise not_found("Issue" if issue is None else "")
    return project, issue


def may_write(call: Call, project: Project, issue: Issue) -> None:
    """Authors and assignees may change their own; everyone else needs to be a planner or more."""
    level = access.project_level(call.store, call.me, project)
    if level < access.PLANNER and call.me.id != issue.author_id and call.me.id not in issue.assignee_ids:
        raise forbidden()


def _listed(call: Call, where: str, args: list[Any]) -> Any:
    listing = item_filters(call, "Issue", Issue, where, args)
    return call.listing(listing, lambda rows: shape.issues(call, rows))


@get("/issues")
def everywhere(call: Call) -> Any:
    if call.user is None:
        call.signed_in()
    if not call.has("scope"):
        call.args["scope"] = "created_by_me"
    return _listed(call, access.visible_projects(call.user, "t.project_id"), [])


@get("/groups/{id}/issues")
def in_group(call: Call) -> Any:
    group = call.group()
    below = namespaces.descendants(call.store, group.id)
    marks = ",".join("?" * len(below))
    where = (
        f"t.project_id IN (SELECT id FROM projects WHERE namespace_id IN ({marks})) AND "
        f"{access.visible_projects(call.user, 't.project_id')}"
    )
    return _listed(call, where, list(below))


@get("/projects/{id}/issues")
def in_project(call: Call) -> Any:
    return _listed(call, "t.project_id=?", [call.project().id])


def _statistics(call: Call, where: str, args: list[Any]) -> Any:
    call.args.pop("state", None)
    listing = item_filters(call, "Issue", Issue, where, args)
    opened = call.store.value(f"SELECT count(*) {listing.source} AND t.state='opened'", *listing.args)
    total = call.store.count(listing)
    return {"statistics": {"counts": {"all": total, "closed": total - opened, "opened": opened}}}


@get("/issues_statistics")
def statistics(call: Call) -> Any:
    call.signed_in()
    return _statistics(call, access.visible_projects(call.user, "t.project_id"), [])


@get("/projects/{id}/issues_statistics")
def project_statistics(call: Call) -> Any:
    return _statistics(call, "t.project_id=?", [call.project().id])


@get("/groups/{id}/issues_statistics")
def group_statistics(call: Call) -> Any:
    below = namespaces.descendants(call.store, call.group().id)
    return _statistics(
        call,
        f"t.project_id IN (SELECT id FROM projects WHERE namespace_id IN ({','.join('?' * len(below))})) AND "
        f"{access.visible_projects(call.user, 't.project_id')}",
        list(below),
    )


@get("/issues/{issue_id}")
def by_id(call: Call) -> Any:
    call.admin()
    issue = call.store.one(Issue, "id=?", call.number("issue_id"))
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
    if project.archived or not access.may_use(call.store, call.user, project, "issues"):
        raise forbidden()
    call.need("title")
    owner = access.project_level(call.store, me, project) >= access.OWNER
    facts: dict[str, Any] = {
        "description": call.text("description"), "confidential": int(bool(call.boolean("confidential", False))),
        "issue_type": call.choice("issue_type", TYPES, "issue"), "weight": _weight(call),
        "due_date": labels.day(call.text("due_date"), "due_date"),
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


def announce(call: Call, project: Project, issue: Issue, action: str) -> None:
    facts = {
        "object_attributes": {
            "id": issue.id,
            "iid": issue.iid,
            "title": issue.title,
            "description": issue.description,
            "state": issue.state,
            "action": action,
            "project_id": project.id,
            "author_id": issue.author_id,
            "created_at": issue.created_at,
            "url": f"{call.base}/{project.full_path}/-/issues/{issue.iid}",
            "labels": issue.label_names,
        }
    }
    call.forge.deliveries.announce(project, call.me, "issues", facts)


_CHANGES = (
    "title",
    "description",
    "assignee_ids",
    "assignee_id",
    "milestone_id",
    "labels",
    "add_labels",
    "remove_labels",
    "state_event",
    "updated_at",
    "due_date",
    "weight",
    "discussion_locked",
    "confidential",
    "issue_type",
    "epic_id",
    "epic_iid",
)


@put(ISSUE)
def change(call: Call) -> Any:
    project, issue = find(call)
    may_write(call, project, issue)
    if not any(call.has(name) for name in _CHANGES):
        raise bad(f"{', '.join(_CHANGES)} are missing, at least one parameter must be provided")
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
        store.update("issues", issue.id, issue_type=kind, updated_at=store.now())
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
    project, issue = find(call)
    if access.project_level(call.store, call.me, project) < access.OWNER:
        raise forbidden()
    with call.store.transaction():
        issues.delete(call.store, issue)
    return no_content()


@post(f"{ISSUE}/move")
def move(call: Call) -> Any:
    project, issue = find(call)
    may_write(call, project, issue)
    target = projects.find(call.store, call.integer("to_project_id") or 0)
    if target is None or not access.can_see_project(call.store, call.user, target):
        raise not_found("Project")
    if target.id == project.id:
        raise refused(400, "Cannot move issue to project it originates from!")
    if access.project_level(call.store, call.me, target) < access.PLANNER:
        raise refused(400, "Cannot move issue due to insufficient permissions!")
    store: Store = call.store
    with store.transaction():
        copy = _copy(call, issue, target)
        store.update("issues", issue.id, moved_to=copy.id)
        notes.system(store, call.me, "Issue", issue.id, project.id, f"moved to {target.full_path}#{copy.iid}")
        issues.set_state(store, call.me, issue, project, "close")
    return created(shape.issue(call, copy))


@post(f"{ISSUE}/clone")
def clone(call: Call) -> Any:
    project, issue = find(call)
    may_write(call, project, issue)
    target = projects.find(call.store, call.integer("to_project_id") or project.id)
    if target is None or access.project_level(call.store, call.me, target) < access.PLANNER:
        raise not_found("Project")
    with call.store.transaction():
        return created(shape.issue(call, _copy(call, issue, target, with_notes=bool(call.boolean("with_notes")))))


def _copy(call: Call, issue: Issue, target: Project, *, with_notes: bool = True) -> Issue:
    store = call.store
    copy = issues.create(
        store, call.me, target, issue.title, description=issue.description, labels=issue.label_names,
        assignees=issue.assignee_ids, weight=issue.weight, due_date=issue.due_date, confidential=issue.confidential,
        issue_type=issue.issue_type,
    )  # fmt: skip
    store.update("issues", copy.id, author_id=issue.author_id)
    if with_notes:
        store.db.execute(
            "INSERT INTO notes (noteable_type, noteable_id, project_id, author_id, body, system, discussion_id, "
            "type, created_at, updated_at) "
            "SELECT noteable_type, ?, ?, author_id, body, system, discussion_id, type, created_at, updated_at "
            "FROM notes "
            "WHERE noteable_type='Issue' AND noteable_id=? AND system=0 ORDER BY id",
            (copy.id, target.id, issue.id),
        )
        store.update("issues", copy.id, user_notes_count=issue.user_notes_count)
    return issues.get(store, copy.id)


@put(f"{ISSUE}/reorder")
def reorder(call: Call) -> Any:
    project, issue = find(call)
    may_write(call, project, issue)
    after, before = call.integer("move_after_id"), call.integer("move_before_id")
    store = call.store

    def place(issue_id: int | None) -> int | None:
        found = store.one(Issue, "id=?", issue_id) if issue_id else None
        return (found.relative_position if found.relative_position is not None else found.id * 1000) if found else None

    low, high = place(after), place(before)
    if low is None and high is None:
        raise bad("move_after_id, move_before_id are missing, at least one parameter must be provided")
    position = (
        (low + high) // 2
        if low is not None and high is not None
        else (low + 500 if low is not None else (high or 0) - 500)
    )
    store.update("issues", issue.id, relative_position=position)
    return shape.issue(call, issues.get(store, issue.id))


@get(f"{ISSUE}/participants")
def participants(call: Call) -> Any:
    _, issue = find(call)
    return call.paged(items.participants(call.store, "Issue", issue.id, issue.author_id), lambda one: basic(call, one))


@get(f"{ISSUE}/user_agent_detail")
def user_agent(call: Call) -> Any:
    call.admin()
    find(call)
    return {
        "user_agent": call.request.headers.get("user-agent", ""),
        "ip_address": "127.0.0.1",
        "akismet_submitted": False,
    }
