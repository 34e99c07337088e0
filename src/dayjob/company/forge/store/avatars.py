"""The pictures of accounts, projects, groups and topics."""

from __future__ import annotations

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import access, namespaces, projects
from dayjob.company.forge.store.base import Store

_PICTURES = {
    "user": "SELECT avatar FROM users WHERE id=?",
    "project": "SELECT avatar FROM projects WHERE id=?",
    "group": "SELECT avatar FROM namespaces WHERE id=?",
    "topic": "SELECT json_extract(body, '$.avatar') FROM records WHERE kind='topic' AND id=?",
}


def find(store: Store, user: User | None, kind: str, owner_id: int) -> tuple[str, str]:
    """A picture's name and blob.

    Those of people and topics are for everyone, those of projects and groups for whoever may see these.
    """
    kept = store.value(_PICTURES[kind], owner_id) if kind in _PICTURES else None
    if not kept or not _may_see(store, user, kind, owner_id):
        raise not_found()
    blob, _, name = str(kept).partition(":")
    return name, blob


def _may_see(store: Store, user: User | None, kind: str, owner_id: int) -> bool:
    if kind == "project":
        project = projects.find(store, owner_id)
        return project is not None and access.can_see_project(store, user, project)
    if kind == "group":
        group = namespaces.find(store, owner_id, "group")
        return group is not None and access.can_see_group(store, user, group)
    return True
