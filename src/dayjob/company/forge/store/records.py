"""Records that are stored and read back: variables, badges, hooks, environments and single settings.

A record belongs to a project, a group, a user or the instance (its scope) and holds a JSON object. What is secret in it
stands in a column of its own, so that it never reaches the journal.
"""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.rows.projects import Record
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed


def of_kind(store: Store, kind: str) -> list[Record]:
    """Every record of a kind, wherever it belongs."""
    return store.all(Record, "kind=? ORDER BY id", kind)


def listed(store: Store, kind: str, scope: str, scope_id: int) -> list[Record]:
    return store.all(Record, "kind=? AND scope=? AND scope_id=? ORDER BY id", kind, scope, scope_id)


def by_id(store: Store, kind: str, scope: str, scope_id: int, record_id: int) -> Record | None:
    return store.one(Record, "kind=? AND scope=? AND scope_id=? AND id=?", kind, scope, scope_id, record_id)


def named(store: Store, kind: str, scope: str, scope_id: int, name: str) -> list[Record]:
    """The records of that name: a variable has one for each environment."""
    return store.all(Record, "kind=? AND scope=? AND scope_id=? AND name=?", kind, scope, scope_id, name)


def is_taken(store: Store, kind: str, scope: str, scope_id: int, name: str, environment: str = "*") -> bool:
    """Whether there is a record of that name already, for the same environment."""
    same_name = [record.values for record in named(store, kind, scope, scope_id, name)]
    return any(values.get("environment_scope", "*") == environment for values in same_name)


def create(
    store: Store, kind: str, scope: str, scope_id: int, name: str, values: dict[str, Any],
    secrets: dict[str, Any] | None = None,
) -> Record:  # fmt: skip
    body, secret, now = packed(values), packed(secrets or {}), store.now()
    record_id = store.insert(
        "records", kind=kind, scope=scope, scope_id=scope_id, name=name, body=body, secret=secret, created_at=now,
        updated_at=now,
    )  # fmt: skip
    return Record(record_id, kind, scope, scope_id, name, body, secret, now, now)


def change(
    store: Store, record: Record, values: dict[str, Any], secrets: dict[str, Any] | None = None, name: str | None = None
) -> Record:
    """Replace what a record holds; its secrets and name stay unless they are given."""
    record.body, record.updated_at = packed(values), store.now()
    record.secret = record.secret if secrets is None else packed(secrets)
    record.name = record.name if name is None else name
    store.update(
        "records", record.id, body=record.body, secret=record.secret, name=record.name, updated_at=record.updated_at
    )
    return record


def delete(store: Store, record: Record) -> None:
    store.delete("records", record.id)


def next_id(store: Store) -> int:
    """The number that the next record gets."""
    newest: int = store.value("SELECT max(id) FROM records") or 0
    return newest + 1


# -- settings that are one record --------------------------------------------------------------------------------


def setting(store: Store, kind: str, scope: str, scope_id: int, name: str = "") -> dict[str, Any] | None:
    """What was set, or None when nothing was."""
    found = named(store, kind, scope, scope_id, name)
    return found[0].values if found else None


def set_setting(store: Store, kind: str, scope: str, scope_id: int, values: dict[str, Any], name: str = "") -> None:
    found = named(store, kind, scope, scope_id, name)
    if found:
        change(store, found[0], values)
    else:
        create(store, kind, scope, scope_id, name, values)


def delete_setting(store: Store, kind: str, scope: str, scope_id: int) -> None:
    store.db.execute("DELETE FROM records WHERE kind=? AND scope=? AND scope_id=?", (kind, scope, scope_id))


# -- custom attributes -------------------------------------------------------------------------------------------


def set_custom_attribute(store: Store, scope: str, scope_id: int, key: str, value: str) -> None:
    """Set an attribute; what it was before goes away."""
    with store.transaction():
        store.db.execute(
            "DELETE FROM records WHERE kind='custom_attribute' AND scope=? AND scope_id=? AND name=?",
            (scope, scope_id, key),
        )
        create(store, "custom_attribute", scope, scope_id, key, {"key": key, "value": value})


def with_custom_attributes(store: Store, scope: str, column: str, wanted: dict[str, str]) -> str:
    """A condition, ` AND …`: the projects, groups or users (whose ids stand in `column`) with all these attributes."""
    conditions = []
    for key, value in wanted.items():
        owners = store.values(
            "SELECT scope_id FROM records WHERE kind='custom_attribute' AND scope=? AND name=? AND "
            "json_extract(body,'$.value')=?",
            scope, key, value,
        )  # fmt: skip
        conditions.append(f" AND {column} IN ({','.join(str(owner) for owner in owners) or 'NULL'})")
    return "".join(conditions)
