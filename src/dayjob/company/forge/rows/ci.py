"""Pipelines and their jobs."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.forge.rows import ForgeRow


@dataclass(slots=True)
class Pipeline(ForgeRow, table="pipelines"):
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


@dataclass(slots=True)
class Job(ForgeRow, table="jobs"):
    """A job of a pipeline, or a status that somebody else reported for a commit (`kind` is `status`)."""

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
