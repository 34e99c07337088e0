"""Branches and tags as rows: they repeat what git says, so that a push is a change that a grader sees."""

from __future__ import annotations

from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store


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


def open_requests(store: Store, project: Project, branch: str) -> list[MergeRequest]:
    """The open merge requests whose source is a branch, in whatever project, oldest first."""
    return store.all(
        MergeRequest, "source_project_id=? AND source_branch=? AND state='opened' ORDER BY id", project.id, branch
    )
