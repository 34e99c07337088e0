"""Labels of projects and groups; a project also has those of the groups above it, and so has a group."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from dayjob.company.forge.errors import invalid, refused
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import columns, like, placeholders

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


def place_of(place: Project | Namespace) -> dict[str, int]:
    """The column that says whose a label or milestone is, with its value."""
    return {"project_id" if isinstance(place, Project) else "group_id": place.id}


def reach(store: Store, place: Project | Namespace) -> tuple[str, list[int]]:
    """A WHERE condition for the labels or milestones that count in a project or group: its own and those above it."""
    if isinstance(place, Namespace):
        above = namespaces.ancestors(store, place.id)
        return f"group_id IN ({placeholders(above)})", above
    above = namespaces.ancestors(store, place.namespace_id)
    return f"(project_id=? OR group_id IN ({placeholders(above)}))", [place.id, *above]


# -- finding them ------------------------------------------------------------------------------------------------


def get(store: Store, label_id: int) -> Label:
    return store.get(Label, label_id)


def label_named(store: Store, place: Project | Namespace, name: str) -> Label | None:
    """The label that counts in a project or group under this name, a project's own first."""
    condition, args = reach(store, place)
    return store.one(Label, f"{condition} AND name=? ORDER BY project_id IS NULL LIMIT 1", *args, name)


def find_label(store: Store, place: Project | Namespace, name: str) -> Label | None:
    """By name, else by id."""
    label = label_named(store, place, name)
    if label is None and name.isascii() and name.isdigit() and len(name) < 18:
        condition, args = reach(store, place)
        label = store.one(Label, f"{condition} AND id=?", *args, int(name))
    return label


def own(store: Store, project: Project, label_id: int) -> Label | None:
    """A label that is the project's, not one of its groups'."""
    return store.one(Label, "id=? AND project_id=?", label_id, project.id)


def listing(store: Store, place: Project | Namespace, *, inherited: bool = True, words: str | None = None) -> Listing:
    """The labels of a project or group by name; `inherited` ones are those of the groups above."""
    where, args = reach(store, place) if inherited else _own(place)
    values: list[Any] = list(args)
    if words:
        where += " AND name LIKE ? ESCAPE '\\'"
        values.append(like(words))
    return Listing(Label, f"FROM labels WHERE {where}", values, "labels.name COLLATE NOCASE ASC, labels.id ASC")


def _own(place: Project | Namespace) -> tuple[str, list[int]]:
    ((column, owner),) = place_of(place).items()
    return f"{column}=?", [owner]


def choices(store: Store, project: Project) -> list[Label]:
    """Those that something of the project can be given."""
    condition, args = reach(store, project)
    return store.all(Label, f"{condition} AND archived=0 ORDER BY name COLLATE NOCASE", *args)


def of_items(store: Store, kind: str, item_ids: Collection[int]) -> dict[int, list[Label]]:
    """The labels of several issues or merge requests, each by name."""
    rows = store.db.execute(
        f"SELECT k.item_id, {columns(Label, 'l')} FROM label_links k JOIN labels l ON l.id=k.label_id WHERE "
        f"k.item_type=? AND k.item_id IN ({placeholders(item_ids)}) ORDER BY l.name",
        (kind, *item_ids),
    )
    carried: dict[int, list[Label]] = {}
    for item_id, *label in rows:
        carried.setdefault(item_id, []).append(Label(*label))
    return carried


# -- changing them -----------------------------------------------------------------------------------------------


def color_of(text: str) -> str:
    color = _NAMED.get(text.lower(), text)
    if not re.fullmatch(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", color):
        raise invalid(color=["must be a valid color code"])
    return color if len(color) == 7 else "#" + "".join(one * 2 for one in color[1:])


def create_label(store: Store, place: Project | Namespace, name: str, color: str = DEFAULT_COLOR, **more: Any) -> Label:
    ((column, owner),) = place_of(place).items()
    name = _free_name(store, column, owner, name)
    label_id = store.insert("labels", **{column: owner}, name=name, color=color_of(color), **more)
    return get(store, label_id)


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
    for kind, item_id in _carriers(store, label):
        write_names(store, kind, item_id)


def change(store: Store, label: Label, *, name: str | None = None, **values: Any) -> Label:
    """Another name, colour, description or priority, or in the archive and out of it."""
    store.update("labels", label.id, **values)
    if name:
        rename_label(store, label, name)
    return get(store, label.id)


def promote(store: Store, project: Project, label: Label) -> Label:
    """Make a project's label its group's; the labels of that name in the group's other projects become one with it."""
    group = namespaces.find(store, project.namespace_id, "group")
    if group is None or label.project_id is None:
        raise refused(400, "400 Bad request - Failed to promote label: it is not in a group's project")
    twins = store.all(
        Label, "name=? AND project_id IN (SELECT id FROM projects WHERE namespace_id=?) AND id<>?",
        label.name, group.id, label.id,
    )  # fmt: skip
    store.update("labels", label.id, project_id=None, group_id=group.id)
    for twin in twins:
        store.db.execute("UPDATE OR IGNORE label_links SET label_id=? WHERE label_id=?", (label.id, twin.id))
        store.delete("labels", twin.id)
    return get(store, label.id)


def delete_label(store: Store, label: Label) -> None:
    carriers = _carriers(store, label)
    store.delete("labels", label.id)
    for kind, item_id in carriers:
        write_names(store, kind, item_id)


def _carriers(store: Store, label: Label) -> list[tuple[str, int]]:
    return store.db.execute("SELECT item_type, item_id FROM label_links WHERE label_id=?", (label.id,)).fetchall()


TABLES = {"Issue": "issues", "MergeRequest": "merge_requests"}


def write_names(store: Store, kind: str, item_id: int) -> None:
    """Repeat an item's label names in its own row."""
    if kind in TABLES:
        store.db.execute(
            f"UPDATE {TABLES[kind]} SET labels=(SELECT json_group_array(name) FROM (SELECT l.name FROM label_links k "
            f"JOIN labels l ON l.id=k.label_id WHERE k.item_type=? AND k.item_id=? ORDER BY l.name)) WHERE id=?",
            (kind, item_id, item_id),
        )
