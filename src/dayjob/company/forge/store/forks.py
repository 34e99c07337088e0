"""Forks: projects that remember which one they were copied from."""

from __future__ import annotations

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, projects, protection, refs
from dayjob.company.forge.store.base import Store


def check(store: Store, user: User, origin: Project) -> None:
    """Refuse a fork of what somebody may not fork: forking may be switched off, or be for members only."""
    if not access.may_use(store, user, origin, "forking"):
        raise not_found()


def create(
    store: Store, creator: User, origin: Project, space: Namespace, *, name: str | None, path: str | None,
    visibility: int, description: str | None,
) -> Project:  # fmt: skip
    """A fork as a row, with the refs of its origin; the repository itself is copied after it."""
    path = path or origin.path
    if projects.is_path_taken(store, space, path):
        reasons = ("Project namespace name", "Name", "Path")
        raise refused(409, [f"{reason} has already been taken" for reason in reasons])
    with store.transaction():
        project = projects.create(
            store, creator, space, name=name or origin.name, path=path,
            visibility=min(visibility, origin.visibility), description=description,
            default_branch=origin.default_branch, forked_from=origin.id, import_status="finished",
        )  # fmt: skip
        store.update(
            "projects", project.id, empty=origin.empty, readme=origin.readme, commit_count=origin.commit_count,
            repository_size=origin.repository_size,
        )  # fmt: skip
        _count(store, origin.id, 1)
        refs.copy(store, origin, project)
        if not origin.empty and origin.default_branch:
            protection.protect(store, project, "branch", origin.default_branch)
    return project


def relate(store: Store, project: Project, origin: Project) -> None:
    """Let a project count as a fork of another."""
    if project.forked_from:
        raise refused(409, "Project already forked")
    with store.transaction():
        store.update("projects", project.id, forked_from=origin.id)
        _count(store, origin.id, 1)


def unrelate(store: Store, project: Project) -> None:
    if not project.forked_from:
        raise not_found("Forked Project")
    with store.transaction():
        _count(store, project.forked_from, -1)
        store.update("projects", project.id, forked_from=None)


def _count(store: Store, origin_id: int, change: int) -> None:
    store.db.execute("UPDATE projects SET forks_count=max(0, forks_count+?) WHERE id=?", (change, origin_id))


def root(store: Store, project: Project) -> int:
    """The project at the beginning of a chain of forks."""
    seen = {project.id}
    while project.forked_from and project.forked_from not in seen:
        above = projects.find(store, project.forked_from)
        if above is None:
            break
        project = above
        seen.add(project.id)
    return project.id
