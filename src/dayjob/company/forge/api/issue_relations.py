"""What hangs on issues and merge requests alike: links, subscriptions, to-dos, time, reactions, traces of changes."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api import issues as issue_api
from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, no_content, not_modified
from dayjob.company.forge.api.events import todo_shape
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, issues, merge_requests, notes, visibility
from dayjob.company.forge.store.base import forbidden, not_found, refused
from dayjob.company.forge.store.issue_text import seconds
from dayjob.company.forge.store.issues import IssueLink
from dayjob.company.forge.store.item_changes import ItemChanges
from dayjob.company.forge.store.labels import TABLES, Label, Milestone
from dayjob.company.forge.store.merge_requests import MergeRequest
from dayjob.company.forge.store.notes import Note
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


def find_request(call: Call, level: int = 0) -> tuple[Project, MergeRequest]:
    project = call.project(level)
    call.reader(project)
    if not access.may_use(call.store, call.user, project, "merge_requests"):
        raise not_found()
    request = merge_requests.find(call.store, project, call.number("iid"))
    if request is None:
        raise not_found()
    return project, request


def _item(call: Call, kind: str) -> tuple[Project, Any]:
    return issue_api.find(call) if kind == "Issue" else find_request(call)


def _may_write(call: Call, kind: str, project: Project, item: Any) -> None:
    if kind == "Issue":
        issue_api.may_write(call, project, item)
    elif access.project_level(call.store, call.me, project) < access.DEVELOPER and call.me.id != item.author_id:
        raise forbidden()


def _shaped(call: Call, kind: str, project: Project, item_id: int) -> Any:
    if kind == "Issue":
        return shape.issue(call, issues.get(call.store, item_id))
    return request_shape.merge_request(call, merge_requests.get(call.store, item_id), project)


# -- subscriptions and to-dos ------------------------------------------------------------------------------------


def subscribe(call: Call, kind: str, item_id: int, wanted: bool) -> bool:
    """Write the choice down; False when nothing changed."""
    before = call.store.value(
        "SELECT subscribed FROM subscriptions WHERE user_id=? AND item_type=? AND item_id=?", call.me.id, kind, item_id
    )
    if before == int(wanted):
        return False
    call.store.db.execute(
        "INSERT OR REPLACE INTO subscriptions VALUES (?,?,?,?)", (call.me.id, kind, item_id, int(wanted))
    )
    return True


def _subscription(call: Call, kind: str, wanted: bool) -> Any:
    project, item = _item(call, kind)
    if not subscribe(call, kind, item.id, wanted):
        return not_modified()
    return created(_shaped(call, kind, project, item.id))


def _todo(call: Call, kind: str) -> Any:
    project, item = _item(call, kind)
    waiting = (
        "SELECT id FROM todos WHERE user_id=? AND state='pending' AND target_type=? AND target_id=? AND action='marked'"
    )
    if call.store.value(waiting, call.me.id, kind, item.id):
        return not_modified()
    notes.todo(call.store, call.me.id, call.me, "marked", kind, item.id, project.id, item.title)
    return created(todo_shape(call, call.store.value(waiting, call.me.id, kind, item.id)))


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
    if access.project_level(call.store, call.me, project) < access.REPORTER and not call.me.admin:
        raise forbidden()
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
    sql = f"SELECT time_estimate, time_spent FROM {TABLES[kind]} WHERE id=?"
    row = call.store.db.execute(sql, (item.id,)).fetchone()
    answer = shape.time_stats(*row)
    return created(answer) if what in ("spend",) else Json(answer, 200)


# -- reactions ---------------------------------------------------------------------------------------------------


def _awardable(call: Call, kind: str, on_note: bool) -> tuple[Project, str, int]:
    project, item = _item(call, kind)
    if not on_note:
        return project, kind, item.id
    note = call.store.one(Note, "id=? AND noteable_type=? AND noteable_id=?", call.number("note_id"), kind, item.id)
    if note is None or not visibility.may_see_note(call.store, call.user, project, note):
        raise not_found("Note")
    return project, "Note", note.id


def _award(call: Call, row: tuple[Any, ...]) -> dict[str, Any]:
    award_id, what, target, name, user_id, at = row
    return {
        "id": award_id,
        "name": name,
        "user": basic(call, call.store.one(User, "id=?", user_id)),
        "created_at": at,
        "updated_at": at,
        "awardable_id": target,
        "awardable_type": what,
        "url": None,
    }


_AWARDS = (
    "SELECT id, awardable_type, awardable_id, name, user_id, created_at FROM award_emoji WHERE "
    "awardable_type=? AND awardable_id=?"
)


def _awards(call: Call, kind: str, on_note: bool) -> Any:
    _, what, target = _awardable(call, kind, on_note)
    rows = call.store.db.execute(f"{_AWARDS} ORDER BY id", (what, target)).fetchall()
    return call.paged(rows, lambda row: _award(call, row))


def _one_award(call: Call, kind: str, on_note: bool) -> tuple[Any, ...]:
    _, what, target = _awardable(call, kind, on_note)
    row: tuple[Any, ...] | None = call.store.db.execute(
        f"{_AWARDS} AND id=?", (what, target, call.number("award_id"))
    ).fetchone()
    if row is None:
        raise not_found()
    return row


def _add_award(call: Call, kind: str, on_note: bool) -> Any:
    _, what, target = _awardable(call, kind, on_note)
    name = call.filled("name").strip(":")
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise refused(400, {"name": ["is not a valid emoji name"]})
    if call.store.value(
        "SELECT 1 FROM award_emoji WHERE awardable_type=? AND awardable_id=? AND name=? AND user_id=?",
        what,
        target,
        name,
        call.me.id,
    ):
        raise not_found("Award Emoji Name has already been taken")
    award_id = call.store.insert(
        "award_emoji",
        awardable_type=what,
        awardable_id=target,
        name=name,
        user_id=call.me.id,
        created_at=call.store.now(),
    )
    return created(_award(call, call.store.db.execute(f"{_AWARDS} AND id=?", (what, target, award_id)).fetchone()))


def _remove_award(call: Call, kind: str, on_note: bool) -> Any:
    row = _one_award(call, kind, on_note)
    if row[4] != call.me.id and not call.me.admin:
        raise forbidden()
    call.store.delete("award_emoji", row[0])
    return no_content()


# -- traces ------------------------------------------------------------------------------------------------------


def _trace(call: Call, kind: str, what: str, row: tuple[Any, ...]) -> dict[str, Any]:
    event_id, user_id, action, value, at, item_id = row
    found: dict[str, Any] = {
        "id": event_id,
        "user": basic(call, call.store.one(User, "id=?", user_id)),
        "created_at": at,
        "resource_type": kind,
        "resource_id": item_id,
    }
    if what == "label":
        label = call.store.one(Label, "id=?", int(value))
        found["label"] = shape.label(call, label, counts=False) if label else None
        found["action"] = action
    elif what == "milestone":
        milestone = call.store.one(Milestone, "id=?", int(value)) if value else None
        found["milestone"] = shape.milestone(call, milestone) if milestone else None
        found["action"] = action
        found["state"] = "opened"
    elif what == "weight":
        found["weight"] = int(value) if value is not None else None
        found["issue_id"] = item_id
    else:
        found["state"] = action
        found["source_commit"], found["source_merge_request"] = None, None
    return found


_TRACES = (
    "SELECT id, user_id, action, value, created_at, item_id FROM resource_events WHERE item_type=? AND "
    "item_id=? AND kind=?"
)


def _traces(call: Call, kind: str, what: str) -> Any:
    _, item = _item(call, kind)
    rows = call.store.db.execute(f"{_TRACES} ORDER BY id", (kind, item.id, what)).fetchall()
    return call.paged(rows, lambda row: _trace(call, kind, what, row))


def _one_trace(call: Call, kind: str, what: str) -> Any:
    _, item = _item(call, kind)
    row = call.store.db.execute(f"{_TRACES} AND id=?", (kind, item.id, what, call.number("event_id"))).fetchone()
    if row is None:
        raise not_found()
    return _trace(call, kind, what, row)


def _register(kind: str, base: str) -> None:
    post(f"{base}/subscribe")(lambda call: _subscription(call, kind, True))
    post(f"{base}/unsubscribe")(lambda call: _subscription(call, kind, False))
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


def _seen(call: Call, issue_id: int) -> bool:
    return bool(call.store.value(f"SELECT 1 FROM issues t WHERE t.id=? AND {visibility.issues(call.user)}", issue_id))


@get(LINKS)
def links(call: Call) -> Any:
    _, issue = issue_api.find(call)
    found = []
    for link in call.store.all(IssueLink, "source_id=? OR target_id=? ORDER BY id", issue.id, issue.id):
        other = issues.get(call.store, link.target_id if link.source_id == issue.id else link.source_id)
        if _seen(call, other.id):
            backwards = link.target_id == issue.id and link.link_type == "blocks"
            kind = "is_blocked_by" if backwards else link.link_type
            found.append(
                {
                    **shape.issues(call, [other])[0],
                    "issue_link_id": link.id,
                    "link_type": kind,
                    "link_created_at": link.created_at,
                    "link_updated_at": link.created_at,
                }
            )
    return call.paged(found)


def _link_shape(call: Call, link: IssueLink) -> dict[str, Any]:
    both = shape.issues(call, [issues.get(call.store, link.source_id), issues.get(call.store, link.target_id)])
    return {"id": link.id, "source_issue": both[0], "target_issue": both[1], "link_type": link.link_type}


@post(LINKS)
def link(call: Call) -> Any:
    project, issue = issue_api.find(call)
    issue_api.may_write(call, project, issue)
    call.need("target_project_id", "target_issue_iid")
    home = call.project(name=call.text("target_project_id"))
    other = issues.find(call.store, home, call.integer("target_issue_iid"))
    if other is None or not _seen(call, other.id):
        raise not_found("Issue")
    kind = call.choice("link_type", ("relates_to", "blocks", "is_blocked_by"), "relates_to")
    source, target = (other, issue) if kind == "is_blocked_by" else (issue, other)
    if source.id == target.id or call.store.value(
        "SELECT 1 FROM issue_links WHERE source_id=? AND target_id=? OR source_id=? AND target_id=?",
        source.id,
        target.id,
        target.id,
        source.id,
    ):
        raise refused(409, "Issue(s) already assigned")
    with call.store.transaction():
        link_id = call.store.insert(
            "issue_links", source_id=source.id, target_id=target.id, link_type="blocks" if "block" in kind else kind,
            created_at=call.store.now(),
        )  # fmt: skip
        notes.system(
            call.store,
            call.me,
            "Issue",
            issue.id,
            project.id,
            f"marked this issue as related to {home.full_path}#{other.iid}",
        )
    row = call.store.one(IssueLink, "id=?", link_id)
    assert row is not None
    return created(_link_shape(call, row))


def _link(call: Call) -> IssueLink:
    _, issue = issue_api.find(call)
    row = call.store.one(IssueLink, "id=? AND (source_id=? OR target_id=?)", call.number("link_id"), issue.id, issue.id)
    if row is None or not (_seen(call, row.source_id) and _seen(call, row.target_id)):
        raise not_found()
    return row


@get(f"{LINKS}/{{link_id}}")
def show_link(call: Call) -> Any:
    return _link_shape(call, _link(call))


@delete(f"{LINKS}/{{link_id}}")
def unlink(call: Call) -> Any:
    project, issue = issue_api.find(call)
    issue_api.may_write(call, project, issue)
    row = _link(call)
    shown = _link_shape(call, row)
    call.store.delete("issue_links", row.id)
    return shown


def _requests(call: Call, condition: str) -> Any:
    _, issue = issue_api.find(call)
    seen = visibility.requests(call.user, "merge_requests")
    closing = f"SELECT merge_request_id FROM closings WHERE issue_id=? {condition}"
    rows = call.store.all(MergeRequest, f"id IN ({closing}) AND {seen} ORDER BY id", issue.id)
    return call.paged(request_shape.merge_requests(call, rows))


@get(f"{issue_api.ISSUE}/related_merge_requests")
def related(call: Call) -> Any:
    return _requests(call, "")


@get(f"{issue_api.ISSUE}/closed_by")
def closed_by(call: Call) -> Any:
    return _requests(call, "AND closes=1")
