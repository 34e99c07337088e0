"""What a project's pages tell of it at a glance: its branches and tags, and whether somebody gave it a star."""

from __future__ import annotations

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store, like


def is_starred(store: Store, user: User | None, project: Project) -> bool:
    if user is None:
        return False
    return bool(store.value("SELECT 1 FROM stars WHERE user_id=? AND project_id=?", user.id, project.id))


def has_branch(store: Store, project_id: int, branch: str) -> bool:
    name = f"refs/heads/{branch}"
    return bool(store.value("SELECT 1 FROM refs WHERE project_id=? AND name=?", project_id, name))


def ref_count(store: Store, project: Project, kind: str) -> int:
    """How many branches (`heads`) or `tags` there are."""
    pattern = like(f"refs/{kind}/")[1:]
    count: int = store.value(
        "SELECT count(*) FROM refs WHERE project_id=? AND name LIKE ? ESCAPE '\\'", project.id, pattern
    )
    return count
