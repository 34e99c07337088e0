"""Work items: made with the next number of their project, changed with a line in their history, listed in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from dayjob.company import rows
from dayjob.company.board import markup
from dayjob.company.board.errors import BadRequest, Forbidden, Invalid
from dayjob.company.board.rows import EstimatePoint, Item, ItemType, Label, Project, State, User
from dayjob.company.board.store import accounts, outside, plain, projects
from dayjob.company.board.store.activity import note
from dayjob.company.board.store.base import Store, required
from dayjob.company.rows import find, insert, placeholders, update

PRIORITIES = ("urgent", "high", "medium", "low", "none")


def by_id(db: sqlite3.Connection, id: str | None) -> Item | None:
    return rows.by_id(db, Item, id)


def seen(db: sqlite3.Connection, slug: str, user: str, ids: Iterable[str]) -> list[Item]:
    """The items with these ids that lie in projects the user sees."""
    known = [item for item in (by_id(db, id) for id in ids) if item is not None]
    open_projects = {
        project for project in {item.project for item in known} if accounts.sees_project(db, slug, project, user)
    }
    return [item for item in known if item.project in open_projects]


def item(db: sqlite3.Connection, project: str, id: str) -> Item:
    """The item of a project, whatever its state."""
    return required(db, Item, "WHERE id = ? AND project = ?", (id, project))


_IN_LISTS = (
    "JOIN projects ON projects.id = items.project JOIN workspaces ON workspaces.id = items.workspace"
    " WHERE slug = ? AND listed AND projects.archived_at IS NULL"
)


def listed_item(db: sqlite3.Connection, slug: str, project: str, id: str) -> Item:
    """The item of a workspace's project, if lists would show it."""
    return required(db, Item, f"{_IN_LISTS} AND items.id = ? AND items.project = ?", (slug, id, project))


def item_by_number(db: sqlite3.Connection, slug: str, identifier: str, number: int) -> Item:
    return required(db, Item, f"{_IN_LISTS} AND identifier = ? AND sequence_id = ?", (slug, identifier, number))


def named(db: sqlite3.Connection, item: Item) -> str:
    """An item's short name, such as TREL-12."""
    row = db.execute("SELECT identifier FROM projects WHERE id = ?", (item.project,)).fetchone()
    return f"{row[0]}-{item.sequence_id}" if row else str(item.sequence_id)


# -- making and changing -----------------------------------------------------------------------------------------


def create(store: Store, project: Project, facts: dict[str, Any], *, history: bool = True) -> str:
    """A new item. `facts` may hold `assignees` and `labels`, `created_at` and `created_by`."""
    db = store.db
    facts = _checked(store, project, facts, None)
    assignees, labels = facts.pop("assignees", None), facts.pop("labels", None)
    values = {**store.birth(), "workspace": project.workspace, "project": project.id, **facts}
    state = _state(db, values.get("state")) or projects.default_state(db, project.id)
    values["state"] = state.id if state else None
    values["completed_at"] = store.now if state and state.group == "completed" else None
    values["listed"] = _is_listed(values.get("archived_at"), values.get("is_draft"), state)
    values["sequence_id"] = _next_number(db, project.id)
    if "sort_order" not in facts:
        last = db.execute("SELECT max(sort_order) FROM items WHERE state IS ?", (values["state"],)).fetchone()[0]
        values["sort_order"] = 65535.0 if last is None else last + 10000
    insert(db, "items", values)
    id = str(values["id"])
    if not assignees and project.default_assignee is not None:
        assignees = _who_may(db, project.id, [project.default_assignee])
    _link(store, "item_assignees", "assignee", id, assignees or [])
    _link(store, "item_labels", "label", id, labels or [])
    if history:
        made = by_id(db, id)
        assert made is not None
        note(store, made, "created the issue", verb="created")
        # Plane tells of what an item was given at once as it tells of later changes.
        for user in accounts.users(db, assignees or []):
            _note_assignee(store, made, user, added=True)
        for label in _labels(db, labels or []):
            _note_label(store, made, label, added=True)
    return id


def edit(store: Store, project: Project, item: Item, facts: dict[str, Any]) -> Item:
    """Change an item and write each change to its history."""
    db = store.db
    outside.refuse_clash(db, "items", "Issue", project.id, item, facts)
    facts = _checked(store, project, facts, item)
    assignees, labels = facts.pop("assignees", None), facts.pop("labels", None)
    values = {**facts, **store.touch()}
    before = _state(db, item.state)
    after = _state(db, facts["state"]) if facts.get("state") is not None else before
    if "state" in facts:
        values["state"] = after.id if after else None
        if after is not None and (before is None or after.id != before.id):
            values["completed_at"] = store.now if after.group == "completed" else None
    archived, draft = facts.get("archived_at", item.archived_at), facts.get("is_draft", item.is_draft)
    values["listed"] = _is_listed(archived, draft, after)
    update(db, "items", item.id, values)
    changed = by_id(db, item.id)
    assert changed is not None
    _note_changes(store, item, changed, before, after)
    if assignees is not None:
        _reassign(store, changed, assignees)
    if labels is not None:
        _relabel(store, changed, labels)
    return changed


def delete(store: Store, item: Item) -> None:
    """Only a project's administrators and the item's maker may."""
    if item.created_by != store.actor and accounts.project_role(store.db, item.project, store.actor) != 20:
        raise Forbidden("Only admin or creator can delete the work item")
    store.db.execute("DELETE FROM items WHERE id = ?", (item.id,))


def archive(store: Store, item: Item, *, on: bool) -> None:
    """Only what is finished can be put away."""
    state = _state(store.db, item.state)
    if on and (state is None or state.group not in ("completed", "cancelled")):
        raise BadRequest("Can only archive completed or cancelled state group issue")
    archived = store.now[:10] if on else None
    values = {"archived_at": archived, "listed": _is_listed(archived, item.is_draft, state), **store.touch()}
    update(store.db, "items", item.id, values)
    words = "archived" if on else "restored"
    old, new = (None, "archive") if on else ("archive", "restore")
    note(store, item, f"{words} the issue", field="archived_at", old=old, new=new)


def _checked(store: Store, project: Project, facts: dict[str, Any], own: Item | None) -> dict[str, Any]:
    """The rules that bind several fields or other rows; people and labels from elsewhere are left out, as in Plane."""
    db, facts = store.db, dict(facts)
    start = facts.get("start_date", own.start_date if own and "target_date" in facts else None)
    target = facts.get("target_date", own.target_date if own and "start_date" in facts else None)
    if start is not None and target is not None and start > target:
        raise Invalid.whole("Start date cannot exceed target date")
    if facts.get("description_html") is not None:
        if not facts["description_html"]:
            raise Invalid.whole("Invalid HTML passed")
        facts["description_html"] = markup.clean(facts["description_html"])
        facts["description_stripped"] = markup.plain(facts["description_html"])
    plain.must_be_in(db, State, project.id, facts.get("state"), "State is not valid please pass a valid state_id")
    if facts.get("parent") is not None:
        parent = by_id(db, facts["parent"])
        if parent is None or parent.project != project.id or (own and _is_under(db, parent, own.id)):
            raise Invalid.whole("Parent is not valid issue_id please pass a valid issue_id")
    sentence = "Estimate point is not valid please pass a valid estimate_point_id"
    plain.must_be_in(db, EstimatePoint, project.id, facts.get("estimate_point"), sentence)
    sentence = "Work item type is not valid please pass a valid type_id"
    plain.must_be_in(db, ItemType, project.id, facts.get("type"), sentence)
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
        item = by_id(db, item.parent)
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


def _link(store: Store, table: str, column: str, item: str, others: Sequence[str]) -> None:
    for other in others:
        values = {"id": store.ids.uuid(), "issue": item, column: other, "created_at": store.now}
        insert(store.db, table, values)


# -- history -----------------------------------------------------------------------------------------------------


def _note_changes(store: Store, old: Item, new: Item, before: State | None, after: State | None) -> None:
    db = store.db
    for field, words in (("name", "name"), ("priority", "priority")):
        if getattr(old, field) != getattr(new, field):
            was, now = getattr(old, field), getattr(new, field)
            note(store, new, f"updated the {words} to", field=field, old=was, new=now)
    for field, words in (("start_date", "start date"), ("target_date", "target date")):
        if getattr(old, field) != getattr(new, field):
            was, now = getattr(old, field) or "", getattr(new, field) or ""
            note(store, new, f"updated the {words} to", field=field, old=was, new=now)
    if old.description_html != new.description_html:
        was, now = old.description_html, new.description_html
        note(store, new, "updated the description to", field="description", old=was, new=now)
    if old.state != new.state and after is not None:
        was_id, was = (before.id, before.name) if before else (None, None)
        note(store, new, "updated the state to", field="state", old=was, new=after.name, old_id=was_id, new_id=after.id)
    if old.parent != new.parent:
        was_item, now_item = by_id(db, old.parent), by_id(db, new.parent)
        was, now = (named(db, one) if one else "" for one in (was_item, now_item))
        note(
            store, new, "updated the parent issue to", field="parent", old=was, new=now,
            old_id=old.parent, new_id=new.parent,
        )  # fmt: skip
    if old.estimate_point != new.estimate_point:
        points = (rows.by_id(db, EstimatePoint, one) for one in (old.estimate_point, new.estimate_point))
        was, now = (one.value if one else "" for one in points)
        note(
            store, new, "updated the estimate point to ", field="estimate_point", old=was, new=now,
            old_id=old.estimate_point, new_id=new.estimate_point,
        )  # fmt: skip
    if old.archived_at != new.archived_at:
        words = "archived the issue" if new.archived_at else "restored the issue"
        note(store, new, words, field="archived_at", new="archive" if new.archived_at else "restore")


def _note_assignee(store: Store, item: Item, user: User, *, added: bool) -> None:
    if added:
        note(store, item, "added assignee ", field="assignees", old="", new=user.display_name, new_id=user.id)
    else:
        note(store, item, "removed assignee ", field="assignees", old=user.display_name, new="", old_id=user.id)


def _note_label(store: Store, item: Item, label: Label, *, added: bool) -> None:
    if added:
        note(store, item, "added label ", field="labels", old="", new=label.name, new_id=label.id)
    else:
        note(store, item, "removed label ", field="labels", old=label.name, new="", old_id=label.id)


def _reassign(store: Store, item: Item, wanted: list[str]) -> None:
    db = store.db
    had = assignees(db, [item.id])[item.id]
    for user in accounts.users(db, [one for one in had if one not in wanted]):
        db.execute("DELETE FROM item_assignees WHERE issue = ? AND assignee = ?", (item.id, user.id))
        _note_assignee(store, item, user, added=False)
    new = [one for one in wanted if one not in had]
    _link(store, "item_assignees", "assignee", item.id, new)
    for user in accounts.users(db, new):
        _note_assignee(store, item, user, added=True)


def _relabel(store: Store, item: Item, wanted: list[str]) -> None:
    db = store.db
    had = labels(db, [item.id])[item.id]
    for label in _labels(db, [one for one in had if one not in wanted]):
        db.execute("DELETE FROM item_labels WHERE issue = ? AND label = ?", (item.id, label.id))
        _note_label(store, item, label, added=False)
    new = [one for one in wanted if one not in had]
    _link(store, "item_labels", "label", item.id, new)
    for label in _labels(db, new):
        _note_label(store, item, label, added=True)


# -- reading -----------------------------------------------------------------------------------------------------


def _state(db: sqlite3.Connection, id: str | None) -> State | None:
    return rows.by_id(db, State, id)


def _labels(db: sqlite3.Connection, ids: Sequence[str]) -> list[Label]:
    marks = placeholders(ids)
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
        marks = placeholders(items)
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
        marks = placeholders(items)
        for one, other in db.execute(f"{select} WHERE issue IN ({marks}) ORDER BY rowid", tuple(items)):
            found[one].append(other)
    return found


def labels_by_id(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Label]:
    return {label.id: label for label in _labels(db, ids)}


def child_counts(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """How many listed items have each of these as their parent; those without any are left out."""
    marks = placeholders(ids)
    sql = f"SELECT parent, count(*) FROM items WHERE parent IN ({marks}) AND listed GROUP BY parent"
    return dict(db.execute(sql, tuple(ids)).fetchall())


def numbers(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """The number of each item in its project."""
    marks = placeholders(ids)
    return dict(db.execute(f"SELECT id, sequence_id FROM items WHERE id IN ({marks})", tuple(ids)).fetchall())


def cycle_names(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, str]:
    """The name of the cycle that each of these items is in; those in none are left out."""
    marks = placeholders(ids)
    sql = f"SELECT issue, cycles.name FROM cycle_items JOIN cycles ON cycles.id = cycle WHERE issue IN ({marks})"
    return dict(db.execute(sql, tuple(ids)).fetchall())


def sort_order(db: sqlite3.Connection, item: Item, state: str | None, after: str | None) -> float:
    """A place in the column of a state: below the item `after`, at the top when it is not there, else at the end."""
    column = "FROM items WHERE project = ? AND state IS ? AND listed AND id != ?"
    arguments = (item.project, state, item.id)

    def edge(what: str, more: str = "", *bounds: Any) -> float | None:
        row = db.execute(f"SELECT {what} {column}{more}", (*arguments, *bounds)).fetchone()
        return None if row is None else row[0]

    if after is None:
        last = edge("max(sort_order)")
        return 65535.0 if last is None else last + 10000
    above = edge("sort_order", " AND id = ?", after)
    if above is None:
        first = edge("min(sort_order)")
        return 65535.0 if first is None else first - 10000
    below = edge("min(sort_order)", " AND sort_order > ?", above)
    return above + 10000 if below is None else (above + below) / 2
