"""Projects: their place, name, visibility and settings. Their code is in `git/`, their people in `access`."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, ClassVar

from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import Store, dumps, invalid
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.users import User

NAME = re.compile(r"[\w\U0001F300-\U0001FAFF][\w .+\U0001F300-\U0001FAFF-]*")
FEATURES = (
    "issues", "merge_requests", "wiki", "snippets", "builds", "forking", "repository", "releases", "environments",
    "feature_flags", "pages", "security_and_compliance", "container_registry", "analytics", "monitor", "infrastructure",
    "model_experiments", "model_registry", "requirements",
)  # fmt: skip


@dataclass(slots=True)
class Project:
    """A project row. `options` are its settings, `DEFAULTS` filling what was never set."""

    TABLE: ClassVar[str] = "projects"
    id: int
    namespace_id: int
    name: str
    path: str
    full_path: str
    description: str | None
    visibility: int
    default_branch: str | None
    archived: int
    creator_id: int | None
    forked_from: int | None
    empty: int
    readme: str | None
    avatar: str | None
    topics: str
    settings: str
    star_count: int
    forks_count: int
    open_issues_count: int
    commit_count: int
    repository_size: int
    created_at: str
    updated_at: str
    last_activity_at: str
    issues_seq: int
    merge_requests_seq: int
    milestones_seq: int
    pipelines_seq: int

    @property
    def options(self) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self.settings)
        # A setting that was given as null is one that was not given.
        return {**DEFAULTS, **{name: value for name, value in kept.items() if value is not None}}


DEFAULTS: dict[str, Any] = {
    "merge_method": "merge",
    "squash_option": "default_off",
    "lfs_enabled": False,
    "request_access_enabled": True,
    "shared_runners_enabled": False,
    "only_allow_merge_if_pipeline_succeeds": False,
    "allow_merge_on_skipped_pipeline": None,
    "only_allow_merge_if_all_discussions_are_resolved": False,
    "remove_source_branch_after_merge": True,
    "printing_merge_request_link_enabled": True,
    "auto_devops_enabled": False,
    "auto_devops_deploy_strategy": "continuous",
    "autoclose_referenced_issues": True,
    "approvals_before_merge": 0,
    "reset_approvals_on_push": False,
    "disable_overriding_approvers_per_merge_request": False,
    "merge_requests_author_approval": True,
    "merge_requests_disable_committers_approval": False,
    "public_jobs": True,
    "build_timeout": 3600,
    "auto_cancel_pending_pipelines": "enabled",
    "ci_config_path": None,
    "ci_default_git_depth": 20,
    "ci_forward_deployment_enabled": True,
    "ci_separated_caches": True,
    "build_git_strategy": "fetch",
    "keep_latest_artifact": True,
    "resolve_outdated_diff_discussions": False,
    "service_desk_enabled": False,
    "suggestion_commit_message": None,
    "merge_commit_template": None,
    "squash_commit_template": None,
    "issue_branch_template": None,
    "enforce_auth_checks_on_uploads": True,
    "emails_enabled": True,
    "emails_disabled": False,
    "packages_enabled": True,
    "mirror": False,
    **{
        f"{feature}_access_level": "enabled"
        for feature in FEATURES
        if feature not in ("security_and_compliance", "requirements")
    },
    "security_and_compliance_access_level": "private",
    "requirements_access_level": "enabled",
}


def settings_with(project: Project, changed: dict[str, Any]) -> str:
    """A project's settings as its row keeps them, with some changed: nothing is kept of those that are as always."""
    kept = {name: value for name, value in project.options.items() if DEFAULTS.get(name) != value}
    return dumps({**kept, **changed})


def find(store: Store, name: str | int) -> Project | None:
    """By id or full path."""
    if isinstance(name, int) or (name.isascii() and name.isdigit()):
        return store.one(Project, "id=?", int(name)) if int(name) < 2**63 else None
    return store.one(Project, "full_path=?", name)


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
    now = store.now()
    project_id = store.insert(
        "projects", namespace_id=namespace.id, name=name, path=path, full_path=f"{namespace.full_path}/{path}",
        description=description, visibility=visibility, default_branch=default_branch, creator_id=creator.id,
        forked_from=forked_from, avatar=avatar, topics=dumps(topics or []), settings=dumps(settings), created_at=now,
        updated_at=now, last_activity_at=now,
    )  # fmt: skip
    if namespace.owner_id is not None:
        store.insert(
            "members", source_type="Project", source_id=project_id, user_id=namespace.owner_id, access_level=50,
            created_at=now, created_by=creator.id,
        )  # fmt: skip
    found = find(store, project_id)
    assert found is not None
    return found


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
