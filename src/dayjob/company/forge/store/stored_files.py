"""Files that people gave to the forge: pictures of accounts, projects, groups and topics, and attachments of texts."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces, projects
from dayjob.company.forge.store.base import Store

_PICTURES = {
    "user": "SELECT avatar FROM users WHERE id=?",
    "project": "SELECT avatar FROM projects WHERE id=?",
    "group": "SELECT avatar FROM namespaces WHERE id=?",
    "topic": "SELECT json_extract(body, '$.avatar') FROM records WHERE kind='topic' AND id=?",
}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file's name and the hash of its content."""

    name: str
    blob: str


def picture(store: Store, user: User | None, kind: str, owner_id: int) -> StoredFile:
    """Those of people and topics are for everyone, those of projects and groups for whoever may see these."""
    kept = store.value(_PICTURES[kind], owner_id) if kind in _PICTURES else None
    if not kept or not _may_see(store, user, kind, owner_id):
        raise not_found()
    blob, _, name = str(kept).partition(":")
    return StoredFile(name, blob)


def _may_see(store: Store, user: User | None, kind: str, owner_id: int) -> bool:
    if kind == "project":
        project = projects.find(store, owner_id)
        return project is not None and access.can_see_project(store, user, project)
    if kind == "group":
        group = namespaces.find(store, owner_id, "group")
        return group is not None and access.can_see_group(store, user, group)
    return True


def attachment(store: Store, project: Project, secret: str) -> StoredFile:
    """What somebody attached to a text of the project; whoever knows its secret may have it."""
    row = store.db.execute(
        "SELECT filename, blob FROM uploads WHERE secret=? AND project_id=?", (secret, project.id)
    ).fetchone()
    if row is None:
        raise not_found()
    return StoredFile(*row)
