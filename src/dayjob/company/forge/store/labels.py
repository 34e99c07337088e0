"""Labels and milestones of projects and groups; a project also has those of the groups above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Refused, Store, invalid, refused
from dayjob.company.forge.store.projects import Project

DEFAULT_COLOR = "#6699cc"
_NAMED = {
    "red": "#FF0000",
    "green": "#008000",
    "blue": "#0000FF",
    "yellow": "#FFFF00",
    "orange": "#FFA500",
    "purple": "#800080",
    "black": "#000000",
    "white": "#FFFFFF",
    "gray": "#808080",
    "grey": "#808080",
}


@dataclass(slots=True)
class Label:
    """A label of a project or a group."""

    TABLE: ClassVar[str] = "labels"
    id: int
    project_id: int | None
    group_id: int | None
    name: str
    description: str | None
    color: str
    priority: int | None
    archived: int


@dataclass(slots=True)
class Milestone:
    """A milestone of a project or a group."""

    TABLE: ClassVar[str] = "milestones"
    id: int
    iid: int
    project_id: int | None
    group_id: int | None
    title: str
    description: str | None
    state: str
    due_date: str | None
    start_date: str | None
    created_at: str
    updated_at: str


def reach(store: Store, project: Project) -> tuple[str, list[int]]:
    """A WHERE condition for everything that counts in a project: its own and what its groups have."""
    above = namespaces.ancestors(store, project.namespace_id)
    return f"(project_id=? OR group_id IN ({','.join('?' * len(above))}))", [project.id, *above]


def label_named(store: Store, project: Project, name: str) -> Label | None:
    """The label that counts in the project under this name, its own first."""
    condition, args = reach(store, project)
    return store.one(Label, f"{condition} AND name=? ORDER BY project_id IS NULL LIMIT 1", *args, name)


def find_label(store: Store, project: Project, name: str) -> Label | None:
    """By name, else by id."""
    found = label_named(store, project, name)
    if found is None and name.isascii() and name.isdigit() and len(name) < 18:
        condition, args = reach(store, project)
        found = store.one(Label, f"{condition} AND id=?", *args, int(name))
    return found


def find_group_label(store: Store, group_id: int, name: str) -> Label | None:
    above = namespaces.ancestors(store, group_id)
    marks = ",".join("?" * len(above))
    found = store.all(Label, f"group_id IN ({marks}) AND name=? LIMIT 1", *above, name)
    if not found and name.isascii() and name.isdigit() and len(name) < 18:
        found = store.all(Label, f"group_id IN ({marks}) AND id=?", *above, int(name))
    return found[0] if found else None


def color_of(text: str) -> str:
    color = _NAMED.get(text.lower(), text)
    if not re.fullmatch(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", color):
        raise invalid(color=["must be a valid color code"])
    return color if len(color) == 7 else "#" + "".join(one * 2 for one in color[1:])


def create_label(store: Store, column: str, owner: int, name: str, color: str = DEFAULT_COLOR, **more: Any) -> Label:
    name = _free_name(store, column, owner, name)
    label_id = store.insert("labels", **{column: owner}, name=name, color=color_of(color), **more)
    found = store.one(Label, "id=?", label_id)
    assert found is not None
    return found


def _free_name(store: Store, column: str, owner: int, name: str) -> str:
    """The name as it is kept; refused when it is none, or another label of the same place has it."""
    name = name.strip()
    if not name or "," in name:
        raise invalid(title=["is invalid"])
    if len(name) > 255:
        raise invalid(title=["is too long (maximum is 255 characters)"])
    if store.value(f"SELECT 1 FROM labels WHERE {column}=? AND name=?", owner, name):
        raise refused(409, "Label already exists")
    return name


def rename_label(store: Store, label: Label, name: str) -> None:
    """Give a label another name; the items that carry it show the new one."""
    if name.strip() == label.name:
        return
    column, owner = ("project_id", label.project_id) if label.project_id else ("group_id", label.group_id)
    assert owner is not None
    store.update("labels", label.id, name=_free_name(store, column, owner, name))
    refresh_carriers(store, label.id)


def delete_label(store: Store, label: Label) -> None:
    carriers = store.db.execute("SELECT item_type, item_id FROM label_links WHERE label_id=?", (label.id,)).fetchall()
    store.delete("labels", label.id)
    for kind, item in carriers:
        write_names(store, kind, item)


def refresh_carriers(store: Store, label_id: int) -> None:
    for kind, item in store.db.execute(
        "SELECT item_type, item_id FROM label_links WHERE label_id=?", (label_id,)
    ).fetchall():
        write_names(store, kind, item)


TABLES = {"Issue": "issues", "MergeRequest": "merge_requests"}


def write_names(store: Store, kind: str, item_id: int) -> None:
    """Repeat an item's label names in its own row."""
    if kind in TABLES:
        store.db.execute(
            f"UPDATE {TABLES[kind]} SET labels=(SELECT json_group_array(name) FROM (SELECT l.name FROM label_links k "
            f"JOIN labels l ON l.id=k.label_id WHERE k.item_type=? AND k.item_id=? ORDER BY l.name)) WHERE id=?",
            (kind, item_id, item_id),
        )


# -- milestones --------------------------------------------------------------------------------------------------


def create_milestone(store: Store, column: str, owner: int, title: str, **more: Any) -> Milestone:
    if not title.strip():
        raise invalid(title=["can't be blank"])
    if len(title) > 255:
        raise invalid(title=["is too long (maximum is 255 characters)"])
    if store.value(f"SELECT 1 FROM milestones WHERE {column}=? AND title=?", owner, title):
        raise invalid(title=["has already been taken"])
    check_days(more.get("start_date"), more.get("due_date"))
    iid = store.next_iid("projects" if column == "project_id" else "namespaces", owner, "milestones_seq")
    now = store.now()
    milestone_id = store.insert(
        "milestones", iid=iid, **{column: owner}, title=title, created_at=now, updated_at=now, **more
    )
    found = store.one(Milestone, "id=?", milestone_id)
    assert found is not None
    return found


def check_days(start: str | None, due: str | None) -> None:
    if start and due and start > due:
        raise invalid(due_date=["must be greater than start date"])


def find_milestone(store: Store, project: Project, milestone_id: int) -> Milestone | None:
    condition, args = reach(store, project)
    found = store.all(Milestone, f"{condition} AND id=?", *args, milestone_id)
    return found[0] if found else None


def day(text: str | None, name: str) -> str | None:
    """A date argument; empty clears it."""
    if not text:
        return None
    if not re.match(r"\d{4}-\d{1,2}-\d{1,2}", text):
        raise Refused(400, {"error": f"{name} is invalid"})
    year, month, rest = text.split("-", 2)
    number = re.match(r"\d+", rest)
    assert number is not None
    if not (1 <= int(month) <= 12 and 1 <= int(number[0]) <= 31):
        raise Refused(400, {"error": f"{name} is invalid"})
    return f"{year}-{int(month):02d}-{int(number[0]):02d}"
