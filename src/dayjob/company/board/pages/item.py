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
    people_of,
)
from dayjob.company.board.pages.page import PROJECT, Page, full, page
from dayjob.company.board.rows import Activity, Attachment, Item, User
from dayjob.company.board.store import accounts, activity, item_lists, items, projects, talk
from dayjob.company.board.store import cycles as cycle_store
from dayjob.company.board.store import modules as module_store
from dayjob.company.board.store.plans import MODULES
from dayjob.company.pages import local

RELATIONS = {
    "blocking": "Blocking", "blocked_by": "Blocked by", "relates_to": "Relates to", "duplicate": "Duplicate of",
    "start_before": "Starts before", "start_after": "Starts after", "finish_before": "Finishes before",
    "finish_after": "Finishes after", "implements": "Implements", "implemented_by": "Implemented by",
}  # fmt: skip
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
    place = cycle_store.cycle_of(db, item.id)
    comments = talk.comments(item.id).rows(db, "created_at")
    activities = activity.listing(item.id).rows(db, "-created_at", _HISTORY)
    acting = {one.actor for one in comments} | {one.actor for one in activities} | {item.created_by}
    users = {one.id: one for one in accounts.users(db, sorted(one for one in acting if one))}
    state = projects.state(db, item.state)
    workers = [
        one
        for one in people_of(db, project.id)
        if one.id in chosen or accounts.project_role(db, project.id, one.id) >= accounts.MEMBER
    ]
    children = item_lists.children(item.id).rows(db, "sequence_id")
    modules = module_store.of_project(db, project.id) if project.module_view else []
    cycles = cycle_store.of_project(db, project.id) if project.cycle_view else []
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
        "state_options": [(one.id, one.name) for one in projects.states(db, project.id)],
        "priorities": PRIORITIES,
        "people": [(one.id, full(one)) for one in workers],
        "assignees": chosen,
        "labels": [(one.id, one.name) for one in projects.labels(db, project.id)],
        "labelled": items.labels(db, [item.id])[item.id],
        # A cycle that is over takes nothing in any more; the one an item is in stays to be seen.
        "cycles": [
            (one.id, one.name)
            for one in cycles
            if (one.end_date or "9") >= page.store.now or (place and place.cycle == one.id)
        ],
        "cycle": place.cycle if place else "",
        "modules": [(one.id, one.name) for one in modules],
        "in_modules": [place.module for place in MODULES.places_of(db, item.id)],
        "parent": cards(page, [above])[0] if (above := items.by_id(db, item.parent)) else None,
        "children": cards(page, children),
        "relations": _relations(page, item),
        "links": [link for link in talk.links(item.id).rows(db, "created_at") if text.is_web(link.url)],
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
        # What lies in a project this person is not in stays unseen.
        rows = items.seen(page.db, page.workspace.slug, page.user.id, ids)
        if rows:
            found.append((RELATIONS[kind], cards(page, rows)))
    return found


def _files(page: Page, item: Item) -> list[tuple[Attachment, str]]:
    rows = talk.attachments(item.id).rows(page.db, "created_at")
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
