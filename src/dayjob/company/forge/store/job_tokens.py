"""Job tokens of a project: whether their use is limited, and which projects and groups may use them."""

from __future__ import annotations

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces, records
from dayjob.company.forge.store.base import Store

_TAKEN = {
    "project": "Target project is already in the job token scope",
    "group": "Target group is already in the job token allowlist",
}


def is_limited(store: Store, project: Project) -> bool:
    """Whether only the projects and groups of the allowlist may use the tokens."""
    scope = records.setting(store, "job_token_scope", "project", project.id) or {"inbound_enabled": True}
    limited: bool = scope["inbound_enabled"]
    return limited


def reaches(store: Store, job: Job, project: Project) -> bool:
    """Whether the token of a job opens a project: its own, one that lets it in, or one that lets everybody in."""
    if job.project_id == project.id or not is_limited(store, project):
        return True
    if job.project_id in _allowed(store, project, "project"):
        return True
    home = store.get(Project, job.project_id)
    above = namespaces.ancestors(store, home.namespace_id)
    return bool(set(above) & set(_allowed(store, project, "group")))


def limit(store: Store, project: Project, enabled: bool) -> None:
    values = {"inbound_enabled": enabled, "outbound_enabled": False}
    records.set_setting(store, "job_token_scope", "project", project.id, values)


def allowed_projects(store: Store, project: Project) -> list[Project]:
    return list(store.by_ids(Project, _allowed(store, project, "project")).values())


def allowed_groups(store: Store, project: Project) -> list[Namespace]:
    return list(store.by_ids(Namespace, _allowed(store, project, "group")).values())


def allow(store: Store, project: Project, kind: str, target_id: int) -> None:
    """Put a project or group (`kind`) on the allowlist."""
    ids = _allowed(store, project, kind)
    if target_id in ids:
        raise refused(422, _TAKEN[kind])
    _set_allowed(store, project, kind, [*ids, target_id])


def disallow(store: Store, project: Project, kind: str, target_id: int) -> None:
    ids = _allowed(store, project, kind)
    if target_id not in ids:
        raise not_found(kind.capitalize())
    _set_allowed(store, project, kind, [allowed for allowed in ids if allowed != target_id])


def _name(kind: str) -> str:
    return "group" if kind == "group" else ""


def _allowed(store: Store, project: Project, kind: str) -> list[int]:
    allowlist = records.setting(store, "job_token_allowlist", "project", project.id, _name(kind)) or {"ids": []}
    ids: list[int] = allowlist["ids"]
    return ids


def _set_allowed(store: Store, project: Project, kind: str, ids: list[int]) -> None:
    records.set_setting(store, "job_token_allowlist", "project", project.id, {"ids": ids}, _name(kind))
