"""Jobs: found, taken by runners, ended, cancelled, started again and by hand."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Any

from dayjob.company.clock import moment
from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.forge.ci import states
from dayjob.company.forge.errors import forbidden
from dayjob.company.forge.rows.ci import Job, Pipeline, Runner
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import progress, projects, protection, runners, traces, users
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed, placeholders

FAILURE_REASONS = (
    "script_failure", "runner_system_failure", "job_execution_timeout", "image_pull_failure", "unknown_failure",
    "api_failure", "stuck_or_timeout_failure", "missing_dependency_failure", "runner_unsupported", "stale_schedule",
    "archived_failure", "unmet_prerequisites", "scheduler_failure", "data_integrity_failure", "trace_size_exceeded",
    "job_canceled", "configuration_error",
)  # fmt: skip
TOKEN_PREFIX = "glcbt-"


def listed(
    *, project: Project | None = None, pipeline: Pipeline | None = None, runner: Runner | None = None,
    statuses: Sequence[str] | None = None, retried: bool = True, viewer: str = "", newest_first: bool = True,
) -> Listing:  # fmt: skip
    """The jobs of a project, a pipeline or a runner; what others reported for a commit is not among them."""
    where, args = "kind='build'", list[Any]()
    for column, owner in (("project_id", project), ("pipeline_id", pipeline), ("runner_id", runner)):
        if owner is not None:
            where += f" AND {column}=?"
            args.append(owner.id)
    if statuses:
        where += f" AND status IN ({placeholders(statuses)})"
        args += statuses
    if not retried:
        where += " AND retried=0"
    if viewer:
        where += f" AND {viewer}"
    return Listing(Job, f"FROM jobs WHERE {where}", args, f"jobs.id {'DESC' if newest_first else 'ASC'}")


def get(store: Store, job_id: int) -> Job:
    return store.get(Job, job_id)


def find(store: Store, project: Project, job_id: int) -> Job:
    return store.required(Job, "id=? AND project_id=? AND kind='build'", job_id, project.id)


def by_id(store: Store, job_id: int) -> Job | None:
    return store.one(Job, "id=? AND kind='build'", job_id)


def by_token(store: Store, token: str) -> Job | None:
    """The job that runs with this token; once it has ended the token is nobody's."""
    if not token.startswith(TOKEN_PREFIX):
        return None
    return store.one(Job, "token_hash=? AND status IN ('running', 'canceling')", users.digest(token))


def has_token(job: Job, token: str) -> bool:
    return bool(token) and job.token_hash == users.digest(token)


def pipeline_of(store: Store, job: Job) -> Pipeline:
    assert job.pipeline_id is not None
    return store.get(Pipeline, job.pipeline_id)


# -- runners -----------------------------------------------------------------------------------------------------


def is_protected(store: Store, project: Project, pipeline: Pipeline) -> bool:
    """Whether the pipeline is of a protected branch or tag; one of a merge request is as its source branch."""
    kind = "tag" if pipeline.tag else "branch"
    if pipeline.ref.startswith("refs/merge-requests/"):
        return False
    return bool(protection.rules(store, project, kind, pipeline.ref))


def take(store: Store, runner: Runner) -> tuple[Job, str] | None:
    """The oldest waiting job that the runner may run, now running, with its token; None when there is none."""
    with store.transaction():
        for job in store.all(Job, "status='pending' AND kind='build' ORDER BY id"):
            project = projects.find(store, job.project_id)
            if project is None or not runners.may_run(store, runner, project, job):
                continue
            token = f"{TOKEN_PREFIX}{job.project_id:x}_{secrets.token_urlsafe(15)}"
            store.update(
                "jobs", job.id, status="running", runner_id=runner.id, started_at=store.now(),
                token_hash=users.digest(token),
            )  # fmt: skip
            progress.settle(store, pipeline_of(store, job))
            fresh = get(store, job.id)
            store.forge.job_moved(fresh)
            return fresh, token
    return None


def is_stuck(store: Store, job: Job) -> bool:
    """Whether a waiting job has no runner that could take it."""
    project = projects.find(store, job.project_id)
    return (
        job.status == "pending"
        and project is not None
        and not any(runners.may_run(store, runner, project, job) for runner in runners.everywhere(store))
    )


def finish(store: Store, job: Job, state: str, failure_reason: str | None = None, exit_code: int | None = None) -> Job:
    """The job's commands have ended. One that was being cancelled is cancelled; one that failed may be tried again."""
    if job.status not in ("running", "canceling"):
        return job
    with store.transaction():
        if job.status == "canceling":
            state, failure_reason = "canceled", None
        values: dict[str, Any] = {"status": state, "finished_at": store.now(), "exit_code": exit_code}
        if state == "failed":
            values["failure_reason"] = failure_reason or "unknown_failure"
            codes = job.options.get("allow_failure_codes")
            if codes is not None:
                values["allow_failure"] = int(exit_code in codes)
        store.update("jobs", job.id, **values)
        if (covered := _coverage(store, job)) is not None:
            store.update("jobs", job.id, coverage=covered)
        traces.close(store, get(store, job.id))
        fresh = get(store, job.id)
        store.forge.job_moved(fresh)
        if fresh.status == "failed" and _may_try_again(store, fresh):
            copy = _again(store, fresh, users.by_id(store, fresh.user_id))
            store.update("jobs", copy.id, status="pending", queued_at=store.now())
            progress.settle(store, pipeline_of(store, fresh))
            store.forge.jobs_wait()
        else:
            progress.advance(store, pipeline_of(store, fresh).id)
    return get(store, job.id)


def _coverage(store: Store, job: Job) -> float | None:
    """The last number that the job's `coverage` pattern finds in its log."""
    pattern = job.options.get("coverage")
    if not pattern:
        return None
    try:
        wanted = expression(str(pattern).strip("/"))
    except InvalidExpression:
        return None
    for line in reversed(traces.read(store, job).decode("utf-8", "replace").splitlines()):
        if wanted.found_in(line) and (numbers := re.findall(r"\d+(?:\.\d+)?", line)):
            return min(float(numbers[-1]), 100.0)
    return None


def _may_try_again(store: Store, job: Job) -> bool:
    retry = job.options.get("retry")
    if not retry or retry["max"] < 1:
        return False
    if not {"always", job.failure_reason} & set(retry["when"]):
        return False
    codes = retry.get("exit_codes")
    if codes and job.exit_code not in codes:
        return False
    tries: int = store.value(
        "SELECT count(*) FROM jobs WHERE pipeline_id=? AND name=? AND retried=1", job.pipeline_id, job.name
    )
    return bool(tries < retry["max"])


# -- what people do ----------------------------------------------------------------------------------------------


def cancel(store: Store, job: Job) -> None:
    """Stop a job. A runner that can end one gracefully is asked to; it says when it has."""
    if job.status not in states.CANCELABLE:
        raise forbidden("Job is not cancelable")
    with store.transaction():
        _cancel(store, job)
        progress.advance(store, pipeline_of(store, job).id)


def _cancel(store: Store, job: Job) -> None:
    graceful = job.status == "running" and job.runner_id is not None and runners.ends_gracefully(store, job.runner_id)
    if graceful:
        store.update("jobs", job.id, status="canceling")
    else:
        store.update("jobs", job.id, status="canceled", finished_at=store.now())
        traces.close(store, get(store, job.id))
    store.forge.job_moved(get(store, job.id))


def cancel_all(store: Store, pipeline: Pipeline) -> None:
    """Stop every job of a pipeline that has not ended."""
    with store.transaction():
        for job in progress.jobs_of(store, pipeline):
            if job.status in states.CANCELABLE and job.kind == "build":
                _cancel(store, job)
        progress.advance(store, pipeline.id)


def retry(store: Store, actor: User, job: Job) -> Job:
    """A job that has ended, once more; those that were skipped behind it wait for it again."""
    # What a world wrote down of a job that its CI file does not know has nothing to run.
    if job.status not in states.RETRYABLE or job.retried or not job.options.get("script"):
        raise forbidden("Job is not retryable")
    with store.transaction():
        pipeline = pipeline_of(store, job)
        copy = _again(store, job, actor)
        _wait_again(store, pipeline, [job.name])
        store.update("jobs", copy.id, status="pending", queued_at=store.now())
        progress.advance(store, pipeline.id)
        store.forge.jobs_wait()
    return get(store, copy.id)


def retry_all(store: Store, actor: User, pipeline: Pipeline) -> None:
    """Every job of a pipeline that failed or was cancelled, once more."""
    with store.transaction():
        again = [
            job
            for job in progress.jobs_of(store, pipeline)
            if job.status in ("failed", "canceled") and job.kind == "build" and job.options.get("script")
        ]
        for job in again:
            _again(store, job, actor)
        _wait_again(store, pipeline, [job.name for job in again])
        progress.advance(store, pipeline.id)


def _again(store: Store, job: Job, actor: User | None) -> Job:
    """A copy of the job that has not begun; the old one is a thing of the past."""
    store.update("jobs", job.id, retried=1)
    when = "on_success" if job.when_run in ("manual", "delayed") else job.when_run
    copy_id = store.insert(
        "jobs", pipeline_id=job.pipeline_id, project_id=job.project_id, kind=job.kind, name=job.name, stage=job.stage,
        status="created", ref=job.ref, tag=job.tag, sha=job.sha, user_id=actor.id if actor else job.user_id,
        allow_failure=job.allow_failure, when_run=when, tags=job.tags, created_at=store.now(),
        stage_number=job.stage_number, config=job.config, environment=job.environment,
    )  # fmt: skip
    return get(store, copy_id)


def _wait_again(store: Store, pipeline: Pipeline, names: Sequence[str]) -> None:
    jobs = {job.name: job for job in progress.jobs_of(store, pipeline) if job.kind == "build"}
    steps = progress.steps(list(jobs.values()))
    behind = {other for name in names for other in states.dependants(name, steps)}
    for name in behind:
        if jobs[name].status == "skipped":
            store.update("jobs", jobs[name].id, status="created", finished_at=None)


def play(store: Store, actor: User, job: Job, variables: Sequence[dict[str, Any]] = ()) -> None:
    """Start a job that waits to be started by hand, or for its time."""
    if job.status not in states.PLAYABLE:
        raise forbidden("Unplayable Job")
    with store.transaction():
        pipeline = pipeline_of(store, job)
        options = job.options
        if variables:
            options["variables"] = [*options.get("variables", []), *variables]
        store.update(
            "jobs", job.id, status="pending", queued_at=store.now(), user_id=actor.id, scheduled_at=None,
            config=packed(options),
        )  # fmt: skip
        _wait_again(store, pipeline, [job.name])
        progress.advance(store, pipeline.id)
        store.forge.jobs_wait()


def start_due(store: Store, now: str) -> None:
    """Start the delayed jobs whose time has come."""
    with store.transaction():
        for job in store.all(Job, "status='scheduled' AND scheduled_at<=? ORDER BY scheduled_at, id", now):
            store.update("jobs", job.id, status="pending", queued_at=now, scheduled_at=None)
            progress.advance(store, pipeline_of(store, job).id)
            store.forge.jobs_wait()


def next_due(store: Store) -> str | None:
    found: str | None = store.value("SELECT min(scheduled_at) FROM jobs WHERE status='scheduled'")
    return found


def seconds(begin: str | None, end: str | None) -> float | None:
    """How long it was from one moment to another."""
    return None if begin is None or end is None else (moment(end) - moment(begin)).total_seconds()


def worked(listed: Sequence[Job]) -> float:
    """For how many seconds at least one of the jobs ran."""
    spans = sorted((moment(job.started_at), moment(job.finished_at)) for job in listed
                   if job.started_at and job.finished_at)  # fmt: skip
    total = 0.0
    reached = None
    for begin, end in spans:
        if reached is None or begin > reached:
            total += (end - begin).total_seconds()
        elif end > reached:
            total += (end - reached).total_seconds()
        reached = end if reached is None else max(reached, end)
    return total
