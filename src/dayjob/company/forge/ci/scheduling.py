"""Pipelines of schedules: started when their moment comes, or by hand."""

from __future__ import annotations

import logging

from dayjob.company.forge.ci import creating
from dayjob.company.forge.git.reading import resolve
from dayjob.company.forge.rows.ci import Pipeline, Schedule
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import access, projects, schedules, users
from dayjob.company.forge.store.base import Store

log = logging.getLogger("dayjob.company")


def start_due(store: Store, now: str) -> None:
    """Start what is due. A schedule whose owner may not run pipelines any more is switched off, as GitLab does."""
    for schedule in schedules.due(store, now):
        project = projects.get(store, schedule.project_id)
        owner = users.active(store, schedule.owner_id)
        if owner is None or project.archived or access.project_level(store, owner, project) < access.DEVELOPER:
            schedules.change(store, schedule, active=0)
            continue
        try:
            # Together, so that a company that is killed in between starts it neither twice nor never.
            with store.transaction():
                pipeline = start(store, owner, schedule)
                schedules.ran(store, schedule, pipeline.id if pipeline is not None else None)
        except Exception:
            # One that cannot be started must not keep the forge from answering; its next moment is another try.
            log.exception("the schedule %s of %s could not be started", schedule.id, project.full_path)
            schedules.ran(store, schedule, None)


def start(store: Store, actor: User, schedule: Schedule) -> Pipeline | None:
    """A pipeline of the schedule, for somebody; None when its ref is gone or nothing would run."""
    project = projects.get(store, schedule.project_id)
    repo = store.repos.open(project.id)
    name = schedule.ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    head = resolve(repo, f"refs/heads/{name}")
    tag = head is None
    if head is None:
        head = resolve(repo, f"refs/tags/{name}")
    if head is None:
        return None
    return creating.create(
        store, actor, project, repo, name, str(head.id), "schedule", tag=tag, given=schedule.given,
        schedule_id=schedule.id,
    )  # fmt: skip
