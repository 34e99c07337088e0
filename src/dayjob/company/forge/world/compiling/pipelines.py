"""Schedules, and pipelines of the past as rows: oldest first over all projects, each at the commit its branch had at
the time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pygit2

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.ci import planning, states
from dayjob.company.forge.ci.file import configuration
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.model import PastJob, PastPipeline, Project
from dayjob.company.rows import packed

WAITED = 2
"""Seconds from a job's turn to its start."""


def add_pipelines(
    rows: Rows, projects: list[tuple[int, Project, dict[str, str]]], repo: pygit2.Repository, runner_id: int
) -> None:
    runs = [(run, project_id, refs) for project_id, project, refs in projects for run in project.pipelines]
    numbers: dict[int, int] = {}
    for run, project_id, refs in sorted(runs, key=lambda one: one[0].at):
        numbers[project_id] = numbers.get(project_id, 0) + 1
        _add(rows, run, project_id, numbers[project_id], refs, repo, runner_id)
    for project_id, count in numbers.items():
        rows.db.execute("UPDATE projects SET pipelines_seq=? WHERE id=?", (count, project_id))


def add_schedules(rows: Rows, projects: list[tuple[int, Project, dict[str, str]]]) -> None:
    for project_id, project, _ in projects:
        for one in project.schedules:
            given = [{"variable_type": "env_var", "key": key, "value": value, "raw": False}
                     for key, value in one.variables.items()]  # fmt: skip
            rows.insert(
                "pipeline_schedules", project_id=project_id, description=one.description, ref=one.ref, cron=one.cron,
                cron_timezone=one.timezone, next_run_at=one.next_run_at, active=int(one.active),
                owner_id=rows.users[one.by], variables=packed(given), created_at=project.created,
                updated_at=project.created,
            )  # fmt: skip


def _add(
    rows: Rows, run: PastPipeline, project_id: int, number: int, refs: dict[str, str], repo: pygit2.Repository,
    runner_id: int,
) -> None:  # fmt: skip
    commit = _commit(run, refs, repo)
    sha = str(commit.id)
    latest = {job.name: job for job in run.jobs}
    status = states.composed((job.status, job.allow_failure) for job in latest.values())
    begin = moment(run.at)
    user_id = rows.users[run.by]
    pipeline_id = rows.insert(
        "pipelines", project_id=project_id, iid=number, ref=run.ref, tag=int(run.tag), sha=sha,
        before_sha=str(commit.parent_ids[0]) if commit.parent_ids else "0" * 40, status=status or "skipped",
        source=run.source, user_id=user_id, created_at=run.at, updated_at=run.at,
    )  # fmt: skip
    config = _configs(repo, sha)
    stages = list(dict.fromkeys(job.stage for job in run.jobs))
    turn, end = begin, begin
    for place, stage in enumerate(stages):
        turn = end
        tries: dict[str, Any] = {}
        for job in (one for one in run.jobs if one.stage == stage):
            queued = tries.get(job.name, turn)
            started = queued + timedelta(seconds=WAITED)
            finished = started + timedelta(seconds=job.took)
            ran = job.status in ("success", "failed", "canceled")
            rows.insert(
                "jobs", pipeline_id=pipeline_id, project_id=project_id, kind="build", name=job.name, stage=stage,
                status=job.status, ref=run.ref, tag=int(run.tag), sha=sha, user_id=user_id,
                allow_failure=int(job.allow_failure), when_run="manual" if job.status == "manual" else "on_success",
                created_at=run.at, started_at=stamp(started) if ran else None,
                finished_at=stamp(finished) if ran else None, stage_number=place,
                config=packed(config.get(job.name, {})),
                failure_reason="script_failure" if job.status == "failed" else None,
                exit_code=1 if job.status == "failed" else None, runner_id=runner_id if ran else None,
                retried=int(latest[job.name] is not job), queued_at=stamp(queued) if ran else None,
                trace=rows.build.blobs.put(_log(job).encode()).hash if ran else None,
            )  # fmt: skip
            if ran:
                tries[job.name] = finished
                end = max(end, finished)
    rows.db.execute(
        "UPDATE pipelines SET started_at=?, finished_at=?, updated_at=? WHERE id=?",
        (stamp(begin + timedelta(seconds=WAITED)), stamp(end), stamp(end), pipeline_id),
    )


def _commit(run: PastPipeline, refs: dict[str, str], repo: pygit2.Repository) -> pygit2.Commit:
    """What a tag names; or a branch's newest commit at the time."""
    commit = repo[refs[f"refs/{'tags' if run.tag else 'heads'}/{run.ref}"]].peel(pygit2.Commit)
    while not run.tag and commit.commit_time > moment(run.at).timestamp() and commit.parents:
        commit = commit.parents[0]
    return commit


def _configs(repo: pygit2.Repository, sha: str) -> dict[str, dict[str, Any]]:
    """What the CI file of the time says of each job, so that one can be run again."""
    found = configuration(repo, sha)
    if found is None or not found.valid:
        return {}
    return {one.name: one.config for name, job in found.jobs.items() for one in planning.planned(name, job)}


def _log(job: PastJob) -> str:
    ending = {"success": "Job succeeded", "failed": "ERROR: Job failed: exit code 1"}.get(job.status, "Job canceled")
    return f"{job.log.rstrip()}\n{ending}\n" if job.log else f"{ending}\n"
