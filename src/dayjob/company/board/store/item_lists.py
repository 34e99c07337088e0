"""Lists of work items: those of a project, of a person, of a plan or an epic, in the orders that clients ask for."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from functools import partial
from typing import Any

from dayjob.company.board.rows import Item, Project
from dayjob.company.board.store import projects
from dayjob.company.board.store.items import PRIORITIES
from dayjob.company.board.store.lists import Listing
from dayjob.company.rows import count, like, placeholders

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
    return f"{expression} {direction}{nulls}, {tie}"


def listing(where: str, *arguments: Any, default: str = "-created_at") -> Listing[Item]:
    return Listing(Item, where, arguments, partial(order, default=default))


# -- of a project ------------------------------------------------------------------------------------------------


def of_project(project: Project, default: str = "-created_at") -> Listing[Item]:
    """What a project's lists show: no drafts, nothing archived, nothing that waits in the intake."""
    return listing("items.project = ? AND listed", project.id, default=default)


def archived(project: str) -> Listing[Item]:
    return listing("items.project = ? AND archived_at IS NOT NULL", project)


def epics(project: Project) -> Listing[Item]:
    return of_project(project).narrowed("items.type IN (SELECT id FROM item_types WHERE is_epic)")


def others(project: Project, item: Item) -> Listing[Item]:
    """The other items of the project that an item is in."""
    return of_project(project).narrowed("id != ?", item.id)


def children(item: str) -> Listing[Item]:
    """The listed items that have this one as their parent."""
    return listing("items.parent = ? AND listed", item)


# -- of a person -------------------------------------------------------------------------------------------------

OPEN = "state IN (SELECT id FROM states WHERE \"group\" IN ('backlog', 'unstarted', 'started'))"
_IN_GROUP = 'state IN (SELECT id FROM states WHERE "group" = ?)'


def of_member(user: str, slug: str) -> Listing[Item]:
    """The items of the open projects that somebody is in."""
    return listing(
        "items.project IN (SELECT projects.id FROM projects JOIN workspaces ON workspaces.id = projects.workspace"
        " JOIN project_members m ON m.project = projects.id AND m.member = ? AND m.is_active"
        " WHERE slug = ? AND projects.archived_at IS NULL) AND listed",
        user,
        slug,
    )


def assigned(viewer: str, slug: str, user: str) -> Listing[Item]:
    """What `user` was given, as far as `viewer` sees it."""
    return of_member(viewer, slug).narrowed("items.id IN (SELECT issue FROM item_assignees WHERE assignee = ?)", user)


def created(viewer: str, slug: str, user: str) -> Listing[Item]:
    """What `user` made, as far as `viewer` sees it."""
    return of_member(viewer, slug).narrowed("items.created_by = ?", user)


def open_work(user: str, slug: str) -> Listing[Item]:
    """What somebody was given and is not done with."""
    return assigned(user, slug, user).narrowed(OPEN)


@dataclass(frozen=True, slots=True)
class Workload:
    """How much somebody was given, by how it stands."""

    open: int
    started: int
    overdue: int
    completed: int


def workload(db: sqlite3.Connection, user: str, slug: str, today: str) -> Workload:
    own, unfinished = assigned(user, slug, user), open_work(user, slug)
    return Workload(
        unfinished.count(db),
        own.narrowed(_IN_GROUP, "started").count(db),
        unfinished.narrowed("target_date < ?", today).count(db),
        own.narrowed(_IN_GROUP, "completed").count(db),
    )


def open_count(db: sqlite3.Connection, project: str) -> int:
    """How many items of a project are listed and not done."""
    return count(db, f"SELECT count(*) FROM items WHERE project = ? AND listed AND {OPEN}", (project,))


# -- searching ---------------------------------------------------------------------------------------------------


def search(db: sqlite3.Connection, slug: str, user: str, words: str, project: str | None, limit: int) -> list[Any]:
    """Items of the user's projects whose name, number or project identifier holds the words.

    Each result is (name, id, sequence_id, identifier, project, slug), newest first.
    """
    pattern = like(words)
    # The trigram index finds substrings of three letters and more; shorter ones need the plain scan.
    if len(words) >= 3:
        by_name = "items.row IN (SELECT rowid FROM item_words WHERE name MATCH ?)"
        needle = '"' + words.replace('"', '""') + '"'
    else:
        by_name, needle = "items.name LIKE ? ESCAPE '\\'", pattern
    conditions = [by_name, "projects.identifier LIKE ? ESCAPE '\\'"]
    arguments: list[Any] = [needle, pattern]
    if numbers := sorted({int(number) for number in re.findall(r"\b\d{1,9}\b", words, re.ASCII)}):
        conditions.append(f"items.sequence_id IN ({placeholders(numbers)})")
        arguments += numbers
    scope = "AND items.project = ?" if project else ""
    return db.execute(
        "SELECT items.name, items.id, items.sequence_id, projects.identifier, items.project, workspaces.slug"
        " FROM items JOIN projects ON projects.id = items.project JOIN workspaces ON workspaces.id = items.workspace"
        " JOIN project_members m ON m.project = items.project AND m.member = ? AND m.is_active"
        f" WHERE ({' OR '.join(conditions)}) AND listed AND projects.archived_at IS NULL AND slug = ? {scope}"
        " ORDER BY items.created_at DESC, items.row DESC LIMIT ?",
        (user, *arguments, slug, *([project] if project else []), limit),
    ).fetchall()
