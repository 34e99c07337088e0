"""Attachments to a project's texts, each behind a secret in its address."""

from __future__ import annotations

import secrets

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project, Upload
from dayjob.company.forge.store.base import Store


def add(store: Store, user: User, project: Project, filename: str, size: int, blob: str) -> Upload:
    upload_id = store.insert(
        "uploads", project_id=project.id, secret=secrets.token_hex(16), filename=filename, size=size, blob=blob,
        user_id=user.id, created_at=store.now(),
    )  # fmt: skip
    return find(store, project, upload_id)


def find(store: Store, project: Project, upload_id: int) -> Upload:
    return store.required(Upload, "id=? AND project_id=?", upload_id, project.id)


def by_secret(store: Store, project: Project, secret: str) -> Upload:
    """Whoever knows its secret may have an attachment."""
    return store.required(Upload, "secret=? AND project_id=?", secret, project.id)


def of_project(store: Store, project: Project) -> list[Upload]:
    """Newest first."""
    return store.all(Upload, "project_id=? ORDER BY id DESC", project.id)


def delete(store: Store, project: Project, upload_id: int) -> None:
    store.delete("uploads", find(store, project, upload_id).id)
