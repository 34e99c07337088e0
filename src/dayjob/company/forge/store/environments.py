"""Environments that jobs deploy to."""

from __future__ import annotations

from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Store


def ensure(store: Store, project: Project, name: str, url: str | None) -> None:
    """The environment of that name is there; a job that names a new one makes it."""
    if not records.is_taken(store, "environment", "project", project.id, name):
        values = {"name": name, "external_url": url, "tier": None, "description": None, "state": "available"}
        records.create(store, "environment", "project", project.id, name, values)
