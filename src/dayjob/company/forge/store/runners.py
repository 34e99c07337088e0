"""Runners: who may have them, what they may run, and how they prove who they are."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from dayjob.company.clock import moment
from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.rows.ci import Job, Pipeline, Runner
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces, protection, users
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed, placeholders

KINDS = ("instance_type", "group_type", "project_type")
SCOPES = {"group_type": "group", "project_type": "project"}
ACCESS_LEVELS = ("not_protected", "ref_protected")
ONLINE = timedelta(hours=2)
STALE = timedelta(days=7)
TOKEN_PREFIX = "glrt-"
OWN_DESCRIPTION = "instance runner"


def create(
    store: Store, creator: User | None, kind: str, place: Project | Namespace | None, **columns: Any
) -> tuple[Runner, str]:
    """A runner and, this once, its token."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(15)
    with store.transaction():
        runner_id = store.insert(
            "runners", kind=kind, token_hash=users.digest(token), creator_id=creator.id if creator else None,
            created_at=store.now(), **columns,
        )  # fmt: skip
        if place is not None:
            store.insert("runner_places", runner_id=runner_id, scope=SCOPES[kind], scope_id=place.id)
    store.forge.jobs_wait()
    return get(store, runner_id), token


def own(store: Store) -> Runner:
    """The instance's runner that the host runs jobs with; only the host has its token, and no table does."""
    found = store.one(Runner, "kind='instance_type' AND creator_id IS NULL AND token_hash IS NULL ORDER BY id")
    if found is None:
        runner_id = store.insert("runners", kind="instance_type", description=OWN_DESCRIPTION, created_at=store.now())
        found = get(store, runner_id)
    return found


def get(store: Store, runner_id: int) -> Runner:
    return store.get(Runner, runner_id)


def by_id(store: Store, runner_id: int | None) -> Runner | None:
    return store.one(Runner, "id=?", runner_id) if runner_id is not None else None


def find(store: Store, runner_id: int) -> Runner:
    found = store.one(Runner, "id=?", runner_id)
    if found is None:
        raise not_found("Runner")
    return found


def by_token(store: Store, token: str) -> Runner:
    """The runner with this token; 403 for any other, as for a runner that was removed."""
    if token and store.forge.is_own_runner(token):
        return own(store)
    found = store.one(Runner, "token_hash=?", users.digest(token)) if token else None
    if found is None:
        raise forbidden()
    return found


def new_token(store: Store, runner: Runner) -> str:
    if runner.token_hash is None:
        raise forbidden("The token of this runner is the host's")
    token = TOKEN_PREFIX + secrets.token_urlsafe(15)
    store.update("runners", runner.id, token_hash=users.digest(token))
    return token


def delete(store: Store, runner: Runner) -> None:
    if runner.token_hash is None:
        raise forbidden("This runner is the host's")
    store.delete("runners", runner.id)


def change(store: Store, runner: Runner, **columns: Any) -> Runner:
    store.update("runners", runner.id, **columns)
    store.forge.jobs_wait()
    return get(store, runner.id)


def heard_of(store: Store, runner: Runner, info: Mapping[str, Any] | None = None) -> None:
    """Note that the runner has spoken; no more than once a minute, unless it says something new of itself."""
    now = store.now()
    facts = packed(dict(info)) if info else runner.info
    if facts != runner.info or runner.contacted_at is None or runner.contacted_at[:16] != now[:16]:
        store.update("runners", runner.id, contacted_at=now, info=facts)


def status(store: Store, runner: Runner) -> str:
    """`online`, `offline`, `stale` or `never_contacted`."""
    now = moment(store.now())
    if runner.contacted_at is None:
        return "stale" if now - moment(runner.created_at) > STALE else "never_contacted"
    silent = now - moment(runner.contacted_at)
    return "online" if silent <= ONLINE else "stale" if silent > STALE else "offline"


def is_busy(store: Store, runner: Runner) -> bool:
    return bool(store.value("SELECT 1 FROM jobs WHERE runner_id=? AND status='running'", runner.id))


def ends_gracefully(store: Store, runner_id: int) -> bool:
    found = store.one(Runner, "id=?", runner_id)
    features = found.facts.get("features") if found is not None else None
    return isinstance(features, dict) and bool(features.get("cancel_gracefully"))


# -- which jobs --------------------------------------------------------------------------------------------------


def everywhere(store: Store) -> list[Runner]:
    return store.all(Runner, "paused=0 ORDER BY id")


def places(store: Store, runner: Runner) -> list[int]:
    """The ids of the projects or groups it belongs to."""
    return store.values("SELECT scope_id FROM runner_places WHERE runner_id=? ORDER BY scope_id", runner.id)


def serves(store: Store, runner: Runner, project: Project) -> bool:
    """Whether a runner is there for a project's jobs."""
    if runner.kind == "instance_type":
        return bool(project.options["shared_runners_enabled"])
    if runner.kind == "project_type":
        return project.id in places(store, runner)
    return bool(set(places(store, runner)) & set(namespaces.ancestors(store, project.namespace_id)))


def may_run(store: Store, runner: Runner, project: Project, job: Job) -> bool:
    """By the job's tags, the runner's, and whether it is for protected branches and tags alone."""
    if runner.paused or not serves(store, runner, project):
        return False
    tags = set(job.tag_names)
    if not (tags <= set(runner.tag_names) if tags else runner.run_untagged):
        return False
    if runner.access_level == "not_protected":
        return True
    pipeline = store.get(Pipeline, job.pipeline_id or 0)
    return bool(protection.rules(store, project, "tag" if pipeline.tag else "branch", pipeline.ref))


# -- whose -------------------------------------------------------------------------------------------------------


def listed(
    viewer: User | None = None, *, kind: str | None = None, paused: bool | None = None, tags: list[str] | None = None,
    ids: list[int] | None = None,
) -> Listing:  # fmt: skip
    """Runners, newest last; those that a viewer manages, where one is given."""
    where, args = "1", list[Any]()
    if viewer is not None:
        where += (
            " AND id IN (SELECT runner_id FROM runner_places WHERE "
            f"(scope='project' AND scope_id IN ({access.member_projects(viewer, access.MAINTAINER)})) OR "
            f"(scope='group' AND scope_id IN ({access.member_groups(viewer, access.OWNER)})))"
        )
    if kind is not None:
        where += " AND kind=?"
        args.append(kind)
    if paused is not None:
        where += f" AND paused={int(paused)}"
    for tag in tags or []:
        where += " AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value=?)"
        args.append(tag)
    if ids is not None:
        where += f" AND id IN ({placeholders(ids)})"
        args += ids
    return Listing(Runner, f"FROM runners WHERE {where}", args, "runners.id ASC")


def of_project(store: Store, project: Project) -> list[int]:
    return [runner.id for runner in store.all(Runner, "1 ORDER BY id") if serves(store, runner, project)]


def of_group(store: Store, group: Namespace) -> list[int]:
    above = set(namespaces.ancestors(store, group.id))
    return [
        runner.id
        for runner in store.all(Runner, "kind IN ('group_type', 'instance_type') ORDER BY id")
        if runner.kind == "instance_type" or set(places(store, runner)) & above
    ]


def may_manage(store: Store, user: User, runner: Runner) -> bool:
    """Administrators everything; owners of its groups, maintainers of its projects."""
    if user.admin:
        return True
    level = access.MAINTAINER if runner.kind == "project_type" else access.OWNER
    mine = access.member_projects(user, level) if runner.kind == "project_type" else access.member_groups(user, level)
    if runner.kind == "instance_type":
        return False
    return bool(
        store.value(
            f"SELECT 1 FROM runner_places WHERE runner_id=? AND scope=? AND scope_id IN ({mine})",
            runner.id, SCOPES[runner.kind],
        )
    )  # fmt: skip


def enable(store: Store, project: Project, runner: Runner) -> None:
    """Let a project's runner work for another project too."""
    if runner.kind != "project_type":
        raise forbidden("Runner is a group runner" if runner.kind == "group_type" else "Runner is shared")
    if runner.locked:
        raise forbidden("Runner is locked")
    if project.id in places(store, runner):
        raise forbidden("Runner is already enabled for this project")
    store.insert("runner_places", runner_id=runner.id, scope="project", scope_id=project.id)
    store.forge.jobs_wait()


def disable(store: Store, project: Project, runner: Runner) -> None:
    here = places(store, runner)
    if runner.kind != "project_type" or project.id not in here:
        raise not_found("Runner")
    if len(here) == 1:
        raise forbidden("Only one project associated with the runner. Please remove the runner instead")
    store.db.execute(
        "DELETE FROM runner_places WHERE runner_id=? AND scope='project' AND scope_id=?", (runner.id, project.id)
    )
