"""SSH keys of people, and deploy keys of projects. They are stored and shown: git here is spoken over HTTP."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from dayjob.company.forge.errors import invalid, not_found
from dayjob.company.forge.rows.people import SshKey, User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Listing, Store


@dataclass(frozen=True, slots=True)
class Enabled:
    """A deploy key in a project, and whether it may push there."""

    key_id: int
    project_id: int
    can_push: bool
    created_at: str


def fingerprints(key: str) -> tuple[str, str] | None:
    """MD5 and SHA-256 fingerprints of an OpenSSH public key, or None when it is not one."""
    parts = key.split()
    if len(parts) < 2 or not re.fullmatch(r"(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+", parts[0]):
        return None
    try:
        raw = base64.b64decode(parts[1], validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) < 16 or raw[4 : 4 + int.from_bytes(raw[:4], "big")].decode("latin-1") != parts[0]:
        return None
    md5 = hashlib.md5(raw, usedforsecurity=False).hexdigest()
    sha = base64.b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode()
    return ":".join(re.findall("..", md5)), f"SHA256:{sha}"


def add(store: Store, kind: str, user_id: int | None, title: str, key: str, expires_at: str | None = None) -> SshKey:
    prints = fingerprints(key)
    if prints is None:
        raise invalid(key=["is invalid"])
    if store.value("SELECT 1 FROM ssh_keys WHERE fingerprint_sha256=?", prints[1]):
        raise invalid(fingerprint_sha256=["has already been taken"], key=["has already been taken"])
    key_id = store.insert(
        "ssh_keys", user_id=user_id, kind=kind, title=title, key=key.strip(), fingerprint=prints[0],
        fingerprint_sha256=prints[1], created_at=store.now(), expires_at=expires_at,
    )  # fmt: skip
    return store.get(SshKey, key_id)


def find(store: Store, key_id: int) -> SshKey | None:
    """Anybody's key, or a deploy key."""
    return store.one(SshKey, "id=?", key_id)


def by_fingerprint(store: Store, fingerprint: str) -> SshKey | None:
    """By either fingerprint; that of MD5 may say so."""
    md5 = fingerprint.removeprefix("MD5:")
    return store.one(SshKey, "fingerprint_sha256=? OR fingerprint=?", fingerprint, md5)


# -- of people ---------------------------------------------------------------------------------------------------


def of_user(user: User) -> Listing:
    return Listing(SshKey, "FROM ssh_keys WHERE user_id=? AND kind='user'", (user.id,), "ssh_keys.id ASC")


def find_of_user(store: Store, user: User, key_id: int) -> SshKey:
    return store.required(SshKey, "id=? AND user_id=? AND kind='user'", key_id, user.id, name="Key")


def delete_of_user(store: Store, user: User, key_id: int) -> None:
    store.delete("ssh_keys", find_of_user(store, user, key_id).id)


# -- deploy keys -------------------------------------------------------------------------------------------------


def deploy_keys() -> Listing:
    return Listing(SshKey, "FROM ssh_keys WHERE kind='deploy'", (), "ssh_keys.id ASC")


def where_enabled(store: Store, key: SshKey) -> list[Enabled]:
    rows = store.db.execute(
        "SELECT key_id, project_id, can_push, created_at FROM deploy_keys_projects WHERE key_id=?", (key.id,)
    )
    return [Enabled(key_id, project_id, bool(push), created_at) for key_id, project_id, push, created_at in rows]


def projects_with(store: Store, key: SshKey, *, can_push: bool) -> list[Project]:
    enabled = "SELECT project_id FROM deploy_keys_projects WHERE key_id=? AND can_push=?"
    return store.all(Project, f"id IN ({enabled})", key.id, int(can_push))


def of_project(store: Store, project: Project) -> list[tuple[SshKey, bool]]:
    """A project's deploy keys, each with whether it may push."""
    enabled = store.db.execute("SELECT key_id, can_push FROM deploy_keys_projects WHERE project_id=?", (project.id,))
    pushing = dict(enabled.fetchall())
    return [(key, bool(pushing[key_id])) for key_id, key in sorted(store.by_ids(SshKey, pushing).items())]


def find_of_project(store: Store, project: Project, key_id: int) -> tuple[SshKey, bool]:
    """A project's deploy key, and whether it may push."""
    push = store.value("SELECT can_push FROM deploy_keys_projects WHERE key_id=? AND project_id=?", key_id, project.id)
    key = find(store, key_id) if push is not None else None
    if key is None:
        raise not_found("Deploy Key")
    return key, bool(push)


def add_to_project(
    store: Store, project: Project, title: str, key: str, expires_at: str | None, *, can_push: bool
) -> SshKey:
    """Enable a deploy key in a project; one that the forge does not know yet is added."""
    prints = fingerprints(key)
    known = store.one(SshKey, "fingerprint_sha256=? AND kind='deploy'", prints[1]) if prints else None
    with store.transaction():
        row = known or add(store, "deploy", None, title, key, expires_at)
        _enable(store, project, row, can_push=can_push)
    return row


def enable(store: Store, project: Project, key_id: int) -> SshKey:
    """Enable a known deploy key in a further project, without the right to push."""
    key = store.one(SshKey, "id=? AND kind='deploy'", key_id)
    if key is None:
        raise not_found("Deploy Key")
    _enable(store, project, key, can_push=False)
    return key


def _enable(store: Store, project: Project, key: SshKey, *, can_push: bool) -> None:
    store.db.execute(
        "INSERT OR IGNORE INTO deploy_keys_projects VALUES (?,?,?,?)", (key.id, project.id, int(can_push), store.now())
    )


def change_in_project(store: Store, project: Project, key: SshKey, *, title: str | None, can_push: bool) -> None:
    if title:
        store.update("ssh_keys", key.id, title=title)
    store.db.execute(
        "UPDATE deploy_keys_projects SET can_push=? WHERE key_id=? AND project_id=?",
        (int(can_push), key.id, project.id),
    )


def remove_from_project(store: Store, project: Project, key_id: int) -> None:
    """Disable a deploy key in a project; one that no project uses any more is deleted."""
    key, _ = find_of_project(store, project, key_id)
    with store.transaction():
        store.db.execute("DELETE FROM deploy_keys_projects WHERE key_id=? AND project_id=?", (key.id, project.id))
        if not where_enabled(store, key):
            store.delete("ssh_keys", key.id)
