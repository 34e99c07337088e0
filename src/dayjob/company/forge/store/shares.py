"""Groups that projects and other groups are shared with."""

from __future__ import annotations

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.namespaces import GroupLink, Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.members import Source, source_type


def share(store: Store, source: Source, group: Namespace, level: int, expires_at: str | None) -> int:
    """Give a group's members access to a project or group. Returns the id of the share."""
    kind = source_type(source)
    if store.one(GroupLink, "source_type=? AND source_id=? AND group_id=?", kind, source.id, group.id):
        taken = "Shared group has already been taken"
        raise refused(
            409, taken if isinstance(source, Project) else "The group has already been shared with this group"
        )
    access.forget_ended(store, "group_links", kind, source.id, group.id)
    return store.insert(
        "group_links", source_type=kind, source_id=source.id, group_id=group.id, access_level=level,
        expires_at=access.last_day(store, expires_at),
    )  # fmt: skip


def unshare(store: Store, source: Source, group_id: int) -> None:
    gone = store.db.execute(
        "DELETE FROM group_links WHERE source_type=? AND source_id=? AND group_id=?",
        (source_type(source), source.id, group_id),
    )
    if not gone.rowcount:
        raise not_found("Group Link" if isinstance(source, Project) else "")


def visible(store: Store, user: User | None, source: Source) -> list[tuple[GroupLink, Namespace]]:
    """The shares of a project or group, with each group that somebody may see."""
    links = store.all(GroupLink, "source_type=? AND source_id=? ORDER BY id", source_type(source), source.id)
    groups = store.by_ids(Namespace, [link.group_id for link in links])
    return [(link, groups[link.group_id]) for link in links if access.can_see_group(store, user, groups[link.group_id])]


def groups_of(store: Store, user: User | None, project: Project, *, invited: bool) -> list[Namespace]:
    """The groups above a project, and those it is shared with (`invited`), as far as somebody may see them."""
    space = namespaces.find(store, project.namespace_id)
    ids = [] if space is None or space.owner_id else namespaces.ancestors(store, space.id)
    if invited:
        ids += store.values("SELECT group_id FROM live_links WHERE source_type='Project' AND source_id=?", project.id)
    groups = sorted(store.by_ids(Namespace, ids).values(), key=lambda group: group.id)
    return [group for group in groups if access.can_see_group(store, user, group)]


def invited_groups(store: Store, user: User | None, project: Project) -> list[Namespace]:
    invited = "SELECT group_id FROM live_links WHERE source_type='Project' AND source_id=?"
    return store.all(Namespace, f"id IN ({invited}) AND {access.visible_groups(user)} ORDER BY id", project.id)


SHARED_PROJECTS = "SELECT source_id FROM live_links WHERE source_type='Project' AND group_id=?"
"""SQL for the ids of projects that are shared with a group."""
