"""Integrations of projects with other services: which are active, and with what properties."""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Store


def is_secret(name: str) -> bool:
    """Whether a property is a credential of the other service."""
    return re.search("token|password|key|secret", name) is not None


def active(store: Store, project: Project) -> list[Record]:
    return [record for record in records.listed(store, "integration", "project", project.id) if record.values["active"]]


def find(store: Store, project: Project, slug: str) -> dict[str, Any]:
    values = records.setting(store, "integration", "project", project.id, slug)
    if values is None:
        raise not_found("Integration")
    return values


def activate(store: Store, project: Project, slug: str, given: dict[str, Any]) -> dict[str, Any]:
    """Switch an integration on, with these properties beside those it has."""
    if not re.fullmatch(r"[a-z][a-z0-9-]{1,40}", slug):
        raise not_found("Integration")
    old = records.setting(store, "integration", "project", project.id, slug)
    # Credentials of other services are none of the journal's business: only that they were set is stored.
    plain = {name: "[set]" if is_secret(name) else value for name, value in given.items()}
    now = store.now()
    values = {
        "id": old["id"] if old else records.next_id(store),
        "active": True,
        "properties": {**(old["properties"] if old else {}), **plain},
        "created_at": old["created_at"] if old else now,
        "updated_at": now,
    }
    records.set_setting(store, "integration", "project", project.id, values, slug)
    return values


def deactivate(store: Store, project: Project, slug: str) -> None:
    values = {**find(store, project, slug), "active": False, "properties": {}}
    records.set_setting(store, "integration", "project", project.id, values, slug)
