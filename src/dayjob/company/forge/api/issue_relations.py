"""What hangs on issues and merge requests alike: links, subscriptions, to-dos, time, reactions, traces of changes."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api import issues as issue_api
from dayjob.company.forge.api.call import Call, Json, created, no_content, not_modified
from dayjob.company.forge.api.events import todo_shape
from dayjob.company.forge.api.merge_requests import find_request
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.errors import bad
from dayjob.company.forge.rows.items import Award, Issue, IssueLink, Label, MergeRequest, ResourceEvent
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes.users import basic, people
from dayjob.company.forge.store import (
    award_emoji,
    closings,
    discussions,
    issue_links,
    item_changes,
    items,
    notes,
    resource_events,
    subscriptions,
)
from dayjob.company.forge.store.discussions import Noteable
from dayjob.company.forge.store.issue_links import LINK_TYPES
from dayjob.company.forge.store.issue_text import seconds
from dayjob.company.forge.store.item_changes import ItemChanges


def _item(call: Call, kind: str) -> tuple[Project, Issue | MergeRequest]:
    return issue_api.find(call) if kind == "Issue" else find_request(call)


def _shaped(call: Call, project: Project, item: Issue | MergeRequest) -> Any:
    if isinstance(item, Issue):
        return shape.issue(call, item)
    return request_shape.merge_request(call, item, project)


# -- subscriptions and to-dos ------------------------------------------------------------------------------------


def _subscription(call: Call, kind: str, wanted: bool) -> Any:
    project, item = _item(call, kind)
    if not subscriptions.choose(call.store, call.me, kind, item.id, wanted):
        return not_modified()
    return created(_shaped(call, project, item))


def _todo(call: Call, kind: str) -> Any:
    project, item = _item(call, kind)
    todo_id = notes.todo(call.store, call.me.id, call.me, "marked", kind, item.id, project.id, item.title)
    return not_modified() if todo_id is None else created(todo_shape(call, todo_id))


# -- time --------------------------------------------------------------------------------------------------------


def _duration(call: Call) -> int:
    text = call.filled("duration")
    found = seconds(text)
    if found is None:
        raise bad("duration is invalid")
    return found


def _time(call: Call, kind: str, what: str) -> Any:
    project, item = _item(call, kind)
    if what == "stats":
        return shape.time_stats(item.time_estimate, item.time_spent)
    item_changes.check_tracking(call.store, call.me, project)
    changes = ItemChanges(call.store, call.me, project, item)
    with call.store.transaction():
        if what == "estimate":
            changes.estimate(_duration(call))
        elif what == "reset_estimate":
            changes.estimate(0)
        elif what == "spend":
            changes.spend(_duration(call))
        else:
            changes.remove_time_spent()
    changed = item_changes.get(call.store, kind, item.id)
    answer = shape.time_stats(changed.time_estimate, changed.time_spent)
    return created(answer) if what == "spend" else Json(answer, 200)


# -- reactions ---------------------------------------------------------------------------------------------------


def _awardable(call: Call, kind: str, on_note: bool) -> tuple[str, int]:
    project, item = _item(call, kind)
    if not on_note:
        return kind, item.id
    noteable = Noteable(kind, item.id, project)
    return "Note", discussions.find_note(call.store, call.user, noteable, call.number("note_id")).id


def _award(call: Call, row: Award) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "user": people(call, [row.user_id]).get(row.user_id),
        "created_at": row.created_at,
        "updated_at": row.created_at,
        "awardable_id": row.awardable_id,
        "awardable_type": row.awardable_type,
        "url": None,
    }


def _awards(call: Call, kind: str, on_note: bool) -> Any:
    return call.paged(award_emoji.of(call.store, *_awardable(call, kind, on_note)), lambda row: _award(call, row))


def _one_award(call: Call, kind: str, on_note: bool) -> Award:
    return award_emoji.find(call.store, *_awardable(call, kind, on_note), call.number("award_id"))


def _add_award(call: Call, kind: str, on_note: bool) -> Any:
    what, target = _awardable(call, kind, on_note)
    name = call.filled("name").strip(":")
    return created(_award(call, award_emoji.add(call.store, call.me, what, target, name)))


def _remove_award(call: Call, kind: str, on_note: bool) -> Any:
    award_emoji.remove(call.store, call.me, _one_award(call, kind, on_note))
    return no_content()


# -- traces ------------------------------------------------------------------------------------------------------


def _trace(call: Call, row: ResourceEvent) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": row.id,
        "user": people(call, [row.user_id]).get(row.user_id),
        "created_at": row.created_at,
        "resource_type": row.item_type,
        "resource_id": row.item_id,
    }
    value = int(row.value) if row.value is not None and row.kind != "state" else None
    if row.kind == "label":
        label = call.store.by_ids(Label, [value]).get(value or 0)
        shown["label"] = shape.label(call, label, counts=False) if label else None
        shown["action"] = row.action
    elif row.kind == "milestone":
        shown["milestone"] = shape.milestones(call, [value]).get(value or 0)
        shown["action"] = row.action
        shown["state"] = "opened"
    elif row.kind == "weight":
        shown["weight"] = value
        shown["issue_id"] = row.item_id
    else:
        shown["state"] = row.action
        shown["source_commit"], shown["source_merge_request"] = None, None
    return shown


def _traces(call: Call, kind: str, what: str) -> Any:
    _, item = _item(call, kind)
    return call.paged(resource_events.of(call.store, kind, item.id, what), lambda row: _trace(call, row))


def _one_trace(call: Call, kind: str, what: str) -> Any:
    _, item = _item(call, kind)
    return _trace(call, resource_events.find(call.store, kind, item.id, what, call.number("event_id")))


def _participants(call: Call, kind: str) -> Any:
    _, item = _item(call, kind)
    found = items.participants(call.store, kind, item.id, item.author_id)
    return call.paged(found, lambda user: basic(call, user))


def _register(kind: str, base: str) -> None:
    post(f"{base}/subscribe")(lambda call: _subscription(call, kind, True))
    post(f"{base}/unsubscribe")(lambda call: _subscription(call, kind, False))
    get(f"{base}/participants")(lambda call: _participants(call, kind))
    post(f"{base}/todo")(lambda call: _todo(call, kind))
    get(f"{base}/time_stats")(lambda call: _time(call, kind, "stats"))
    post(f"{base}/time_estimate")(lambda call: _time(call, kind, "estimate"))
    post(f"{base}/reset_time_estimate")(lambda call: _time(call, kind, "reset_estimate"))
    post(f"{base}/add_spent_time")(lambda call: _time(call, kind, "spend"))
    post(f"{base}/reset_spent_time")(lambda call: _time(call, kind, "reset_spent"))
    for on_note, place in ((False, base), (True, f"{base}/notes/{{note_id}}")):
        get(f"{place}/award_emoji")(lambda call, note=on_note: _awards(call, kind, note))
        post(f"{place}/award_emoji")(lambda call, note=on_note: _add_award(call, kind, note))
        get(f"{place}/award_emoji/{{award_id}}")(lambda call, note=on_note: _award(call, _one_award(call, kind, note)))
        delete(f"{place}/award_emoji/{{award_id}}")(lambda call, note=on_note: _remove_award(call, kind, note))
    for what in ("label", "milestone", "state", "weight"):
        get(f"{base}/resource_{what}_events")(lambda call, what=what: _traces(call, kind, what))
        get(f"{base}/resource_{what}_events/{{event_id}}")(lambda call, what=what: _one_trace(call, kind, what))


_register("Issue", "/projects/{id}/issues/{iid}")
_register("MergeRequest", "/projects/{id}/merge_requests/{iid}")


# -- links between issues ----------------------------------------------------------------------------------------

LINKS = f"{issue_api.ISSUE}/links"


@get(LINKS)
def links(call: Call) -> Any:
    _, issue = issue_api.find(call)
    linked = issue_links.others(call.store, call.user, issue)
    shown = shape.issues(call, [other for _, other in linked])
    return call.paged(
        [
            {
                **other,
                "issue_link_id": link.id,
                "link_type": link.seen_from(issue),
                "link_created_at": link.created_at,
                "link_updated_at": link.created_at,
            }
            for (link, _), other in zip(linked, shown, strict=True)
        ]
    )


def _link_shape(call: Call, link: IssueLink) -> dict[str, Any]:
    source, target = shape.issues(call, issue_links.both_ends(call.store, link))
    return {"id": link.id, "source_issue": source, "target_issue": target, "link_type": link.link_type}


@post(LINKS)
def link(call: Call) -> Any:
    project, issue = issue_api.find_to_change(call)
    call.need("target_project_id", "target_issue_iid")
    other_project = call.project(name=call.text("target_project_id"))
    other_iid, link_type = call.integer("target_issue_iid"), call.choice("link_type", LINK_TYPES, "relates_to")
    with call.store.transaction():
        added = issue_links.add(call.store, call.me, project, issue, other_project, other_iid, link_type)
    return created(_link_shape(call, added))


@get(f"{LINKS}/{{link_id}}")
def show_link(call: Call) -> Any:
    _, issue = issue_api.find(call)
    return _link_shape(call, issue_links.find(call.store, call.user, issue, call.number("link_id")))


@delete(f"{LINKS}/{{link_id}}")
def unlink(call: Call) -> Any:
    _, issue = issue_api.find_to_change(call)
    row = issue_links.find(call.store, call.user, issue, call.number("link_id"))
    shown = _link_shape(call, row)
    issue_links.remove(call.store, row)
    return shown


def _requests(call: Call, *, closing: bool) -> Any:
    _, issue = issue_api.find(call)
    rows = closings.requests(call.store, call.user, issue, closing=closing)
    return call.paged(request_shape.merge_requests(call, rows))


@get(f"{issue_api.ISSUE}/related_merge_requests")
def related(call: Call) -> Any:
    return _requests(call, closing=False)


@get(f"{issue_api.ISSUE}/closed_by")
def closed_by(call: Call) -> Any:
    return _requests(call, closing=True)
