"""The instance's settings by name, its appearance and its feature flags; and how much there is of everything."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.store.base import Store, dumps

_FEATURE = "feature/"
_APPEARANCE = "appearance"
_COUNTED = {
    "forks": "projects WHERE forked_from IS NOT NULL",
    "issues": "issues",
    "merge_requests": "merge_requests",
    "notes": "notes",
    "snippets": "snippets",
    "ssh_keys": "ssh_keys",
    "milestones": "milestones",
    "users": "users",
    "projects": "projects",
    "groups": "namespaces WHERE kind='group'",
    "active_users": "users WHERE state='active' AND bot=0",
}


def changed(store: Store) -> dict[str, Any]:
    """Every setting that was ever set."""
    return {name: json.loads(value) for name, value in store.db.execute("SELECT name, value FROM settings")}


def change(store: Store, name: str, value: Any) -> None:
    store.db.execute("INSERT OR REPLACE INTO settings VALUES (?,?)", (name, dumps(value)))


def appearance(store: Store) -> dict[str, Any]:
    """What was changed of how the instance looks."""
    value = store.value("SELECT value FROM settings WHERE name=?", _APPEARANCE)
    return json.loads(value) if value else {}


def change_appearance(store: Store, values: dict[str, Any]) -> None:
    change(store, _APPEARANCE, values)


def features(store: Store) -> list[dict[str, Any]]:
    """The feature flags that were set, by name."""
    values = store.values("SELECT value FROM settings WHERE name LIKE ? ORDER BY name", f"{_FEATURE}%")
    return [json.loads(value) for value in values]


def set_feature(store: Store, name: str, feature: dict[str, Any]) -> None:
    change(store, _FEATURE + name, feature)


def delete_feature(store: Store, name: str) -> None:
    store.db.execute("DELETE FROM settings WHERE name=?", (_FEATURE + name,))


def statistics(store: Store) -> dict[str, int]:
    return {name: store.value(f"SELECT count(*) FROM {source}") for name, source in _COUNTED.items()}
