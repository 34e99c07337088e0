"""Who may do what: levels from guest (10) to owner (50), inherited down groups and by shares; administrators are 60.

A project or group that someone may not see does not exist for them (404); one they may see but not act on says 403.
"""

from __future__ import annotations

from collections.abc import Iterable

from dayjob.company.forge.errors import forbidden, invalid
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.dates import day

GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER, ADMIN = 10, 15, 20, 30, 40, 50, 60
PRIVATE, INTERNAL, PUBLIC = 0, 10, 20
FEATURE_LEVELS = {"merge_requests": REPORTER}
"""What a part of a project takes that is for members only; the others take a guest."""
CLOSED_IN_ARCHIVED = frozenset({
    "approval_rules", "approvals", "artifacts", "boards", "clusters", "environments", "feature_flags",
    "feature_flags_user_lists", "issues", "jobs", "labels", "merge_requests", "milestones", "packages", "pages",
    "pipeline", "pipeline_schedules", "pipelines", "releases", "repository", "snippets", "statuses", "trigger",
    "triggers", "uploads", "wikis",
})  # fmt: skip
"""The parts of a project that are only read once it is archived; its members and settings can still be changed."""
_PROJECT_CREATORS = {"developer": DEVELOPER, "maintainer": MAINTAINER, "owner": OWNER, "administrator": ADMIN}
PROJECT_CREATORS = ("noone", *_PROJECT_CREATORS)
"""Who a group may say creates projects in it."""
OWNERS_SET = frozenset({"visibility", "archived"})
"""What of a project its maintainers do not set."""
LEVELS = (GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER)


def last_day(store: Store, text: str | None) -> str | None:
    """The day from which on a membership or share is over; it lies ahead. None for one without an end."""
    found = day(text, "expires_at")
    if found is not None and found <= store.now()[:10]:
        raise invalid(expires_at=["cannot be a date in the past"])
    return found


def forget_ended(store: Store, name: str, source_type: str, source_id: int, whose: int) -> None:
    """Remove a membership or share that has ended, so that it can be given anew."""
    column = "user_id" if name == "members" else "group_id"
    store.db.execute(
        f"DELETE FROM {name} WHERE source_type=? AND source_id=? AND {column}=? AND expires_at<=today()",
        (source_type, source_id, whose),
    )


_MINE = (
    "WITH RECURSIVE mine(id, level) AS (SELECT source_id, access_level FROM live_members WHERE user_id={user} "
    "AND source_type='Namespace' UNION SELECT l.source_id, min(l.access_level, m.access_level) "
    "FROM live_links l JOIN live_members m ON m.source_type='Namespace' AND m.source_id=l.group_id AND "
    "m.user_id={user} WHERE l.source_type='Namespace' "
    "UNION SELECT n.id, mine.level FROM namespaces n JOIN mine ON n.parent_id=mine.id)"
)
"""The groups somebody belongs to, with a level: their own, those shared with these, and everything below."""

_PLACES = (
    "SELECT source_id AS id, access_level AS level FROM live_members WHERE user_id={user} AND source_type='Project' "
    "UNION ALL SELECT l.source_id, min(l.access_level, mine.level) FROM live_links l JOIN mine ON "
    "mine.id=l.group_id WHERE l.source_type='Project' "
    "UNION ALL SELECT p.id, mine.level FROM projects p JOIN mine ON p.namespace_id=mine.id"
)
"""The projects somebody belongs to, with a level: their own, those shared with their groups, and those in them."""


def project_level(store: Store, user: User | None, project: Project) -> int:
    """What the person is in the project, membership only: 0 for a stranger, 60 for an administrator."""
    if user is None:
        return 0
    if user.admin:
        return ADMIN
    owner = store.value("SELECT owner_id FROM namespaces WHERE id=?", project.namespace_id)
    if owner == user.id:
        return OWNER
    found = f"{_MINE} SELECT coalesce(max(level), 0) FROM ({_PLACES}) WHERE id=?".format(user=user.id)
    level: int = store.value(found, project.id)
    return level


def group_level(store: Store, user: User | None, group: Namespace) -> int:
    if user is None:
        return 0
    if user.admin:
        return ADMIN
    if group.owner_id == user.id:
        return OWNER
    found = f"{_MINE} SELECT coalesce(max(level), 0) FROM mine WHERE id=?".format(user=user.id)
    level: int = store.value(found, group.id)
    return level


def _open_from(user: User | None) -> int:
    """The visibility from which on something is there for somebody who does not belong to it."""
    return PUBLIC if user is None or user.external else INTERNAL


def can_see_project(store: Store, user: User | None, project: Project) -> bool:
    return project.visibility >= _open_from(user) or project_level(store, user, project) > 0


def may_use(store: Store, user: User | None, project: Project, feature: str) -> bool:
    """Whether a part of a project one can see is there: it may be switched off, or be for members only."""
    setting = project.options[f"{feature}_access_level"]
    if setting == "private":
        return project_level(store, user, project) >= FEATURE_LEVELS.get(feature, GUEST)
    return bool(setting != "disabled")


def may_set(store: Store, user: User, project: Project, columns: Iterable[str]) -> None:
    """Refuse to set what is for a project's owners alone: who sees it, and whether it is archived."""
    if not OWNERS_SET.isdisjoint(columns) and project_level(store, user, project) < OWNER:
        raise forbidden()


def takes_work(project: Project, part: str) -> bool:
    """Whether a part of a project (`issues`, `repository`) can be changed at all."""
    return not (project.archived and part in CLOSED_IN_ARCHIVED)


def may_read_code(store: Store, user: User | None, project: Project) -> bool:
    """Code of a project that is not open to somebody is for reporters and up; guests see issues only."""
    if project.visibility < _open_from(user) and project_level(store, user, project) < REPORTER:
        return False
    return may_use(store, user, project, "repository")


def can_see_group(store: Store, user: User | None, group: Namespace) -> bool:
    if group.kind == "user":
        return True
    return bool(store.value(f"SELECT 1 FROM namespaces WHERE id=? AND {visible_groups(user)}", group.id))


def may_create_projects(store: Store, user: User, group: Namespace) -> bool:
    """Developers up, or those from whom on the group lets people create projects: in some it is nobody."""
    wanted = _PROJECT_CREATORS.get(group.options.get("project_creation_level", "developer"))
    return wanted is not None and group_level(store, user, group) >= wanted


def namespace_for_projects(store: Store, user: User, name: str) -> Namespace:
    """The namespace of that id or path, if somebody may put projects there: their own, or a group that lets them."""
    space = namespaces.find(store, name)
    if space is None or not can_see_group(store, user, space):
        raise invalid(namespace=["is not valid"])
    if space.kind == "user" and space.owner_id != user.id and not user.admin:
        raise invalid(namespace=["is not valid"])
    if space.kind == "group" and not may_create_projects(store, user, space):
        raise invalid(namespace=["is not valid"])
    return space


def member_projects(user: User, level: int = GUEST) -> str:
    """SQL for the ids of projects someone belongs to with at least this level."""
    return (
        f"SELECT id FROM projects WHERE namespace_id IN (SELECT id FROM namespaces WHERE owner_id={user.id}) "
        f"UNION SELECT id FROM ({_MINE} {_PLACES}) WHERE level>={level}"
    ).format(user=user.id)


def member_groups(user: User, level: int = GUEST) -> str:
    """SQL for the ids of groups someone belongs to with at least this level."""
    return f"{_MINE} SELECT id FROM mine WHERE level>={level}".format(user=user.id)


def homes_for_projects(store: Store, user: User) -> list[Namespace]:
    """Where somebody may put a project: their own namespace first, then groups that let them."""
    where = "kind='group'" if user.admin else f"kind='group' AND id IN ({member_groups(user, DEVELOPER)})"
    groups = store.all(Namespace, f"{where} ORDER BY full_path")
    chosen = [
        group
        for group in groups
        if "project_creation_level" not in group.options or may_create_projects(store, user, group)
    ]
    return [*store.all(Namespace, "owner_id=?", user.id), *chosen]


def visible_projects(user: User | None, column: str = "id", level: int = GUEST) -> str:
    """A WHERE condition: the projects (whose ids stand in `column`) that are open to someone or where they have this
    level: with a guest's those they may see, with a reporter's those whose code."""
    if user is not None and user.admin:
        return "1"
    seen = f"{column} IN (SELECT id FROM projects WHERE visibility>={_open_from(user)})"
    return seen if user is None else f"({seen} OR {column} IN ({member_projects(user, level)}))"


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
    """A WHERE condition: the groups someone may see, those on the way down to what they belong to among them."""
    if user is not None and user.admin:
        return "1"
    seen = f"{column} IN (SELECT id FROM namespaces WHERE visibility>={_open_from(user)})"
    if user is None:
        return seen
    above = (
        f"WITH RECURSIVE up(id) AS (SELECT id FROM ({member_groups(user)}) UNION SELECT namespace_id FROM projects "
        f"WHERE id IN ({member_projects(user)}) UNION SELECT n.parent_id FROM namespaces n JOIN up ON n.id=up.id "
        "WHERE n.parent_id IS NOT NULL) SELECT id FROM up"
    )
    return f"({seen} OR {column} IN ({above}))"
