"""Projects: their place, name, visibility and settings. Their code is in `git/`, their people in `access`."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from dayjob.company.forge.errors import Refused, invalid
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import DEFAULTS, Project
from dayjob.company.forge.store import namespaces, users
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed, placeholders

NAME = re.compile(r"[\w\U0001F300-\U0001FAFF][\w .+\U0001F300-\U0001FAFF-]*")


def settings_with(project: Project, changed: dict[str, Any]) -> str:
    """A project's settings as its row keeps them, with some changed: nothing is kept of those that are as always."""
    kept = {name: value for name, value in project.options.items() if DEFAULTS.get(name) != value}
    return packed({**kept, **changed})


def find(store: Store, name: str | int) -> Project | None:
    """By id or full path."""
    if isinstance(name, int) or (name.isascii() and name.isdigit()):
        return store.one(Project, "id=?", int(name)) if int(name) < 2**63 else None
    return store.one(Project, "full_path=?", name)


def get(store: Store, project_id: int) -> Project:
    """One that is known to be there."""
    project = find(store, project_id)
    assert project is not None
    return project


def path_of(store: Store, project_id: int) -> str | None:
    path: str | None = store.value("SELECT full_path FROM projects WHERE id=?", project_id)
    return path


def is_path_taken(store: Store, namespace: Namespace, path: str) -> bool:
    taken = "SELECT 1 FROM projects WHERE namespace_id=? AND path=? COLLATE NOCASE"
    return bool(store.value(taken, namespace.id, path))


def in_groups(store: Store, group_ids: list[int]) -> list[int]:
    """The ids of the projects that stand in these groups."""
    marks = placeholders(group_ids)
    return store.values(f"SELECT id FROM projects WHERE namespace_id IN ({marks})", *group_ids)


def slug(name: str) -> str:
    """The path a project gets from its name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.]+", "-", plain).strip("-.").lower() or "project"


def create(
    store: Store, creator: User, namespace: Namespace, *, name: str | None, path: str | None, visibility: int = 0,
    description: str | None = None, default_branch: str | None = None, forked_from: int | None = None,
    avatar: str | None = None, topics: list[str] | None = None, **settings: Any,
) -> Project:  # fmt: skip
    """A new, empty project. In a group its creator becomes a maintainer only through the group itself."""
    name = name if name is not None else path
    assert name is not None
    path = path if path is not None else slug(name)
    check(store, name, path, namespace)
    _check_limit(store, namespace)
    now = store.now()
    project_id = store.insert(
        "projects", namespace_id=namespace.id, name=name, path=path, full_path=f"{namespace.full_path}/{path}",
        description=description, visibility=visibility, default_branch=default_branch, creator_id=creator.id,
        forked_from=forked_from, avatar=avatar, topics=packed(topics or []), settings=packed(settings), created_at=now,
        updated_at=now, last_activity_at=now,
    )  # fmt: skip
    if namespace.owner_id is not None:
        store.insert(
            "members", source_type="Project", source_id=project_id, user_id=namespace.owner_id, access_level=50,
            created_at=now, created_by=creator.id,
        )  # fmt: skip
    return get(store, project_id)


def _check_limit(store: Store, namespace: Namespace) -> None:
    """Refuse a personal project beyond those that an administrator allows its owner."""
    owner = users.by_id(store, namespace.owner_id) if namespace.kind == "user" else None
    limit = owner.facts.get("projects_limit") if owner is not None else None
    if limit is None or store.value("SELECT count(*) FROM projects WHERE namespace_id=?", namespace.id) < limit:
        return
    words = (
        f"You've reached your limit of {limit} projects created. Please contact your administrator."
        if limit
        else "You cannot create projects in your personal namespace. Contact your GitLab administrator."
    )
    raise Refused(403, {"message": {"limit_reached": [words]}})


def check(store: Store, name: str, path: str, namespace: Namespace, own: int = 0) -> None:
    """Raise unless a project of that name and path may stand in the namespace."""
    problems: dict[str, list[str]] = {}
    if not name.strip():
        problems["name"] = ["can't be blank"]
    elif not NAME.fullmatch(name):
        problems["name"] = [
            "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. "
            "It must start with a letter, digit, emoji, or '_'."
        ]
    if not namespaces.PATH.fullmatch(path):
        problems["path"] = [
            "can contain only letters, digits, '_', '-' and '.'. "
            "Cannot start with '-', end in '.git' or end in '.atom'."
        ]
    if problems:
        raise invalid(**problems)
    taken = store.db.execute(
        "SELECT name, path FROM projects WHERE namespace_id=? AND id<>? AND (name=? COLLATE NOCASE OR path=? "
        "COLLATE NOCASE)",
        (namespace.id, own, name, path),
    ).fetchall()
    full_path = f"{namespace.full_path}/{path}"
    same_path = any(row[1].lower() == path.lower() for row in taken) or store.value(
        "SELECT 1 FROM namespaces WHERE full_path=?", full_path
    )
    if taken or same_path:
        found: dict[str, list[str]] = {}
        if same_path:
            found["project_namespace.name"] = ["has already been taken"]
            found["name"] = ["has already been taken"]
            found["path"] = ["has already been taken"]
        else:
            found["name"] = ["has already been taken"]
        raise invalid(**found)


def change(
    store: Store, project: Project, values: dict[str, Any], settings: dict[str, Any], path: str | None = None
) -> Project:
    """Change a project's columns and settings, and give it another path."""
    space = namespaces.get(store, project.namespace_id)
    if values.get("name") is not None or path:
        check(store, values.get("name") or project.name, path or project.path, space, own=project.id)
    if settings:
        values = {**values, "settings": settings_with(project, settings)}
    with store.transaction():
        store.update("projects", project.id, **values, updated_at=store.now())
        if path and path != project.path:
            move(store, get(store, project.id), space, path)
    return get(store, project.id)


def change_settings(store: Store, project: Project, settings: dict[str, Any]) -> None:
    store.update("projects", project.id, settings=settings_with(project, settings))


def set_archived(store: Store, project: Project, archived: bool) -> Project:
    store.update("projects", project.id, archived=int(archived))
    return get(store, project.id)


def set_first_branch(store: Store, project: Project, branch: str) -> None:
    """The first push decides the default branch."""
    store.update("projects", project.id, empty=0, default_branch=branch)


def set_code_facts(store: Store, project: Project, readme: str | None, commit_count: int) -> None:
    """What a project shows of its default branch without opening the repository."""
    store.update("projects", project.id, readme=readme, commit_count=commit_count)


def touch(store: Store, project_id: int) -> None:
    now = store.now()
    store.update("projects", project_id, last_activity_at=now, updated_at=now)


def move(store: Store, project: Project, namespace: Namespace, path: str | None = None) -> None:
    """Put a project into another namespace, or give it another path."""
    path = path or project.path
    check(store, project.name, path, namespace, own=project.id)
    store.update(
        "projects", project.id, namespace_id=namespace.id, path=path, full_path=f"{namespace.full_path}/{path}"
    )


def delete(store: Store, project: Project) -> None:
    """Remove a project with everything in it; the repository's folder goes too."""
    for kind, name in (("Issue", "issues"), ("MergeRequest", "merge_requests"), ("Snippet", "snippets")):
        for child in ("notes", "award_emoji", "label_links", "people", "resource_events", "subscriptions", "todos"):
            what = {"notes": "noteable", "award_emoji": "awardable", "todos": "target"}.get(child, "item")
            store.db.execute(
                f"DELETE FROM {child} WHERE {what}_type=? AND {what}_id IN (SELECT id FROM {name} WHERE project_id=?)",
                (kind, project.id),
            )
    store.db.execute("DELETE FROM members WHERE source_type='Project' AND source_id=?", (project.id,))
    store.db.execute("DELETE FROM group_links WHERE source_type='Project' AND source_id=?", (project.id,))
    store.db.execute("DELETE FROM events WHERE project_id=?", (project.id,))
    store.db.execute("DELETE FROM notes WHERE project_id=?", (project.id,))
    store.db.execute("DELETE FROM records WHERE scope='project' AND scope_id=?", (project.id,))
    store.db.execute("DELETE FROM tokens WHERE kind IN ('project','deploy_project') AND source_id=?", (project.id,))
    store.db.execute("DELETE FROM wiki_pages WHERE owner_type='project' AND owner_id=?", (project.id,))
    store.db.execute("UPDATE projects SET forked_from=NULL WHERE forked_from=?", (project.id,))
    if project.forked_from:
        store.db.execute("UPDATE projects SET forks_count=max(0, forks_count-1) WHERE id=?", (project.forked_from,))
    store.delete("projects", project.id)
    store.repos.discard(project.id)
