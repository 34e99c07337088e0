"""Milestones of projects and groups; a project also has those of the groups above it, and so has a group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dayjob.company.forge.errors import invalid, refused
from dayjob.company.forge.rows.items import Milestone
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.labels import place_of, reach
from dayjob.company.rows import like, placeholders

# -- finding them ------------------------------------------------------------------------------------------------


def get(store: Store, milestone_id: int) -> Milestone:
    return store.get(Milestone, milestone_id)


def find(store: Store, place: Project | Namespace, milestone_id: int) -> Milestone | None:
    """One that counts in the project or group."""
    condition, args = reach(store, place)
    return store.one(Milestone, f"{condition} AND id=?", *args, milestone_id)


def named(store: Store, project: Project, title: str) -> Milestone | None:
    """The one that counts in the project under this title."""
    condition, args = reach(store, project)
    return store.one(Milestone, f"{condition} AND title=?", *args, title)


def own(store: Store, place: Project | Namespace, milestone_id: int) -> Milestone | None:
    """One that is the project's or group's, not one of those above."""
    ((column, owner),) = place_of(place).items()
    return store.one(Milestone, f"id=? AND {column}=?", milestone_id, owner)


def numbered(store: Store, place: Project | Namespace, iid: int) -> Milestone | None:
    """The project's or group's own by its number there."""
    ((column, owner),) = place_of(place).items()
    return store.one(Milestone, f"{column}=? AND iid=?", owner, iid)


def choices(store: Store, project: Project, *, closed: bool = False) -> list[Milestone]:
    """Those that something of the project can be given, the next due first."""
    condition, args = reach(store, project)
    state = "" if closed else "AND state='active' "
    return store.all(Milestone, f"{condition} {state}ORDER BY due_date IS NULL, due_date, id", *args)


def listing(
    store: Store, place: Project | Namespace, *, inherited: bool = False, iids: Sequence[int] | None = None,
    state: str = "all", title: str | None = None, words: str | None = None,
) -> Listing:  # fmt: skip
    """The milestones of a project or group, the next due first; `inherited` ones are those of the groups above."""
    ((column, owner),) = place_of(place).items()
    where, reached = reach(store, place) if inherited else (f"{column}=?", [owner])
    args: list[Any] = list(reached)
    if iids:
        where += f" AND iid IN ({placeholders(iids)})"
        args += iids
    if state != "all":
        where += " AND state=?"
        args.append(state)
    if title:
        where += " AND title=?"
        args.append(title)
    if words:
        where += " AND (title LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')"
        args += [like(words)] * 2
    order = "milestones.due_date IS NULL, milestones.due_date ASC, milestones.id DESC"
    return Listing(Milestone, f"FROM milestones WHERE {where}", args, order)


def home_paths(store: Store, milestones: Iterable[Milestone]) -> dict[int, str]:
    """The full path of the project or group that each of them belongs to."""
    listed = list(milestones)
    projects = store.by_ids(Project, [row.project_id for row in listed])
    groups = store.by_ids(Namespace, [row.group_id for row in listed])
    return {
        row.id: (projects[row.project_id] if row.project_id is not None else groups[row.group_id or 0]).full_path
        for row in listed
    }


# -- changing them -----------------------------------------------------------------------------------------------


def create(store: Store, place: Project | Namespace, title: str, **more: Any) -> Milestone:
    if not title.strip():
        raise invalid(title=["can't be blank"])
    if len(title) > 255:
        raise invalid(title=["is too long (maximum is 255 characters)"])
    ((column, owner),) = place_of(place).items()
    if store.value(f"SELECT 1 FROM milestones WHERE {column}=? AND title=?", owner, title):
        raise invalid(title=["has already been taken"])
    _check_days(more.get("start_date"), more.get("due_date"))
    iid = store.next_iid("projects" if column == "project_id" else "namespaces", owner, "milestones_seq")
    now = store.now()
    milestone_id = store.insert(
        "milestones", iid=iid, **{column: owner}, title=title, created_at=now, updated_at=now, **more
    )
    return get(store, milestone_id)


def change(store: Store, milestone: Milestone, **values: Any) -> Milestone:
    """Another title, description, state or other days."""
    if "title" in values and store.value(
        "SELECT 1 FROM milestones WHERE title=? AND project_id IS ? AND group_id IS ? AND id<>?",
        values["title"], milestone.project_id, milestone.group_id, milestone.id,
    ):  # fmt: skip
        raise invalid(title=["has already been taken"])
    _check_days(values.get("start_date", milestone.start_date), values.get("due_date", milestone.due_date))
    store.update("milestones", milestone.id, **values, updated_at=store.now())
    return get(store, milestone.id)


def _check_days(start: str | None, due: str | None) -> None:
    if start and due and start > due:
        raise invalid(due_date=["must be greater than start date"])


def promote(store: Store, project: Project, milestone: Milestone) -> Milestone:
    """Make a project's milestone its group's."""
    group = namespaces.find(store, project.namespace_id, "group")
    if group is None:
        raise refused(400, "400 Bad request - Project does not belong to a group.")
    iid = store.next_iid("namespaces", group.id, "milestones_seq")
    store.update("milestones", milestone.id, project_id=None, group_id=group.id, iid=iid)
    return get(store, milestone.id)


def delete(store: Store, milestone: Milestone) -> None:
    store.delete("milestones", milestone.id)
