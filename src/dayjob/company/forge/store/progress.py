"""Pipelines that go on: what a change of one job means for the others, and for the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.ci import states
from dayjob.company.forge.ci.states import Step
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.store.base import Store


def jobs_of(store: Store, pipeline: Pipeline) -> list[Job]:
    """The jobs that count: what was started again counts in its latest try only."""
    return store.all(Job, "pipeline_id=? AND retried=0 ORDER BY stage_number, id", pipeline.id)


def steps(jobs: Sequence[Job]) -> list[Step]:
    return [
        Step(job.name, job.stage_number, job.status, job.when_run, bool(job.allow_failure), _needs(job)) for job in jobs
    ]


def _needs(job: Job) -> tuple[str, ...] | None:
    needs = job.options.get("needs")
    return None if needs is None else tuple(need["name"] for need in needs)


def advance(store: Store, pipeline_id: int) -> Pipeline:
    """Let every job go on that may, and give the pipeline the state that its jobs make."""
    with store.transaction():
        pipeline = store.get(Pipeline, pipeline_id)
        jobs = {job.name: job for job in jobs_of(store, pipeline) if job.kind == "build"}
        waiting = False
        for name, status in states.moves(steps(list(jobs.values()))).items():
            _begin(store, jobs[name], status)
            waiting = waiting or status == "pending"
        pipeline = settle(store, pipeline)
    if waiting:
        store.forge.jobs_wait()
    return pipeline


def _begin(store: Store, job: Job, status: str) -> None:
    values: dict[str, str | None] = {"status": status}
    if status == "pending":
        values["queued_at"] = store.now()
    elif status == "scheduled":
        due = moment(store.now()) + timedelta(seconds=job.options.get("start_in", 0))
        values["scheduled_at"] = stamp(due)
    store.update("jobs", job.id, **values)
    if status == "scheduled":
        store.forge.due.look_again()


def settle(store: Store, pipeline: Pipeline) -> Pipeline:
    """The pipeline with the state that its jobs make; those who listen hear of a new one."""
    found = states.composed((job.status, bool(job.allow_failure)) for job in jobs_of(store, pipeline))
    if found is None or found == pipeline.status:
        return pipeline
    now = store.now()
    values: dict[str, str | None] = {"status": found, "updated_at": now}
    if found == "running" and pipeline.started_at is None:
        values["started_at"] = now
    values["finished_at"] = now if found in states.COMPLETED else None
    store.update("pipelines", pipeline.id, **values)
    fresh = store.get(Pipeline, pipeline.id)
    store.forge.pipeline_moved(fresh)
    return fresh
