"""Resources that are stored and read back without being acted on: badges, variables, environments, flags and more.

Each `StoredResource` says where such records stand, which fields they have and who may touch them; one set of handlers
serves them all. Secret fields are stored apart, so that they never reach the journal.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.errors import bad, invalid, not_found
from dayjob.company.forge.rows.projects import Record
from dayjob.company.forge.store import access, records

Shape = Callable[[Call, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class StoredResource:
    """One kind of record at one path of the API."""

    kind: str
    path: str
    scope: str  # instance, project, group, user or me
    fields: Mapping[str, Any]  # name → default; the default's type is the field's type
    needs: tuple[str, ...] = ()
    key: str = "id"  # what the last part of the path names a record by
    unique: str = ""  # a field no two records of one scope may share
    secret: tuple[str, ...] = ()
    read: int = 0
    write: int = access.MAINTAINER
    title: str = ""  # what a missing one is called in the 404
    shape: Shape | None = None
    prepare: Callable[[Call, dict[str, Any]], None] | None = None

    @property
    def stored_scope(self) -> str:
        return "user" if self.scope == "me" else self.scope

    def name_of(self, values: Mapping[str, Any]) -> str:
        """What a record with these values is found by."""
        return str(values.get(self.unique or self.key) or values.get("name") or "")

    def apart(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """(what anybody may know, what is secret)"""
        public = {name: value for name, value in values.items() if name not in self.secret}
        return public, {name: value for name, value in values.items() if name in self.secret}


def picked(one: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Some fields of a record; what it does not have is null."""
    return {name: one.get(name) for name in names}


def scope_id(call: Call, resource: StoredResource, level: int) -> int:
    """The id of the project, group or user in the path, if the caller has the level there."""
    if resource.scope == "project":
        return call.project(level).id
    if resource.scope == "group":
        return call.group(level).id
    if resource.scope == "user":
        if level:
            call.admin()
        return someone(call).id
    if resource.scope == "me":
        return call.me.id
    if level:
        call.admin()
    return 0


def shown(call: Call, resource: StoredResource, record: Record) -> dict[str, Any]:
    answer = {"id": record.id, **record.values, **record.secrets}
    answer["created_at"], answer["updated_at"] = record.created_at, record.updated_at
    if resource.scope in ("project", "group"):
        answer[f"{resource.scope}_id"] = record.scope_id
    return resource.shape(call, answer) if resource.shape else answer


def listed(call: Call, resource: StoredResource) -> Any:
    owner = scope_id(call, resource, resource.read)
    rows = records.listed(call.store, resource.kind, resource.stored_scope, owner)
    answers = [shown(call, resource, record) for record in rows]
    if call.text("search") and answers and "name" in answers[0]:
        answers = [answer for answer in answers if call.text("search").lower() in str(answer["name"]).lower()]
    return call.paged(answers)


def find(call: Call, resource: StoredResource, level: int) -> Record:
    """The record in the path, if the caller has the level."""
    place = (resource.kind, resource.stored_scope, scope_id(call, resource, level))
    key = call.path["key"]
    if resource.key == "id":
        if not key.isdigit() or len(key) > 18:
            raise not_found(resource.title)
        record = records.by_id(call.store, *place, int(key))
        matching = [record] if record is not None else []
    else:
        matching = records.named(call.store, *place, key)
    wanted = call.args.get("filter")
    if isinstance(wanted, dict) and wanted.get("environment_scope"):
        matching = [one for one in matching if one.values.get("environment_scope") == wanted["environment_scope"]]
    if not matching:
        raise not_found(resource.title)
    return matching[0]


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


def _values(call: Call, resource: StoredResource) -> dict[str, Any]:
    return {name: _value(call, name, default) for name, default in resource.fields.items() if call.has(name)}


def create(call: Call, resource: StoredResource) -> Any:
    place = (resource.kind, resource.stored_scope, scope_id(call, resource, resource.write))
    call.need(*resource.needs)
    values = {**copy.deepcopy(dict(resource.fields)), **_values(call, resource)}
    if resource.prepare:
        resource.prepare(call, values)
    name = resource.name_of(values)
    if resource.unique and records.is_taken(call.store, *place, name, values.get("environment_scope", "*")):
        subject = f"({name}) " if resource.kind == "variable" else ""
        raise invalid(**{resource.unique: [f"{subject}has already been taken"]})
    return created(shown(call, resource, records.create(call.store, *place, name, *resource.apart(values))))


def change(call: Call, resource: StoredResource) -> Any:
    record = find(call, resource, resource.write)
    values = {**record.values, **record.secrets, **_values(call, resource)}
    if resource.prepare:
        resource.prepare(call, values)
    changed = records.change(call.store, record, *resource.apart(values), resource.name_of(values))
    return shown(call, resource, changed)


def remove(call: Call, resource: StoredResource) -> Any:
    records.delete(call.store, find(call, resource, resource.write))
    return no_content()


def serve(resource: StoredResource) -> None:
    """Put a resource's endpoints on the router."""
    one = f"{resource.path}/{{key}}"
    get(resource.path)(lambda call: listed(call, resource))
    post(resource.path)(lambda call: create(call, resource))
    get(one)(lambda call: shown(call, resource, find(call, resource, resource.read)))
    put(one)(lambda call: change(call, resource))
    delete(one)(lambda call: remove(call, resource))


def serve_both(**options: Any) -> None:
    """The same resource in projects and in groups."""
    path = options.pop("path")
    for scope in ("project", "group"):
        serve(StoredResource(path=f"/{scope}s/{{id}}/{path}", scope=scope, **options))
