"""Lists of projects: what they can be narrowed and ordered by, the same wherever projects are listed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.shares import SHARED_PROJECTS
from dayjob.company.rows import like, placeholders

ORDERS = {
    "id": "p.id", "name": "p.name COLLATE NOCASE", "path": "p.path COLLATE NOCASE", "created_at": "p.created_at",
    "updated_at": "p.updated_at", "last_activity_at": "p.last_activity_at", "star_count": "p.star_count",
    "similarity": "p.name", "storage_size": "p.repository_size", "repository_size": "p.repository_size",
    "wiki_size": "p.id", "packages_size": "p.id",
}  # fmt: skip
Condition = tuple[str, list[Any]]
"""A WHERE condition on the projects `p`, and its arguments."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list of projects is narrowed to."""

    search: str = ""
    search_namespaces: bool = False
    archived: bool | None = None
    visibility: int | None = None
    level: int = 0
    """Only projects where the viewer has at least this level."""
    starred: bool = False
    topics: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    """Only projects with these parts switched on."""
    last_activity_after: str | None = None
    last_activity_before: str | None = None
    updated_after: str | None = None
    updated_before: str | None = None
    id_after: int | None = None
    id_before: int | None = None
    order: str = "created_at"
    sort: str = "desc"


def listed(viewer: User | None, filters: Filters, within: Condition = ("1", []), also: str = "") -> Listing:
    """Projects that the viewer may see; `also` is a further condition, such as that of custom attributes."""
    where, args = f"{within[0]} AND {access.visible_projects(viewer, 'p.id')}", list(within[1])
    column = "p.full_path" if filters.search_namespaces else "p.path"
    for word in filters.search.split():
        where += f" AND (p.name LIKE ? ESCAPE '\\' OR {column} LIKE ? ESCAPE '\\' OR p.description LIKE ? ESCAPE '\\')"
        args += [like(word)] * 3
    if filters.archived is not None:
        where += f" AND p.archived={int(filters.archived)}"
    if filters.level and viewer is not None:
        where += f" AND p.id IN ({access.member_projects(viewer, filters.level)})"
    if filters.starred and viewer is not None:
        where += f" AND p.id IN (SELECT project_id FROM stars WHERE user_id={viewer.id})"
    for topic in filters.topics:
        where += " AND EXISTS (SELECT 1 FROM json_each(p.topics) WHERE value=? COLLATE NOCASE)"
        args.append(topic)
    for feature in filters.features:
        where += f" AND coalesce(json_extract(p.settings,'$.{feature}_access_level'),'enabled')<>'disabled'"
    for condition, value in (
        ("p.visibility=?", filters.visibility),
        ("p.last_activity_at>=?", filters.last_activity_after),
        ("p.last_activity_at<=?", filters.last_activity_before),
        ("p.updated_at>=?", filters.updated_after),
        ("p.updated_at<=?", filters.updated_before),
        ("p.id>?", filters.id_after),
        ("p.id<?", filters.id_before),
    ):
        if value is not None:
            where += f" AND {condition}"
            args.append(value)
    by = f"{ORDERS[filters.order]} {filters.sort}, p.id {filters.sort}"
    return Listing(Project, f"FROM projects p WHERE {where}{also}", args, by, "p")


def owned_by(user: User) -> Condition:
    """The projects in somebody's own namespace."""
    return "p.namespace_id IN (SELECT id FROM namespaces WHERE owner_id=?)", [user.id]


def starred_by(user: User) -> Condition:
    return "p.id IN (SELECT project_id FROM stars WHERE user_id=?)", [user.id]


def contributed_to_by(user: User) -> Condition:
    return "p.id IN (SELECT project_id FROM events WHERE author_id=?)", [user.id]


def forks_of(project: Project) -> Condition:
    return "p.forked_from=?", [project.id]


def of_group(store: Store, group: Namespace, *, subgroups: bool, shared: bool) -> Condition:
    """A group's projects; on demand with those of its subgroups, and with those shared with it."""
    below = namespaces.descendants(store, group.id) if subgroups else [group.id]
    condition, args = f"p.namespace_id IN ({placeholders(below)})", list[Any](below)
    if not shared:
        return condition, args
    also, group_ids = shared_with(group)
    return f"({condition} OR {also})", args + group_ids


def shared_with(group: Namespace) -> Condition:
    return f"p.id IN ({SHARED_PROJECTS})", [group.id]
