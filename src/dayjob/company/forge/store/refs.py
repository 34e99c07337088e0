"""Branches and tags as rows: they repeat what git says, so that a push is a change that a grader sees."""

from __future__ import annotations

from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import like


def record(store: Store, project: Project, name: str, sha: str) -> None:
    """A ref stands at a commit now."""
    store.db.execute(
        "INSERT INTO refs (project_id, name, sha) VALUES (?,?,?) "
        "ON CONFLICT (project_id, name) DO UPDATE SET sha=excluded.sha",
        (project.id, name, sha),
    )


def forget(store: Store, project: Project, name: str) -> None:
    """A ref is gone."""
    store.db.execute("DELETE FROM refs WHERE project_id=? AND name=?", (project.id, name))


def copy(store: Store, origin: Project, project: Project) -> None:
    """A fork has the refs of its origin."""
    store.db.execute(
        "INSERT INTO refs (project_id, name, sha) SELECT ?, name, sha FROM refs WHERE project_id=?",
        (project.id, origin.id),
    )


def has_branch(store: Store, project_id: int, branch: str) -> bool:
    name = f"refs/heads/{branch}"
    return bool(store.value("SELECT 1 FROM refs WHERE project_id=? AND name=?", project_id, name))


def count(store: Store, project: Project, kind: str) -> int:
    """How many branches (`heads`) or `tags` a project has."""
    pattern = like(f"refs/{kind}/")[1:]
    refs: int = store.value(
        "SELECT count(*) FROM refs WHERE project_id=? AND name LIKE ? ESCAPE '\\'", project.id, pattern
    )
    return refs
