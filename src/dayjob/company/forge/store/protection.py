"""Protected branches and tags: who may push, merge, create and delete, by name or wildcard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.forge.git.reading import matches
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


@dataclass(slots=True)
class Protection:
    """A rule for the refs that match its name. Level 0 is nobody."""

    TABLE: ClassVar[str] = "protected_refs"
    id: int
    project_id: int
    kind: str
    name: str
    push_level: int
    merge_level: int
    allow_force_push: int


def rules(store: Store, project: Project, kind: str, name: str) -> list[Protection]:
    """Every rule that covers the ref."""
    found = store.all(Protection, "project_id=? AND kind=? ORDER BY id", project.id, kind)
    if kind == "branch":
        found += group_rules(store, namespaces.ancestors(store, project.namespace_id))
    return [rule for rule in found if matches(rule.name, name)]


def group_rules(store: Store, groups: list[int]) -> list[Protection]:
    """Rules that groups set for all their projects."""
    marks = ",".join("?" * len(groups))
    rows = store.db.execute(
        "SELECT id, scope_id, body FROM records WHERE kind='protected_branch' AND scope='group' AND scope_id IN "
        f"({marks}) ORDER BY id",
        groups,
    ).fetchall()
    return [Protection(row_id, 0, "branch", **json.loads(body)) for row_id, _, body in rows]


def protects_history(store: Store, project: Project, branch: str) -> bool:
    """Whether the branch may only move forward."""
    found = rules(store, project, "branch", branch)
    return bool(found) and not any(rule.allow_force_push for rule in found)


def may_push(
    store: Store, user: User, project: Project, kind: str, name: str, *, deleting: bool = False, exists: bool = False,
    empty: bool = False,
) -> str | None:  # fmt: skip
    """Why someone may not push this branch or tag, or None."""
    level = access.project_level(store, user, project)
    if level < access.DEVELOPER:
        return "You are not allowed to push code to this project."
    found = rules(store, project, kind, name)
    if kind == "tag":
        if exists and level < access.MAINTAINER:
            return "You are not allowed to change existing tags on this project."
        if found and (deleting or exists):
            return "Protected tags cannot be deleted." if deleting else "Protected tags cannot be updated."
        if found and not any(_reaches(level, rule.push_level) for rule in found):
            return "You are not allowed to create this tag as it is protected."
        return None
    if not found or empty:
        return None
    if deleting:
        if level >= access.MAINTAINER:
            return "You can only delete protected branches using the web interface."
        return (
            "You are not allowed to delete protected branches from this project. Only a project maintainer or "
            "owner can delete a protected branch."
        )
    if not any(_reaches(level, rule.push_level) for rule in found):
        return "You are not allowed to push code to protected branches on this project."
    return None


def may_merge(store: Store, user: User, project: Project, branch: str) -> bool:
    """Whether someone may merge into the branch."""
    level = access.project_level(store, user, project)
    found = rules(store, project, "branch", branch)
    if not found:
        return level >= access.DEVELOPER
    return any(_reaches(level, rule.merge_level) or _reaches(level, rule.push_level) for rule in found)


def _reaches(level: int, required: int) -> bool:
    return required != 0 and level >= required
