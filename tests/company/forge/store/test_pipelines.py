"""Pipelines, their jobs, and the statuses that others report for a commit."""

from __future__ import annotations

import asyncio

import pytest

from dayjob.company.forge.rows.ci import Pipeline
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import commit_statuses, jobs, pipelines, progress, records
from tests.company.forge.offices import Office, refused

SHA, OTHER = "a" * 40, "b" * 40


def _pipeline(office: Office, project: Project, status: str = "pending") -> Pipeline:
    return pipelines.create(office.store, office.root, project, "main", SHA, "push", status)


def test_cancelling_ends_what_has_not_ended_and_a_retry_is_a_new_job(office: Office) -> None:
    project = office.project("shed")
    pipeline = _pipeline(office, project)
    for status in ("created", "running", "success", "failed"):
        pipelines.add_job(
            office.store, office.root, pipeline, status, status, kind="build", stage="test", config='{"script": ["x"]}'
        )

    def now() -> dict[str, str]:
        return {job.name: job.status for job in progress.jobs_of(office.store, pipeline)}

    jobs.cancel_all(office.store, pipeline)
    assert now() == {"created": "canceled", "running": "canceled", "success": "success", "failed": "failed"}
    ended = pipelines.get(office.store, pipeline.id)
    assert (ended.status, ended.finished_at) == ("failed", office.store.now())
    jobs.retry_all(office.store, office.root, pipeline)
    assert now() == {"created": "pending", "running": "pending", "success": "success", "failed": "pending"}
    assert pipelines.get(office.store, pipeline.id).finished_at is None
    waiting = next(job for job in progress.jobs_of(office.store, pipeline) if job.name == "created")
    assert refused(jobs.play, office.store, office.root, waiting) == 403
    assert refused(jobs.retry, office.store, office.root, waiting) == 403
    jobs.cancel(office.store, waiting)
    assert refused(jobs.cancel, office.store, jobs.get(office.store, waiting.id)) == 403


def test_a_job_has_ended_when_it_is_cancelled_and_its_next_try_has_not(office: Office) -> None:
    project = office.project("shed")
    job = pipelines.add_job(
        office.store,
        office.root,
        _pipeline(office, project),
        "a",
        "running",
        kind="build",
        stage="t",
        config='{"script": ["x"]}',
    )
    office.company.clock.forward(hours=1)
    jobs.cancel(office.store, job)
    ended = jobs.find(office.store, project, job.id)
    assert (ended.status, ended.finished_at) == ("canceled", office.store.now())
    again = jobs.retry(office.store, office.root, ended)
    assert (again.status, again.finished_at, again.id != job.id) == ("pending", None, True)
    assert jobs.find(office.store, project, job.id).retried == 1


def test_pipelines_count_up_and_are_found_in_their_project_alone(office: Office) -> None:
    project, other = office.project("shed"), office.project("barn")
    first, second = _pipeline(office, project), _pipeline(office, project, "failed")
    assert (first.iid, second.iid) == (1, 2)
    assert refused(pipelines.find, office.store, other, first.id) == 404
    assert pipelines.latest_of_commit(office.store, project, SHA) == second
    assert pipelines.latest_of_ref(office.store, project, "main") == second
    assert refused(pipelines.latest_of_ref, office.store, project, "topic") == 403
    for wanted, expected in (
        ({"scope": "finished"}, [second]), ({"status": "pending"}, [first]), ({"scope": "tags"}, []),
        ({"username": "root", "sort": "asc"}, [first, second]), ({"username": "nobody"}, []),
    ):  # fmt: skip
        assert office.store.page(pipelines.listed(project, **wanted), 20, 0) == expected


def test_a_trigger_is_known_by_its_token_in_its_own_project(office: Office) -> None:
    project, other = office.project("shed"), office.project("barn")
    records.create(office.store, "trigger", "project", project.id, "", {}, {"token": "sesame"})
    pipelines.check_trigger(office.store, project, "sesame")
    assert refused(pipelines.check_trigger, office.store, project, "öffne") == 404
    assert refused(pipelines.check_trigger, office.store, other, "sesame") == 404


@pytest.mark.parametrize(
    ("state", "ended"),
    [
        ("pending", False),
        ("running", False),
        ("success", True),
        ("failed", True),
        ("canceled", True),
        ("skipped", True),
    ],
)
def test_a_status_can_be_reported_in_this_state(office: Office, state: str, ended: bool) -> None:
    assert state in commit_statuses.STATES
    job = commit_statuses.report(office.store, office.root, office.project("shed"), SHA, "lint", "main", state)
    assert (job.status, job.finished_at) == (state, office.store.now() if ended else None)


def test_a_reported_status_makes_a_pipeline_and_cannot_end_twice_the_same_way(office: Office) -> None:
    project = office.project("shed")
    running = commit_statuses.report(office.store, office.root, project, SHA, "lint", "main", "running")
    done = commit_statuses.report(office.store, office.root, project, SHA, "lint", "main", "success", coverage=9.5)
    assert (done.id, done.pipeline_id, done.finished_at, done.coverage) == (
        running.id, running.pipeline_id, office.store.now(), 9.5,
    )  # fmt: skip
    again = (office.store, office.root, project, SHA, "lint", "main", "success")
    assert refused(commit_statuses.report, *again) == 400
    other = commit_statuses.report(office.store, office.root, project, SHA, "test", "main", "pending")
    assert other.pipeline_id == running.pipeline_id
    assert commit_statuses.listed(office.store, project, SHA) == [done, other]
    assert commit_statuses.listed(office.store, project, SHA, name="test") == [other]
    assert commit_statuses.listed(office.store, project, OTHER) == []


def test_a_delayed_job_is_on_the_companys_agenda(office: Office) -> None:
    project = office.project("shed")
    pipeline = _pipeline(office, project, "created")
    job = pipelines.add_job(
        office.store, office.root, pipeline, "later", "created", kind="build", stage="t", when_run="delayed",
        config='{"script": ["x"], "start_in": 1800}',
    )  # fmt: skip
    agenda = office.company.agenda
    agenda.begin()
    progress.advance(office.store, pipeline.id)
    assert jobs.get(office.store, job.id).status == "scheduled"
    office.company.clock.forward(minutes=29)
    asyncio.run(agenda.carry_out())
    assert jobs.get(office.store, job.id).status == "scheduled"
    office.company.clock.forward(minutes=2)
    asyncio.run(agenda.carry_out())
    assert jobs.get(office.store, job.id).status == "pending"
