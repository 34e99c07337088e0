"""Work items: made with the next number of their project, changed with a line in their history, listed in order."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board import markup
from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import EstimatePoint, Item, ItemType, Label, Project, State, User
from dayjob.company.board.refusals import BadRequest, Forbidden, Invalid, NotThere
from dayjob.company.board.rows import by_id, find, first, insert, update
from dayjob.company.board.store import accounts, outside, projects
from dayjob.company.board.store.activity import note

PRIORITIES = ("urgent", "high", "medium", "low", "none")


def item(db: sqlite3.Connection, project: str, id: str) -> Item:
    """The item of a project, whatever its state."""
    found = first(db, Item, "WHERE id = ? AND project = ?", (id, project))
    if found is None:
        raise NotThere
    return found


def listed_item(db: sqlite3.Connection, slug: str, project: str, id: str) -> Item:
    """The item of a workspace's project, if lists would show it."""
    found = first(
        db,
        Item,
        "JOIN projects ON projects.id = items.project JOIN workspaces ON workspaces.id = items.workspace"
        " WHERE items.id = ? AND items.project = ? AND slug = ? AND listed AND projects.archived_at IS NULL",
        (id, project, slug),
    )
    if found is None:
        raise NotThere
    return found


def item_by_number(db: sqlite3.Connection, slug: str, identifier: str, number: int) -> Item:
    found = first(
        db,
        Item,
        "JOIN projects ON projects.id = items.project JOIN workspaces ON workspaces.id = items.workspace"
        " WHERE identifier = ? AND sequence_id = ? AND slug = ? AND listed AND projects.archived_at IS NULL",
        (identifier, number, slug),
    )
    if found is None:
        raise NotThere
    return found


def named(db: sqlite3.Connection, item: Item) -> str:
    """An item's short name, such as TREL-12."""
    row = db.execute("SELECT identifier FROM projects WHERE id = ?", (item.project,)).fetchone()
    return f"{row[0]}-{item.sequence_id}" if row else str(item.sequence_id)


# -- making and changing -----------------------------------------------------------------------------------------


def create(ledger: Ledger, project: Project, facts: dict[str, Any], *, history: bool = True) -> str:
    """A new item. `facts` may hold `assignees` and `labels`, `created_at` and `created_by`."""
    db = ledger.db
    facts = _checked(ledger, project, facts, None)
    assignees, labels = facts.pop("assignees", None), facts.pop("labels", None)
    values = {**ledger.birth(), "workspace": project.workspace, "project": project.id, **facts}
    state = _state(db, values.get("state")) or projects.default_state(db, project.id)
    values["state"] = state.id if state else None
    values["completed_at"] = ledger.now if state and state.group == "completed" else None
    values["listed"] = _is_listed(values.get("archived_at"), values.get("is_draft"), state)
    values["sequence_id"] = _next_number(db, project.id)
    if "sort_order" not in facts:
        last = db.execute("SELECT max(sort_order) FROM items WHERE state IS ?", (values["state"],)).fetchone()[0]
        values["sort_order"] = 65535.0 if last is None else last + 10000
    insert(db, "items", values)
    id = str(values["id"])
    if not assignees and project.default_assignee is not None:
        assignees = _who_may(db, project.id, [project.default_assignee])
    _link(ledger, "item_assignees", "assignee", id, assignees or [])
    _link(ledger, "item_labels", "label", id, labels or [])
    if history:
        made = by_id(db, Item, id)
        assert made is not None
        note(ledger, made, "created the issue", verb="created")
        # Plane tells of what an item was given at once as it tells of later changes.
        for user in accounts.users(db, assignees or []):
            _note_assignee(ledger, made, user, added=True)
        for label in _labels(db, labels or []):
            _note_label(ledger, made, label, added=True)
    return id


def edit(ledger: Ledger, project: Project, item: Item, facts: dict[str, Any]) -> Item:
    """Change an item and write each change to its history."""
    db = ledger.db
    outside.refuse_clash(db, "items", "Issue", project.id, item, facts)
    facts = _checked(ledger, project, facts, item)
    assignees, labels = facts.pop("assignees", None), facts.pop("labels", None)
    values = {**facts, **ledger.touch()}
    before = _state(db, item.state)
    after = _state(db, facts["state"]) if facts.get("state") is not None else before
    if "state" in facts:
        values["state"] = after.id if after else None
        if after is not None and (before is None or after.id != before.id):
            values["completed_at"] = ledger.now if after.group == "completed" else None
    archived, draft = facts.get("archived_at", item.archived_at), facts.get("is_draft", item.is_draft)
    values["listed"] = _is_listed(archived, draft, after)
    update(db, "items", item.id, values)
    changed = by_id(db, Item, item.id)
    assert changed is not None
    _note_changes(ledger, item, changed, before, after)
    if assignees is not None:
        _reassign(ledger, changed, assignees)
    if labels is not None:
        _relabel(ledger, changed, labels)
    return changed


def delete(ledger: Ledger, item: Item) -> None:
    """Only a project's administrators and the item's maker may."""
    if item.created_by != ledger.actor and accounts.project_role(ledger.db, item.project, ledger.actor) != 20:
        raise Forbidden("Only admin or creator can delete the work item")
    ledger.db.execute("DELETE FROM items WHERE id = ?", (item.id,))


def archive(ledger: Ledger, item: Item, *, on: bool) -> None:
    """Only what is finished can be put away."""
    state = _state(ledger.db, item.state)
    if on and (state is None or state.group not in ("completed", "cancelled")):
        raise BadRequest("Can only archive completed or cancelled state group issue")
    archived = ledger.now[:10] if on else None
    values = {"archived_at": archived, "listed": _is_listed(archived, item.is_draft, state), **ledger.touch()}
    update(ledger.db, "items", item.id, values)
    words = "archived" if on else "restored"
    old, new = (None, "archive") if on else ("archive", "restore")
    note(ledger, item, f"{words} the issue", field="archived_at", old=old, new=new)


def _checked(ledger: Ledger, project: Project, facts: dict[str, Any], own: Item | None) -> dict[str, Any]:
    """The rules that bind several fields or other rows; people and labels from elsewhere are left out, as in Plane."""
    db, facts = ledger.db, dict(facts)
    start = facts.get("start_date", own.start_date if own and "target_date" in facts else None)
    target = facts.get("target_date", own.target_date if own and "start_date" in facts else None)
    if start is not None and target is not None and start > target:
        raise Invalid.whole("Start date cannot exceed target date")
    if facts.get("description_html") is not None:
        if not facts["description_html"]:
            raise Invalid.whole("Invalid HTML passed")
        facts["description_html"] = markup.clean(facts["description_html"])
        facts["description_stripped"] = markup.plain(facts["description_html"])
    if facts.get("state") is not None:
        state = _state(db, facts["state"])
        if state is None or state.project != project.id:
            raise Invalid.whole("State is not valid please pass a valid state_id")
    if facts.get("parent") is not None:
        parent = by_id(db, Item, facts["parent"])
        if parent is None or parent.project != project.id or (own and _is_under(db, parent, own.id)):
            raise Invalid.whole("Parent is not valid issue_id please pass a valid issue_id")
    if facts.get("estimate_point") is not None:
        point = by_id(db, EstimatePoint, facts["estimate_point"])
        if point is None or point.project != project.id:
            raise Invalid.whole("Estimate point is not valid please pass a valid estimate_point_id")
    if facts.get("type") is not None:
        kind = by_id(db, ItemType, facts["type"])
        if kind is None or kind.project != project.id:
            raise Invalid.whole("Work item type is not valid please pass a valid type_id")
    if facts.get("assignees") is not None:
        facts["assignees"] = _who_may(db, project.id, facts["assignees"])
    if facts.get("labels") is not None:
        own_labels = {one.id for one in _labels(db, facts["labels"]) if one.project == project.id}
        facts["labels"] = [one for one in dict.fromkeys(facts["labels"]) if one in own_labels]
    return facts


def _is_under(db: sqlite3.Connection, item: Item | None, ancestor: str) -> bool:
    """Whether the item is `ancestor` or has it above; a parent that did would make a ring."""
    while item is not None:
        if item.id == ancestor:
            return True
        item = by_id(db, Item, item.parent)
    return False


def _is_listed(archived: str | None, draft: Any, state: State | None) -> bool:
    return archived is None and not draft and not (state is not None and state.group == "triage")


def _next_number(db: sqlite3.Connection, project: str) -> int:
    """The project's next number; never given twice, so the numbers are dense and a deleted item's stays its own."""
    db.execute("UPDATE projects SET last_sequence = last_sequence + 1 WHERE id = ?", (project,))
    return int(db.execute("SELECT last_sequence FROM projects WHERE id = ?", (project,)).fetchone()[0])


def _who_may(db: sqlite3.Connection, project: str, people: Sequence[str]) -> list[str]:
    """Those of `people` who can be given work in the project."""
    return [one for one in dict.fromkeys(people) if accounts.project_role(db, project, one) >= accounts.MEMBER]


def _link(ledger: Ledger, table: str, column: str, item: str, others: Sequence[str]) -> None:
    for other in others:
        values = {"id": ledger.ids.uuid(), "issue": item, column: other, "created_at": ledger.now}
        insert(ledger.db, table, values)


# -- history -----------------------------------------------------------------------------------------------------


def _note_changes(ledger: Ledger, old: Item, new: Item, before: State | None, after: State | None) -> None:
    db = ledger.db
    for field, words in (("name", "name"), ("priority", "priority")):
        if getattr(old, field) != getattr(new, field):
            was, now = getattr(old, field), getattr(new, field)
            note(ledger, new, f"updated the {words} to", field=field, old=was, new=now)
    for field, words in (("start_date", "start date"), ("target_date", "target date")):
        if getattr(old, field) != getattr(new, field):
            was, now = getattr(old, field) or "", getattr(new, field) or ""
            note(ledger, new, f"updated the {words} to", field=field, old=was, new=now)
    if old.description_html != new.description_html:
        was, now = old.description_html, new.description_html
        note(ledger, new, "updated the description to", field="description", old=was, new=now)
    if old.state != new.state and after is not None:
        was_id, was = (before.id, before.name) if before else (None, None)
        note(
            ledger, new, "updated the state to", field="state", old=was, new=after.name, old_id=was_id, new_id=after.id
        )
    if old.parent != new.parent:
        was_item, now_item = by_id(db, Item, old.parent), by_id(db, Item, new.parent)
        was, now = (named(db, one) if one else "" for one in (was_item, now_item))
        note(
            ledger, new, "updated the parent issue to", field="parent", old=was, new=now,
            old_id=old.parent, new_id=new.parent,
        )  # fmt: skip
    if old.estimate_point != new.estimate_point:
        points = (by_id(db, EstimatePoint, one) for one in (old.estimate_point, new.estimate_point))
        was, now = (one.value if one else "" for one in points)
        note(
            ledger, new, "updated the estimate point to ", field="estimate_point", old=was, new=now,
            old_id=old.estimate_point, new_id=new.estimate_point,
        )  # fmt: skip
    if old.archived_at != new.archived_at:
        words = "archived the issue" if new.archived_at else "restored the issue"
        note(ledger, new, words, field="archived_at", new="archive" if new.archived_at else "restore")


def _note_assignee(ledger: Ledger, item: Item, user: User, *, added: bool) -> None:
    if added:
        note(ledger, item, "added assignee ", field="assignees", old="", new=user.display_name, new_id=user.id)
    else:
        note(ledger, item, "removed assignee ", field="assignees", old=user.display_name, new="", old_id=user.id)


def _note_label(ledger: Ledger, item: Item, label: Label, *, added: bool) -> None:
    if added:
        note(ledger, item, "added label ", field="labels", old="", new=label.name, new_id=label.id)
    else:
        note(ledger, item, "removed label ", field="labels", old=label.name, new="", old_id=label.id)


def _reassign(ledger: Ledger, item: Item, wanted: list[str]) -> None:
    db = ledger.db
    had = assignees(db, [item.id])[item.id]
    for user in accounts.users(db, [one for one in had if one not in wanted]):
        db.execute("DELETE FROM item_assignees WHERE issue = ? AND assignee = ?", (item.id, user.id))
        _note_assignee(ledger, item, user, added=False)
    new = [one for one in wanted if one not in had]
    _link(ledger, "item_assignees", "assignee", item.id, new)
    for user in accounts.users(db, new):
        _note_assignee(ledger, item, user, added=True)


def _relabel(ledger: Ledger, item: Item, wanted: list[str]) -> None:
    db = ledger.db
    had = labels(db, [item.id])[item.id]
    for label in _labels(db, [one for one in had if one not in wanted]):
        db.execute("DELETE FROM item_labels WHERE issue = ? AND label = ?", (item.id, label.id))
        _note_label(ledger, item, label, added=False)
    new = [one for one in wanted if one not in had]
    _link(ledger, "item_labels", "label", item.id, new)
    for label in _labels(db, new):
        _note_label(ledger, item, label, added=True)


# -- reading -----------------------------------------------------------------------------------------------------


def _state(db: sqlite3.Connection, id: str | None) -> State | None:
    return by_id(db, State, id)


def _labels(db: sqlite3.Connection, ids: Sequence[str]) -> list[Label]:
    marks = ", ".join("?" * len(ids))
    found = {one.id: one for one in find(db, Label, f"WHERE id IN ({marks})", ids)} if ids else {}
    return [found[id] for id in ids if id in found]


def assignees(db: sqlite3.Connection, items: Sequence[str]) -> dict[str, list[str]]:
    """Who each item is given to."""
    return _grouped(db, "SELECT issue, assignee FROM item_assignees", items)


def labels(db: sqlite3.Connection, items: Sequence[str]) -> dict[str, list[str]]:
    """The labels of each item."""
    return _grouped(db, "SELECT issue, label FROM item_labels", items)


def people_and_labels(
    db: sqlite3.Connection, items: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Who each item is given to and its labels, in one query: every list and every read of an item needs both."""
    people: dict[str, list[str]] = {one: [] for one in items}
    labels: dict[str, list[str]] = {one: [] for one in items}
    if items:
        marks = ", ".join("?" * len(items))
        rows = db.execute(
            f"SELECT 0, rowid, issue, assignee FROM item_assignees WHERE issue IN ({marks}) UNION ALL"
            f" SELECT 1, rowid, issue, label FROM item_labels WHERE issue IN ({marks})",
            (*items, *items),
        ).fetchall()
        rows.sort()
        for kind, _, item, other in rows:
            (labels if kind else people)[item].append(other)
    return people, labels


def labels_of(db: sqlite3.Connection, item: str) -> list[Label]:
    return _labels(db, labels(db, [item])[item])


def _grouped(db: sqlite3.Connection, select: str, items: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {one: [] for one in items}
    if items:
        marks = ", ".join("?" * len(items))
        for one, other in db.execute(f"{select} WHERE issue IN ({marks}) ORDER BY rowid", tuple(items)):
            found[one].append(other)
    return found


_COLUMNS = (
    "created_at", "updated_at", "sequence_id", "sort_order", "name", "start_date", "target_date", "completed_at",
    "archived_at", "estimate_point", "point", "id",
)  # fmt: skip
_RANKED = {
    "priority": "CASE priority " + " ".join(f"WHEN '{one}' THEN {at}" for at, one in enumerate(PRIORITIES)) + " END",
    "state__group": '(SELECT CASE states."group" '
    + " ".join(f"WHEN '{one}' THEN {at}" for at, one in enumerate(projects.GROUPS))
    + " END FROM states WHERE states.id = items.state)",
    "labels__name": "(SELECT max(labels.name) FROM item_labels JOIN labels ON labels.id = item_labels.label"
    " WHERE item_labels.issue = items.id)",
    "assignees__first_name": "(SELECT max(users.first_name) FROM item_assignees"
    " JOIN users ON users.id = item_assignees.assignee WHERE item_assignees.issue = items.id)",
}
_RANKED["state__name"] = _RANKED["state__group"]


def order(asked: str | None, default: str = "-created_at") -> str:
    """The ORDER BY for what a client asked; what Plane does not know counts as not asked."""
    asked = asked or default
    down = asked.startswith("-")
    name = asked.removeprefix("-")
    if name not in _COLUMNS and name not in _RANKED:
        name, down = default.removeprefix("-"), default.startswith("-")
    expression = _RANKED.get(name, f"items.{name}")
    direction = "DESC" if down else "ASC"
    tie = f"items.row {direction}" if name == "created_at" else "items.created_at DESC, items.row DESC"
    nulls = "" if name in ("created_at", "sequence_id") else " NULLS LAST"
    return f"ORDER BY {expression} {direction}{nulls}, {tie}"


def page(
    db: sqlite3.Connection, where: str, arguments: Sequence[Any], order: str, limit: int, offset: int
) -> list[Item]:
    return find(db, Item, f"WHERE {where} {order} LIMIT ? OFFSET ?", (*arguments, limit, offset))


def search(db: sqlite3.Connection, slug: str, user: str, words: str, project: str | None, limit: int) -> list[Any]:
    """Items of the user's projects whose name, number or project identifier holds the words.

    Each result is (name, id, sequence_id, identifier, project, slug), newest first.
    """
    pattern = "%" + re.sub(r"([%_\\])", r"\\\1", words) + "%"
    # The trigram index finds substrings of three letters and more; shorter ones need the plain scan.
    if len(words) >= 3:
        by_name = "items.row IN (SELECT rowid FROM item_words WHERE name MATCH ?)"
        needle = '"' + words.replace('"', '""') + '"'
    else:
        by_name, needle = "items.name LIKE ? ESCAPE '\\'", pattern
    conditions = [by_name, "projects.identifier LIKE ? ESCAPE '\\'"]
    arguments: list[Any] = [needle, pattern]
    for number in re.findall(r"\b\d{1,9}\b", words, re.ASCII):
        conditions.append("items.sequence_id = ?")
        arguments.append(int(number))
    scope = "AND items.project = ?" if project else ""
    return db.execute(
        "SELECT items.name, items.id, items.sequence_id, projects.identifier, items.project, workspaces.slug"
        " FROM items JOIN projects ON projects.id = items.project JOIN workspaces ON workspaces.id = items.workspace"
        " JOIN project_members m ON m.project = items.project AND m.member = ? AND m.is_active"
        f" WHERE ({' OR '.join(conditions)}) AND listed AND projects.archived_at IS NULL AND slug = ? {scope}"
        " ORDER BY items.created_at DESC, items.row DESC LIMIT ?",
        (user, *arguments, slug, *([project] if project else []), limit),
    ).fetchall()
