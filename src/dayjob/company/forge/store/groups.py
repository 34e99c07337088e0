"""Groups: listed, changed and removed with everything below them. The tree they form is in `namespaces`."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import forbidden, not_found, refused
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces, projects
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.shares import SHARED_PROJECTS
from dayjob.company.rows import like, packed, placeholders

ORDERS = {"name": "name", "path": "path", "id": "id", "similarity": "name"}
PROJECTS_SHOWN = 100
"""The most projects that a group tells of itself."""


def listed(
    store: Store, viewer: User | None, *, parent: Namespace | None = None, below: Namespace | None = None,
    level: int = 0, search: str | None = None, skipped: list[int] | None = None, top_only: bool = False,
    visibility: int | None = None, order: str = "name", sort: str = "asc", also: str = "",
) -> Listing:  # fmt: skip
    """The groups that somebody may see; with a level, those where they have it.

    `parent` narrows them to its subgroups, `below` to everything under it. `also` is a further condition, such as that
    of custom attributes.
    """
    where, args = f"g.kind='group' AND {access.visible_groups(viewer, 'g.id')}", list[Any]()
    if parent is not None:
        where += " AND g.parent_id=?"
        args.append(parent.id)
    if below is not None:
        ids = [group_id for group_id in namespaces.descendants(store, below.id) if group_id != below.id]
        where += f" AND g.id IN ({placeholders(ids) or 'NULL'})"
        args += ids
    if level and viewer is not None:
        where += f" AND g.id IN ({access.member_groups(viewer, level)})"
    if search:
        where += " AND (g.name LIKE ? ESCAPE '\\' OR g.full_path LIKE ? ESCAPE '\\')"
        args += [like(search)] * 2
    if skipped:
        where += f" AND g.id NOT IN ({placeholders(skipped)})"
        args += skipped
    if top_only:
        where += " AND g.parent_id IS NULL"
    if visibility is not None:
        where += " AND g.visibility=?"
        args.append(visibility)
    by = f"g.{ORDERS[order]} COLLATE NOCASE {sort}, g.id {sort}"
    return Listing(Namespace, f"FROM namespaces g WHERE {where}{also}", args, by, "g")


def namespaces_of(user: User, *, search: str | None = None, owned: bool = False) -> Listing:
    """The namespaces somebody can use: their own and the groups they belong to; an administrator's are all."""
    where, args = "1" if user.admin else _within(user, access.GUEST), list[Any]()
    if search:
        where += " AND (n.path LIKE ? ESCAPE '\\' OR n.name LIKE ? ESCAPE '\\')"
        args += [like(search)] * 2
    if owned:
        where += f" AND {_within(user, access.OWNER)}"
    return Listing(Namespace, f"FROM namespaces n WHERE {where}", args, "n.kind DESC, n.id ASC", "n")


def _within(user: User, level: int) -> str:
    return f"(n.owner_id={user.id} OR n.id IN ({access.member_groups(user, level)}))"


def where_member(store: Store, user: User, level: int) -> list[Namespace]:
    """The groups where somebody has at least this level."""
    return store.all(Namespace, f"kind='group' AND id IN ({access.member_groups(user, level)}) ORDER BY id")


def for_subgroups(store: Store, user: User) -> list[Namespace]:
    """The groups in which somebody may be let create another, by path."""
    if user.admin:
        return store.all(Namespace, "kind='group' ORDER BY full_path")
    return sorted(where_member(store, user, access.MAINTAINER), key=lambda group: group.full_path)


def repository_size(store: Store, group: Namespace) -> int:
    size: int = store.value("SELECT coalesce(sum(repository_size),0) FROM projects WHERE namespace_id=?", group.id)
    return size


def projects_shown(store: Store, viewer: User | None, group: Namespace) -> tuple[list[Project], list[Project]]:
    """(a group's own projects, newest first; those shared with it), as far as somebody may see them."""
    seen = f"{access.visible_projects(viewer)}"
    own = store.all(Project, f"namespace_id=? AND {seen} ORDER BY id DESC LIMIT {PROJECTS_SHOWN}", group.id)
    shared = store.all(Project, f"id IN ({SHARED_PROJECTS}) AND {seen} LIMIT {PROJECTS_SHOWN}", group.id)
    return own, shared


# -- changes -----------------------------------------------------------------------------------------------------


def parent_for(store: Store, creator: User, parent_id: int | None) -> Namespace | None:
    """Where a new group may stand: under a parent its creator maintains, or owns if the parent asks for that, or at
    the top."""
    if parent_id is None:
        if not creator.admin and creator.facts.get("can_create_group") is False:
            raise forbidden()
        return None
    parent = namespaces.find(store, parent_id, "group")
    if parent is None or not access.can_see_group(store, creator, parent):
        raise not_found("Group")
    by_owners = parent.options.get("subgroup_creation_level") == "owner"
    if access.group_level(store, creator, parent) < (access.OWNER if by_owners else access.MAINTAINER):
        raise forbidden()
    return parent


def change(
    store: Store, group: Namespace, values: dict[str, Any], settings: dict[str, Any], path: str | None
) -> Namespace:
    """Change a group's columns and settings, and its path with that of everything below."""
    if settings:
        values = {**values, "settings": packed({**group.options, **settings})}
    with store.transaction():
        store.update("namespaces", group.id, **values)
        if path:
            namespaces.move(store, group, path=path)
    return namespaces.get(store, group.id)


def transfer(store: Store, actor: User, group: Namespace, parent_id: int | None) -> Namespace:
    """Put a group under another that the actor owns, or at the top."""
    parent = None
    if parent_id is not None:
        parent = namespaces.find(store, parent_id, "group")
        if parent is None:
            raise not_found("Group")
        if access.group_level(store, actor, parent) < access.OWNER:
            raise refused(400, "Transfer failed: You don't have enough permissions.")
        if parent.id == group.parent_id:
            raise refused(400, "Transfer failed: Group is already associated to the parent group.")
    elif group.parent_id is None:
        raise refused(400, "Transfer failed: Group is already a root group.")
    with store.transaction():
        namespaces.move(store, group, parent=parent)
    return namespaces.get(store, group.id)


def transfer_project(store: Store, actor: User, project: Project, name: str) -> None:
    """Put a project into another namespace, by id or path, that the actor maintains."""
    space = namespaces.find(store, name)
    if space is None or not access.can_see_group(store, actor, space):
        raise not_found("Namespace")
    if not _takes_project(store, actor, space):
        raise forbidden()
    if space.id == project.namespace_id:
        raise refused(400, "Project is already in this namespace.")
    with store.transaction():
        projects.move(store, project, space)


def _takes_project(store: Store, actor: User, space: Namespace) -> bool:
    """Whether somebody may put a project that is there already into a namespace."""
    creates = space.kind != "group" or access.may_create_projects(store, actor, space)
    return creates and access.group_level(store, actor, space) >= access.MAINTAINER


def project_transfer_locations(store: Store, actor: User, project: Project) -> list[Namespace]:
    """The groups that the actor may put a project into; the one it is in is none."""
    maintained = where_member(store, actor, access.MAINTAINER)
    return [group for group in maintained if group.id != project.namespace_id and _takes_project(store, actor, group)]


def transfer_locations(store: Store, actor: User, group: Namespace) -> list[Namespace]:
    """The groups that a group may be put under: the actor's own, not the one it is under, and none below itself."""
    ruled_out = {*namespaces.descendants(store, group.id), group.parent_id}
    return [owned for owned in where_member(store, actor, access.OWNER) if owned.id not in ruled_out]


def remove(store: Store, group: Namespace) -> None:
    """A group with its subgroups and all their projects."""
    below = namespaces.descendants(store, group.id)
    marks = placeholders(below)
    with store.transaction():
        for project in store.all(Project, f"namespace_id IN ({marks})", *below):
            projects.delete(store, project)
        for table, condition in (
            ("members", f"source_type='Namespace' AND source_id IN ({marks})"),
            ("group_links", f"source_type='Namespace' AND source_id IN ({marks})"),
            ("records", f"scope='group' AND scope_id IN ({marks})"),
            ("tokens", f"kind IN ('group','deploy_group') AND source_id IN ({marks})"),
            ("wiki_pages", f"owner_type='group' AND owner_id IN ({marks})"),
        ):
            store.db.execute(f"DELETE FROM {table} WHERE {condition}", below)
        for group_id in below:
            store.repos.discard_name(f"group-{group_id}.wiki")
        store.delete("namespaces", group.id)
