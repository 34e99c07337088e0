"""Groups, subgroups and the personal namespaces: a tree of paths that projects hang on."""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.forge.errors import invalid, refused
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed

PATH = re.compile(r"(?!.*\.(git|atom)$)[A-Za-z0-9_][A-Za-z0-9_.-]*(?<!\.)")
RESERVED = frozenset({
    "-", "admin", "api", "assets", "dashboard", "explore", "files", "groups", "health_check", "help", "import",
    "jwt", "login", "oauth", "profile", "projects", "public", "s", "search", "snippets", "uploads", "users", "v2",
})  # fmt: skip
VISIBILITY = {"private": 0, "internal": 10, "public": 20}
VISIBILITY_NAMES = {number: name for name, number in VISIBILITY.items()}


def find(store: Store, name: str | int, kind: str | None = None) -> Namespace | None:
    """By id or full path; `kind` narrows it to groups or personal ones."""
    if isinstance(name, int) or (name.isascii() and name.isdigit()):
        found = store.one(Namespace, "id=?", int(name)) if int(name) < 2**63 else None
    else:
        found = store.one(Namespace, "full_path=?", name)
    return found if found is not None and kind in (None, found.kind) else None


def get(store: Store, namespace_id: int) -> Namespace:
    """One that is known to be there."""
    namespace = find(store, namespace_id)
    assert namespace is not None
    return namespace


def names(store: Store, space: Namespace) -> list[str]:
    """The names from the top down to a namespace's own."""
    down = [space.name]
    while space.parent_id is not None:
        space = get(store, space.parent_id)
        down.insert(0, space.name)
    return down


def exists(store: Store, full_path: str) -> bool:
    return bool(store.value("SELECT 1 FROM namespaces WHERE full_path=?", full_path))


def own(store: Store, user: User) -> Namespace | None:
    """Somebody's personal namespace; a bot has none."""
    return store.one(Namespace, "owner_id=?", user.id)


def ancestors(store: Store, namespace_id: int) -> list[int]:
    """The namespace itself and everything above it, nearest first."""
    return store.values(
        "WITH RECURSIVE up(id, parent_id, depth) AS (SELECT id, parent_id, 0 FROM namespaces WHERE id=? "
        "UNION ALL SELECT n.id, n.parent_id, depth+1 FROM namespaces n JOIN up ON n.id=up.parent_id) "
        "SELECT id FROM up ORDER BY depth",
        namespace_id,
    )


def descendants(store: Store, namespace_id: int) -> list[int]:
    """The namespace itself and everything below it."""
    return store.values(
        "WITH RECURSIVE down(id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN down ON "
        "n.parent_id=down.id) "
        "SELECT id FROM down",
        namespace_id,
    )


def create_group(
    store: Store, creator: User | None, *, name: str, path: str, parent: Namespace | None = None, visibility: int = 0,
    description: str = "", avatar: str | None = None, **settings: Any,
) -> Namespace:  # fmt: skip
    """A new group; its creator becomes its owner."""
    check_path(path, parent is None)
    full_path = f"{parent.full_path}/{path}" if parent else path
    if _taken(store, full_path):
        raise refused(400, 'Failed to save group {:path=>["has already been taken"]}')
    if parent is not None and visibility > parent.visibility:
        raise invalid(visibility_level=[
            f"{VISIBILITY_NAMES[visibility]} is not allowed since the parent group has a "
            f"{VISIBILITY_NAMES[parent.visibility]} visibility."
        ])  # fmt: skip
    now = store.now()
    group_id = store.insert(
        "namespaces", kind="group", name=name, path=path, full_path=full_path, parent_id=parent.id if parent else None,
        visibility=visibility, description=description, settings=packed(settings), avatar=avatar, created_at=now,
    )  # fmt: skip
    if creator is not None:
        store.insert(
            "members", source_type="Namespace", source_id=group_id, user_id=creator.id, access_level=50,
            created_at=now, created_by=creator.id,
        )  # fmt: skip
    found = find(store, group_id)
    assert found is not None
    return found


def check_path(path: str, top: bool = False) -> None:
    if not PATH.fullmatch(path) or (top and path.lower() in RESERVED):
        raise invalid(
            path=[
                "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end "
                "in '.atom'."
                if not PATH.fullmatch(path)
                else f"{path} is a reserved name"
            ]
        )


def _taken(store: Store, full_path: str) -> bool:
    return bool(
        store.value(
            "SELECT 1 FROM namespaces WHERE full_path=? UNION SELECT 1 FROM projects WHERE full_path=?",
            full_path,
            full_path,
        )
    )


def move(store: Store, group: Namespace, *, path: str | None = None, parent: Namespace | bool | None = False) -> None:
    """Rename a group's path or put it under another parent (None: to the top); everything below follows."""
    new_parent = store.one(Namespace, "id=?", group.parent_id) if parent is False else parent
    assert not isinstance(new_parent, bool)
    new_path = path or group.path
    check_path(new_path, new_parent is None)
    full_path = f"{new_parent.full_path}/{new_path}" if new_parent else new_path
    if full_path == group.full_path:
        return
    if full_path.lower() != group.full_path.lower() and _taken(store, full_path):
        raise invalid(path=["has already been taken"])
    if new_parent is not None and new_parent.id in descendants(store, group.id):
        raise refused(400, "Transfer failed: Group is already associated to the parent group.")
    store.update("namespaces", group.id, path=new_path, parent_id=new_parent.id if new_parent else None)
    for name in ("namespaces", "projects"):
        store.db.execute(
            f"UPDATE {name} SET full_path=? || substr(full_path, ?) WHERE full_path=? OR full_path LIKE ? ESCAPE '\\'",
            (full_path, len(group.full_path) + 1, group.full_path, _below(group.full_path)),
        )


def _below(path: str) -> str:
    return path.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "/%"
