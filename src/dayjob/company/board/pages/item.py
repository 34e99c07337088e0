"""One item, on a page of its own and in the panel beside a list: its facts, what gathers around it, its history."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.api.call import project_lite
from dayjob.company.board.pages import text
from dayjob.company.board.pages.listing import (
    PRIORITIES,
    cards,
    cycles_of,
    labels_of,
    modules_of,
    people_of,
    states_of,
)
from dayjob.company.board.pages.page import PROJECT, Page, full, page
from dayjob.company.board.records import Activity, Attachment, Comment, CycleItem, Item, Link, ModuleItem, State, User
from dayjob.company.board.rows import by_id, find, first
from dayjob.company.board.store import accounts, items, talk
from dayjob.company.pages import local

RELATIONS = {
    "blocking": "Blocking", "blocked_by": "Blocked by", "relates_to": "Relates to", "duplicate": "Duplicate of",
    "start_before": "Starts before", "start_after": "Starts after", "finish_before": "Finishes before",
    "finish_after": "Finishes after", "implements": "Implements", "implemented_by": "Implemented by",
}  # fmt: skip
_TOLD = "WHERE issue = ? AND (field IS NULL OR field NOT IN ('comment', 'vote', 'reaction', 'draft'))"
_HISTORY = 100


@page("GET", PROJECT + "/issues/{item_id}")
def show(page: Page, item_id: str) -> Response:
    return show_item(page, items.item(page.db, page.project.id, item_id))


def show_item(page: Page, item: Item) -> Response:
    if "#peek" in page.wants_part:
        beside = f"{page.here}/issues/?{urlencode({'peek': item.id})}"
        back = local(page.query.get("from", ""), beside)
        return page.show("peek-part.html", peek=shown_item(page, item, panel=True, back=back))
    return page.show("item.html", tab="issues", one=shown_item(page, item))


def shown_item(page: Page, item: Item, *, panel: bool = False, back: str = "") -> dict[str, Any]:
    """Everything a page says about an item. `back` is where its forms return to."""
    db, project = page.db, page.project
    chosen = items.assignees(db, [item.id])[item.id]
    place = first(db, CycleItem, "WHERE issue = ?", (item.id,))
    comments = find(db, Comment, "WHERE issue = ? ORDER BY created_at, rowid", (item.id,))
    activities = find(db, Activity, f"{_TOLD} ORDER BY created_at DESC, rowid DESC LIMIT {_HISTORY}", (item.id,))
    acting = {one.actor for one in comments} | {one.actor for one in activities} | {item.created_by}
    users = {one.id: one for one in accounts.users(db, sorted(one for one in acting if one))}
    state = by_id(db, State, item.state)
    workers = [
        one
        for one in people_of(db, project.id)
        if one.id in chosen or accounts.project_role(db, project.id, one.id) >= accounts.MEMBER
    ]
    children = find(db, Item, "WHERE parent = ? AND listed ORDER BY sequence_id", (item.id,))
    cycles = cycles_of(db, project.id) if project.cycle_view else []
    return {
        "item": item,
        "key": f"{project.identifier}-{item.sequence_id}",
        "at": f"{page.here}/issues/{item.id}",
        "back": back or page.address,
        "close": _without_peek(back or page.address),
        "level": 2 if panel else 1,
        "panel": panel,
        "state": state,
        "archivable": state is not None and state.group in ("completed", "cancelled"),
        "state_options": [(one.id, one.name) for one in states_of(db, project.id)],
        "priorities": PRIORITIES,
        "people": [(one.id, full(one)) for one in workers],
        "assignees": chosen,
        "labels": [(one.id, one.name) for one in labels_of(db, project.id)],
        "labelled": items.labels(db, [item.id])[item.id],
        # A cycle that is over takes nothing in any more; the one an item is in stays to be seen.
        "cycles": [
            (one.id, one.name)
            for one in cycles
            if (one.end_date or "9") >= page.ledger.now or (place and place.cycle == one.id)
        ],
        "cycle": place.cycle if place else "",
        "modules": [(one.id, one.name) for one in modules_of(db, project.id)] if project.module_view else [],
        "in_modules": [one.module for one in find(db, ModuleItem, "WHERE issue = ? ORDER BY rowid", (item.id,))],
        "parent": cards(page, [above])[0] if (above := by_id(db, Item, item.parent)) else None,
        "children": cards(page, children),
        "relations": _relations(page, item),
        "links": [
            one
            for one in find(db, Link, "WHERE issue = ? ORDER BY created_at, rowid", (item.id,))
            if text.is_web(one.url)
        ],
        "files": _files(page, item),
        "text": text.shown(item.description_html),
        "has_text": bool(text.shown(item.description_html).striptags().strip()),
        "maker": _name(users, item.created_by),
        "comments": [(one, _name(users, one.actor), text.shown(one.comment_html)) for one in comments],
        "activities": [(one, _name(users, one.actor), told(one)) for one in activities],
        "may_talk": page.may(project_lite) and project.archived_at is None,
        "may_delete": item.created_by == page.user.id or page.role == accounts.ADMIN,
        "admin": page.role == accounts.ADMIN,
    }


def _without_peek(address: str) -> str:
    path, _, query = address.partition("?")
    pairs = [one for one in parse_qsl(query, keep_blank_values=True) if one[0] != "peek"]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _name(users: dict[str, User], id: str | None) -> str:
    found = users.get(id or "")
    return full(found) if found else "Somebody"


def _relations(page: Page, item: Item) -> list[tuple[str, list[Any]]]:
    found = []
    for kind, ids in talk.relations(page.db, item.id).items():
        rows = [one for one in (by_id(page.db, Item, id) for id in ids) if one is not None]
        # What lies in a project this person is not in stays unseen.
        rows = [one for one in rows if _sees(page, one)]
        if rows:
            found.append((RELATIONS[kind], cards(page, rows)))
    return found


def _sees(page: Page, item: Item) -> bool:
    mine = item.project == page.project.id
    return mine or accounts.sees_project(page.db, page.workspace.slug, item.project, page.user.id)


def _files(page: Page, item: Item) -> list[tuple[Attachment, str]]:
    rows = find(page.db, Attachment, "WHERE issue = ? AND is_uploaded ORDER BY created_at, rowid", (item.id,))
    return [(one, f"{page.here}/issues/{item.id}/attachments/{one.id}/") for one in rows]


@page("GET", PROJECT + "/issues/{item_id}/attachments/{file_id}")
def fetch(page: Page, item_id: str, file_id: str) -> Response:
    found = talk.attachment(page.db, page.project.id, file_id)
    return RedirectResponse(page.board.storage.address("", found.asset), 302)


_WORDS = {
    "name": "renamed it to", "priority": "set the priority to", "start_date": "set the start date to",
    "target_date": "set the due date to", "state": "set the state to", "parent": "set the parent to",
    "estimate_point": "set the estimate to",
}  # fmt: skip


def told(one: Activity) -> str:
    """A line of the history as a sentence without its subject."""
    old, new = one.old_value or "", one.new_value or ""
    if one.field is None:
        return "created the work item"
    if one.field == "description":
        return "changed the description"
    if one.field == "archived_at":
        return "restored it" if new == "restore" else "archived it"
    if one.field in _WORDS:
        words = _WORDS[one.field]
        return f"{words} {new}" if new else f"{words.replace('set the', 'removed the').removesuffix(' to')}"
    if one.field in ("assignees", "labels", "cycles", "modules"):
        noun = {"assignees": "", "labels": "the label ", "cycles": "the cycle ", "modules": "the module "}[one.field]
        if new and old:
            return f"moved it from {noun}{old} to {new}"
        if one.field == "assignees":
            return f"assigned it to {new}" if new else f"took it from {old}"
        return f"added {noun}{new}" if new else f"removed {noun}{old}"
    if one.field == "link":
        return (
            f"added the link {new}"
            if new and not old
            else f"changed the link to {new}"
            if new
            else f"removed the link {old}"
        )
    if one.field == "attachment":
        return "added a file" if one.verb == "created" else "removed a file"
    if one.field == "intake":
        return f"marked it {new.lower()} in the intake"
    if one.field in RELATIONS:
        kind = RELATIONS[one.field].lower()
        return f"added the relation: {kind} {new}" if new else f"removed the relation: {kind} {old}"
    return f"{one.comment.strip()} {new}".strip()
