"""What jobs leave behind: archives and reports, each a blob, gone when their time is over."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.ci.durations import seconds_of
from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.ci import Artifact, Job
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import pipelines, traces
from dayjob.company.forge.store.base import Store

LIMIT = 100 * 1024 * 1024
"""Bytes of one file."""
TYPES = (
    "archive", "metadata", "trace", "junit", "dotenv", "cobertura", "coverage_report", "codequality", "sast",
    "dependency_scanning", "container_scanning", "dast", "license_scanning", "performance", "browser_performance",
    "metrics", "metrics_referee", "network_referee", "lsif", "terraform", "cluster_applications", "secret_detection",
    "requirements", "coverage_fuzzing", "load_performance", "api_fuzzing", "cyclonedx", "annotations", "accessibility",
)  # fmt: skip
FORMATS = ("zip", "gzip", "raw")
DEFAULT_EXPIRY = timedelta(days=30)


def keep(
    store: Store, job: Job, file_type: str, file_format: str, filename: str, data: bytes, expire_in: str | None
) -> Artifact:
    """Store a file of a job; the same kind again takes the place of the first."""
    if len(data) > LIMIT:
        raise refused(413, "413 Request Entity Too Large")
    expire_at = expiry(store, expire_in)
    blob = store.company.blobs.put(data)
    with store.transaction():
        store.db.execute("DELETE FROM job_artifacts WHERE job_id=? AND file_type=?", (job.id, file_type))
        artifact_id = store.insert(
            "job_artifacts", job_id=job.id, file_type=file_type, file_format=file_format, filename=filename,
            size=blob.size, blob=blob.hash, expire_at=expire_at, created_at=store.now(),
        )  # fmt: skip
    return store.get(Artifact, artifact_id)


def expiry(store: Store, expire_in: str | None) -> str | None:
    """The moment a span of time from now; 30 days where none is said, None for `never`."""
    if expire_in is None or not expire_in.strip():
        return stamp(moment(store.now()) + DEFAULT_EXPIRY)
    found = seconds_of(expire_in)
    return None if not found else stamp(moment(store.now()) + timedelta(seconds=found))


def of(store: Store, job: Job) -> list[Artifact]:
    """A job's files that are still kept."""
    return store.all(Artifact, "job_id=? AND (expire_at IS NULL OR expire_at>?) ORDER BY id", job.id, store.now())


def archive(store: Store, job: Job) -> Artifact | None:
    return next((one for one in of(store, job) if one.file_type == "archive"), None)


def required(store: Store, job: Job) -> Artifact:
    found = archive(store, job)
    if found is None:
        raise not_found()
    return found


def latest(store: Store, project: Project, ref: str, name: str) -> Job:
    """The job of that name in the newest successful pipeline of a ref that has an archive."""
    found = store.one(
        Job,
        "project_id=? AND ref=? AND name=? AND retried=0 AND status='success' AND pipeline_id IN "
        "(SELECT id FROM pipelines WHERE project_id=? AND status='success') AND "
        "id IN (SELECT job_id FROM job_artifacts WHERE file_type='archive' AND (expire_at IS NULL OR expire_at>?)) "
        "ORDER BY pipeline_id DESC, id DESC LIMIT 1",
        project.id, ref, name, project.id, store.now(),
    )  # fmt: skip
    if found is None:
        raise not_found()
    return found


def keep_for_ever(store: Store, job: Job) -> None:
    store.db.execute("UPDATE job_artifacts SET expire_at=NULL WHERE job_id=?", (job.id,))


def delete(store: Store, job: Job) -> None:
    """Everything but the log."""
    store.db.execute("DELETE FROM job_artifacts WHERE job_id=?", (job.id,))


def delete_all(store: Store, project: Project) -> None:
    store.db.execute(
        "DELETE FROM job_artifacts WHERE job_id IN (SELECT id FROM jobs WHERE project_id=?)", (project.id,)
    )


def erase(store: Store, job: Job) -> None:
    """A job's log and files."""
    with store.transaction():
        delete(store, job)
        traces.erase(store, job)


def needed_by(store: Store, job: Job) -> list[tuple[Job, Artifact]]:
    """The archives a job starts with: of the jobs it names, or of everything in earlier stages."""
    options = job.options
    pipeline = pipelines.get(store, job.pipeline_id or 0)
    jobs = {one.name: one for one in store.all(Job, "pipeline_id=? AND retried=0 ORDER BY id", pipeline.id)}
    needs: list[dict[str, Any]] | None = options.get("needs")
    dependencies: list[str] | None = options.get("dependencies")
    if needs is not None:
        wanted = [jobs[need["name"]] for need in needs if need["name"] in jobs and need.get("artifacts", True)]
    else:
        wanted = [one for one in jobs.values() if one.stage_number < job.stage_number]
    if dependencies is not None:
        wanted = [one for one in wanted if one.name in dependencies or one.options.get("group") in dependencies]
    found = [(one, archive(store, one)) for one in wanted]
    return [(one, kept) for one, kept in found if kept is not None]
