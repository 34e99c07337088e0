"""Pipelines, their jobs, what jobs leave behind, the runners that take them and the schedules that start them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import Parsed


@dataclass(slots=True)
class Pipeline(ForgeRow, table="pipelines"):
    """`source_sha` is the head of a merge request's branch where `sha` is the commit of its merged result."""

    project_id: int
    iid: int
    ref: str
    tag: int
    sha: str
    before_sha: str
    status: str
    source: str
    user_id: int
    name: str | None
    yaml_errors: str | None
    variables: str
    created_at: str
    updated_at: str
    started_at: str | None
    finished_at: str | None
    merge_request_id: int | None
    source_sha: str | None
    schedule_id: int | None

    given = Parsed[list[dict[str, Any]]]("variables")


@dataclass(slots=True)
class Job(ForgeRow, table="jobs"):
    """A job of a pipeline, or a status that somebody else reported for a commit (`kind` is `status`).

    `config` is what the CI file says of it with everything worked out; `trace` is the blob of a log that has ended.
    """

    pipeline_id: int | None
    project_id: int
    kind: str
    name: str
    stage: str
    status: str
    ref: str | None
    tag: int
    sha: str
    user_id: int
    allow_failure: int
    when_run: str
    tags: str
    description: str | None
    target_url: str | None
    coverage: float | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    stage_number: int
    config: str
    failure_reason: str | None
    exit_code: int | None
    runner_id: int | None
    token_hash: str | None
    retried: int
    queued_at: str | None
    scheduled_at: str | None
    erased_at: str | None
    environment: str | None
    trace: str | None

    options = Parsed[dict[str, Any]]("config")
    tag_names = Parsed[list[str]]("tags")


@dataclass(slots=True)
class Artifact(ForgeRow, table="job_artifacts"):
    job_id: int
    file_type: str
    file_format: str
    filename: str
    size: int
    blob: str
    expire_at: str | None
    created_at: str


@dataclass(slots=True)
class Runner(ForgeRow, table="runners"):
    """Something that runs jobs: of the whole instance, of groups or of projects (`kind`)."""

    kind: str
    description: str
    token_hash: str | None
    tags: str
    run_untagged: int
    locked: int
    paused: int
    access_level: str
    maximum_timeout: int | None
    maintenance_note: str | None
    info: str
    creator_id: int | None
    created_at: str
    contacted_at: str | None

    tag_names = Parsed[list[str]]("tags")
    facts = Parsed[dict[str, Any]]("info")


@dataclass(slots=True)
class Schedule(ForgeRow, table="pipeline_schedules"):
    project_id: int
    description: str
    ref: str
    cron: str
    cron_timezone: str
    next_run_at: str | None
    active: int
    owner_id: int | None
    variables: str
    last_pipeline_id: int | None
    created_at: str
    updated_at: str

    given = Parsed[list[dict[str, Any]]]("variables")
