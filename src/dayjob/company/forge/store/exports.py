"""What an export of a project or group contains."""

from __future__ import annotations

from dayjob.company.forge.rows.items import Issue, Label, Milestone
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.members import Source


def labels(store: Store, source: Source) -> list[Label]:
    return store.all(Label, f"{_owner(source)}=? ORDER BY id", source.id)


def milestones(store: Store, source: Source) -> list[Milestone]:
    return store.all(Milestone, f"{_owner(source)}=? ORDER BY id", source.id)


def _owner(source: Source) -> str:
    return "project_id" if isinstance(source, Project) else "group_id"


def issues(store: Store, project: Project) -> list[Issue]:
    return store.all(Issue, "project_id=? ORDER BY iid", project.id)


def comments(store: Store, issue: Issue) -> list[str]:
    """What people wrote on an issue, oldest first."""
    return store.values(
        "SELECT body FROM notes WHERE noteable_type='Issue' AND noteable_id=? AND system=0 ORDER BY id", issue.id
    )
