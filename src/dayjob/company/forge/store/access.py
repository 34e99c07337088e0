"""Who may do what: levels from guest (10) to owner (50), inherited down groups and by shares; administrators are 60.

A project or group that someone may not see does not exist for them (404); one they may see but not act on says 403.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User

GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER, ADMIN = 10, 15, 20, 30, 40, 50, 60
FEATURE_LEVELS = {"merge_requests": REPORTER}
"""What a part of a project takes that is for members only; the others take a guest."""
LEVELS = (GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER)


@dataclass(slots=True)
class Member:
    """Someone's place in a group or project."""

    TABLE: ClassVar[str] = "members"
    id: int
    source_type: str
    source_id: int
    user_id: int
    access_level: int
    expires_at: str | None
    created_at: str
    created_by: int | None


@dataclass(slots=True)
class GroupLink:
    """A group that another group or a project is shared with."""

    TABLE: ClassVar[str] = "group_links"
    id: int
    source_type: str
    source_id: int
    group_id: int
    access_level: int
    expires_at: str | None


def _member_level(store: Store, user_id: int, project_id: int | None, groups: list[int]) -> int:
    """The highest level from direct membership, inherited groups and shares."""
    marks = ",".join("?" * len(groups)) or "NULL"
    today = store.now()[:10]
    level: int = store.value(
        f"SELECT coalesce(max(access_level), 0) FROM members WHERE user_id=? AND (expires_at IS NULL OR expires_at>?) "
        f"AND ((source_type='Project' AND source_id=?) OR (source_type='Namespace' AND source_id IN ({marks})))",
        user_id, today, project_id, *groups,
    )  # fmt: skip
    for group_id, limit in store.db.execute(
        f"SELECT group_id, access_level FROM group_links WHERE (expires_at IS NULL OR expires_at>?) AND "
        f"((source_type='Project' AND source_id=?) OR (source_type='Namespace' AND source_id IN ({marks})))",
        (today, project_id, *groups),
    ).fetchall():
        above = namespaces.ancestors(store, group_id)
        inside: int = store.value(
            f"SELECT coalesce(max(access_level), 0) FROM members WHERE user_id=? AND source_type='Namespace' "
            f"AND source_id IN ({','.join('?' * len(above))})",
            user_id, *above,
        )  # fmt: skip
        level = max(level, min(inside, limit))
    return level


def project_level(store: Store, user: User | None, project: Project) -> int:
    """What the person is in the project, membership only: 0 for a stranger, 60 for an administrator."""
    if user is None:
        return 0
    if user.admin:
        return ADMIN
    above = namespaces.ancestors(store, project.namespace_id)
    owner = store.value("SELECT owner_id FROM namespaces WHERE id=?", project.namespace_id)
    if owner == user.id:
        return OWNER
    return _member_level(store, user.id, project.id, above)


def group_level(store: Store, user: User | None, group: Namespace) -> int:
    if user is None:
        return 0
    if user.admin:
        return ADMIN
    if group.owner_id == user.id:
        return OWNER
    return _member_level(store, user.id, None, namespaces.ancestors(store, group.id))


def can_see_project(store: Store, user: User | None, project: Project) -> bool:
    if project.visibility == 20 or (project.visibility == 10 and user is not None and not user.external):
        return True
    return project_level(store, user, project) > 0


def may_use(store: Store, user: User | None, project: Project, feature: str) -> bool:
    """Whether a part of a project one can see is there: it may be switched off, or be for members only."""
    setting = project.options[f"{feature}_access_level"]
    if setting == "private":
        return project_level(store, user, project) >= FEATURE_LEVELS.get(feature, GUEST)
    return bool(setting != "disabled")


def may_read_code(store: Store, user: User | None, project: Project) -> bool:
    """Code of a private project is for reporters and up; guests see issues only."""
    if project.visibility == 0 and project_level(store, user, project) < REPORTER:
        return False
    return may_use(store, user, project, "repository")


def can_see_group(store: Store, user: User | None, group: Namespace) -> bool:
    if group.kind == "user" or group.visibility == 20 or (group.visibility == 10 and user is not None):
        return True
    if group_level(store, user, group) > 0:
        return True
    # A member of something below can see the groups on the way down to it.
    return user is not None and bool(
        store.value(
            "WITH RECURSIVE down(id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN down ON "
            "n.parent_id=down.id) "
            "SELECT 1 FROM members m WHERE m.user_id=? AND (m.source_type='Namespace' AND m.source_id IN (SELECT "
            "id FROM down) "
            "OR m.source_type='Project' AND m.source_id IN (SELECT id FROM projects WHERE namespace_id IN "
            "(SELECT id FROM down)))",
            group.id,
            user.id,
        )
    )


MEMBER_GROUPS = (
    "WITH RECURSIVE mine(id, level) AS (SELECT source_id, access_level FROM members WHERE user_id={user} "
    "AND source_type='Namespace' UNION SELECT l.source_id, min(l.access_level, m.access_level) FROM group_links l "
    "JOIN members m ON m.source_type='Namespace' AND m.source_id=l.group_id AND m.user_id={user} "
    "WHERE l.source_type='Namespace' UNION SELECT n.id, mine.level FROM namespaces n JOIN mine ON n.parent_id=mine.id)"
)


def member_projects(user: User, level: int = GUEST) -> str:
    """SQL for the ids of projects someone belongs to with at least this level."""
    return (
        f"SELECT id FROM projects WHERE namespace_id IN (SELECT id FROM namespaces WHERE owner_id={user.id}) "
        f"UNION SELECT source_id FROM members WHERE user_id={user.id} AND source_type='Project' AND "
        f"access_level>={level} "
        f"UNION SELECT l.source_id FROM group_links l JOIN members m ON m.source_type='Namespace' AND "
        f"m.source_id=l.group_id AND m.user_id={user.id} WHERE l.source_type='Project' AND min(l.access_level, "
        f"m.access_level)>={level} "
        f"UNION SELECT id FROM projects WHERE namespace_id IN "
        f"({MEMBER_GROUPS.format(user=user.id)} SELECT id FROM mine WHERE level>={level})"
    )


def member_groups(user: User, level: int = GUEST) -> str:
    """SQL for the ids of groups someone belongs to with at least this level."""
    return f"{MEMBER_GROUPS.format(user=user.id)} SELECT id FROM mine WHERE level>={level}"


def visible_projects(user: User | None, column: str = "id") -> str:
    """A WHERE condition: the projects (whose ids stand in `column`) that someone may see."""
    if user is None:
        return f"{column} IN (SELECT id FROM projects WHERE visibility=20)"
    if user.admin:
        return "1"
    floor = 20 if user.external else 10
    return f"({column} IN (SELECT id FROM projects WHERE visibility>={floor}) OR {column} IN ({member_projects(user)}))"


def open_to(user: User | None, feature: str, column: str) -> str:
    """A WHERE condition: the projects (whose ids stand in `column`) with this part, and with it for somebody."""
    name = f"{feature}_access_level"
    # Few projects set any of these: the text is looked at before it is read.
    kept = f"SELECT id FROM projects WHERE settings LIKE '%{name}%' AND json_extract(settings,'$.{name}')="
    condition = f"{column} NOT IN ({kept}'disabled')"
    if user is not None and user.admin:
        return condition
    member = "0" if user is None else f"{column} IN ({member_projects(user, FEATURE_LEVELS.get(feature, GUEST))})"
    return f"({condition} AND ({column} NOT IN ({kept}'private') OR {member}))"


def visible_groups(user: User | None, column: str = "id") -> str:
    if user is None:
        return f"{column} IN (SELECT id FROM namespaces WHERE visibility=20)"
    if user.admin:
        return "1"
    return f"({column} IN (SELECT id FROM namespaces WHERE visibility>=10) OR {column} IN ({member_groups(user)}))"
