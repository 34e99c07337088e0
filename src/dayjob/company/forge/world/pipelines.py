"""Pipelines that ran before a world begins: `pipelines.yml` of a project."""

from __future__ import annotations

from dayjob.company.clock import moment, stamp
from dayjob.company.forge.world.model import PastJob, PastPipeline, Project
from dayjob.company.forge.world.reader import Reader
from dayjob.company.world import Located

STATUSES = ("success", "failed", "canceled", "skipped", "manual")
SOURCES = ("push", "schedule", "web", "api")
_LONGEST = 7 * 86400


def read_pipelines(reader: Reader, project: Project, file: str) -> None:
    if file not in reader.files:
        return
    for one in reader.mappings(reader.world.yaml(file), file, "pipelines"):
        reader.keys(one, {"branch", "tag", "at", "by", "source", "jobs"}, file)
        if "at" not in one:
            reader.wrong(file, one.line, "'at' is missing.", "Add 'at: 2026-03-02T09:30:00Z'.")
        at = reader.moment(one, "at", file, reader.start)
        source = str(one.get("source", "push"))
        if source not in SOURCES:
            reader.wrong(file, one.at("source"), f"'{source}' starts no pipeline.", f"Known: {', '.join(SOURCES)}.")
        now = reader.world.info.now
        if now is not None and at > stamp(now):
            reader.wrong(file, one.at("at"), "This pipeline has not run yet.", "It lies before the world's now.")
        ref = str(one.get("tag") or one.get("branch", project.default_branch))
        _check_ref(reader, project, one, ref, at, file)
        jobs = [_job(reader, job, file) for job in reader.mappings(one.get("jobs"), file, "jobs", one.at("jobs"))]
        if not jobs:
            reader.wrong(file, one.line, "A pipeline has jobs.", "Add 'jobs: [{name: test, took: 12}]'.")
        project.pipelines.append(
            PastPipeline(
                ref, "tag" in one, at, reader.person(one.get("by", project.author), file, one.at("by")), source, jobs
            )
        )


def _check_ref(reader: Reader, project: Project, one: Located, ref: str, at: str, file: str) -> None:
    if project.bundle is not None:
        return
    if "tag" in one:
        if all(commit.tag != ref for commit in project.history):
            reader.wrong(file, one.at("tag"), f"There is no tag '{ref}'.", "Set it in history.yml.", "dangling")
        return
    made = [commit.at for commit in project.history if commit.branch == ref]
    if not made:
        reader.wrong(file, one.at("branch"), f"There is no branch '{ref}'.", "Make it in history.yml.", "dangling")
    elif min(made) > moment(at).timestamp():
        words = f"The branch '{ref}' had no commit yet at that time."
        reader.wrong(file, one.at("at"), words, "Let it run after the branch's first commit.")


def _job(reader: Reader, facts: Located, file: str) -> PastJob:
    reader.keys(facts, {"name", "stage", "status", "took", "log", "allow_failure"}, file)
    status = str(facts.get("status", "success"))
    if status not in STATUSES:
        reader.wrong(
            file, facts.at("status"), f"A job that is over is not '{status}'.", f"Known: {', '.join(STATUSES)}."
        )
        status = "success"
    took = facts.get("took", 0)
    if not isinstance(took, int) or isinstance(took, bool) or not 0 <= took <= _LONGEST:
        reader.wrong(file, facts.at("took"), f"'{took}' is no length of time.", "Write whole seconds: took: 12.")
        took = 0
    return PastJob(
        reader.needed(facts, "name", file), str(facts.get("stage", "test")), status, took,
        reader.optional(facts, "log"), bool(facts.get("allow_failure")),
    )  # fmt: skip
