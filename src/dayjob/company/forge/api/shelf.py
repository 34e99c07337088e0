"""Records the forge keeps for its users without acting on them: badges, variables, environments, flags and more.

Each `Shelf` says where such records stand, which fields they have and who may touch them; one set of handlers serves
them all. Secret fields are kept apart, so that they never reach the journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, invalid, not_found

Shape = Callable[[Call, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One kind of record at one place of the API."""

    kind: str
    path: str
    scope: str  # instance, project, group, user or me
    fields: Mapping[str, Any]  # name → default; the default's type is the field's type
    needs: tuple[str, ...] = ()
    key: str = "id"  # what the last part of the path names a record by
    unique: str = ""  # a field no two records of one place may share
    secret: tuple[str, ...] = ()
    read: int = 0
    write: int = access.MAINTAINER
    title: str = ""  # what a missing one is called in the 404
    shape: Shape | None = None
    prepare: Callable[[Call, dict[str, Any]], None] | None = None


def place_id(call: Call, shelf: Shelf, level: int) -> int:
    if shelf.scope == "project":
        return call.project(level).id
    if shelf.scope == "group":
        return call.group(level).id
    if shelf.scope == "user":
        if level:
            call.admin()
        return someone(call).id
    if shelf.scope == "me":
        return call.me.id
    if level:
        call.admin()
    return 0


def _storage(shelf: Shelf) -> str:
    return "user" if shelf.scope == "me" else shelf.scope


def shown(call: Call, shelf: Shelf, row: tuple[Any, ...]) -> dict[str, Any]:
    row_id, body, secret, created_at, updated_at, scope_id = row
    found = {"id": row_id, **json.loads(body), **json.loads(secret)}
    found["created_at"], found["updated_at"] = created_at, updated_at
    if shelf.scope in ("project", "group"):
        found[f"{shelf.scope}_id"] = scope_id
    return shelf.shape(call, found) if shelf.shape else found


SELECT = (
    "SELECT id, body, secret, created_at, updated_at, scope_id FROM records WHERE kind=? AND scope=? AND scope_id=?"
)


def listed(call: Call, shelf: Shelf) -> Any:
    owner = place_id(call, shelf, shelf.read)
    rows = call.store.db.execute(f"{SELECT} ORDER BY id", (shelf.kind, _storage(shelf), owner)).fetchall()
    found = [shown(call, shelf, row) for row in rows]
    if call.text("search") and found and "name" in found[0]:
        found = [one for one in found if call.text("search").lower() in str(one["name"]).lower()]
    return call.paged(found)


def find(call: Call, shelf: Shelf, level: int) -> tuple[Any, ...]:
    owner = place_id(call, shelf, level)
    key = call.path["key"]
    if shelf.key == "id":
        if not key.isdigit() or len(key) > 18:
            raise not_found(shelf.title)
        sql, value = f"{SELECT} AND id=?", int(key)
    else:
        sql, value = f"{SELECT} AND name=?", key  # type: ignore[assignment]  # a name is text
    wanted = call.args.get("filter")
    rows = call.store.db.execute(sql, (shelf.kind, _storage(shelf), owner, value)).fetchall()
    if isinstance(wanted, dict) and wanted.get("environment_scope"):
        rows = [row for row in rows if json.loads(row[1]).get("environment_scope") == wanted["environment_scope"]]
    if not rows:
        raise not_found(shelf.title)
    found: tuple[Any, ...] = rows[0]
    return found


def _value(call: Call, name: str, default: Any) -> Any:
    if isinstance(default, bool):
        return call.boolean(name, default)
    if isinstance(default, int):
        return call.integer(name, default)
    if isinstance(default, list | dict):
        given = call.args.get(name)
        if isinstance(default, list) and isinstance(given, str):
            return [one for one in given.split(",") if one]
        if not isinstance(given, type(default)):
            raise bad(f"{name} is invalid")
        return given
    return call.text(name)


def _values(call: Call, shelf: Shelf) -> dict[str, Any]:
    return {name: _value(call, name, default) for name, default in shelf.fields.items() if call.has(name)}


def _split(shelf: Shelf, values: dict[str, Any]) -> tuple[str, str]:
    public = {name: value for name, value in values.items() if name not in shelf.secret}
    return dumps(public), dumps({name: value for name, value in values.items() if name in shelf.secret})


def _default(value: Any) -> Any:
    return json.loads(json.dumps(value)) if isinstance(value, list | dict) else value


def create(call: Call, shelf: Shelf) -> Any:
    owner = place_id(call, shelf, shelf.write)
    call.need(*shelf.needs)
    values = {**{name: _default(value) for name, value in shelf.fields.items()}, **_values(call, shelf)}
    if shelf.prepare:
        shelf.prepare(call, values)
    name = str(values.get(shelf.unique or shelf.key) or values.get("name") or "")
    if shelf.unique and call.store.value(
        "SELECT 1 FROM records WHERE kind=? AND scope=? AND scope_id=? AND name=? AND "
        "coalesce(json_extract(body,'$.environment_scope'),'*')=?",
        shelf.kind,
        _storage(shelf),
        owner,
        name,
        values.get("environment_scope", "*"),
    ):
        raise invalid(
            **{
                shelf.unique: [
                    f"({name}) has already been taken" if shelf.kind == "variable" else "has already been taken"
                ]
            }
        )
    body, secret = _split(shelf, values)
    now = call.store.now()
    row_id = call.store.insert(
        "records",
        kind=shelf.kind,
        scope=_storage(shelf),
        scope_id=owner,
        name=name,
        body=body,
        secret=secret,
        created_at=now,
        updated_at=now,
    )
    row = (row_id, body, secret, now, now, owner)
    return created(shown(call, shelf, row))


def change(call: Call, shelf: Shelf) -> Any:
    row = find(call, shelf, shelf.write)
    values = {**json.loads(row[1]), **json.loads(row[2]), **_values(call, shelf)}
    if shelf.prepare:
        shelf.prepare(call, values)
    body, secret = _split(shelf, values)
    name = str(values.get(shelf.unique or shelf.key) or values.get("name") or "")
    now = call.store.now()
    call.store.update("records", row[0], body=body, secret=secret, name=name, updated_at=now)
    return shown(call, shelf, (row[0], body, secret, row[3], now, row[5]))


def remove(call: Call, shelf: Shelf) -> Any:
    call.store.delete("records", find(call, shelf, shelf.write)[0])
    return no_content()


def place(shelf: Shelf) -> None:
    """Put a shelf's endpoints on the router."""
    one = f"{shelf.path}/{{key}}"
    get(shelf.path)(lambda call: listed(call, shelf))
    post(shelf.path)(lambda call: create(call, shelf))
    get(one)(lambda call: shown(call, shelf, find(call, shelf, shelf.read)))
    put(one)(lambda call: change(call, shelf))
    delete(one)(lambda call: remove(call, shelf))


def place_both(**options: Any) -> None:
    """The same shelf in projects and in groups."""
    path = options.pop("path")
    for scope in ("project", "group"):
        place(Shelf(path=f"/{scope}s/{{id}}/{path}", scope=scope, **options))
