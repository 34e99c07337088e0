"""A job as its runner gets it."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.ci import variables
from dayjob.company.forge.rows.ci import Job, Pipeline, Runner
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import artifacts, jobs, projects, reports
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.ci_variables import Variable

REPORT_FILES = {
    "junit": "junit.xml", "dotenv": ".env", "coverage_report": "cobertura-coverage.xml",
    "codequality": "gl-code-quality-report.json",
}  # fmt: skip


def payload(store: Store, runner: Runner, job: Job, token: str, base: str) -> dict[str, Any]:
    """Everything a runner needs to run the job, in GitLab's words."""
    project = projects.get(store, job.project_id)
    pipeline = jobs.pipeline_of(store, job)
    options = job.options
    needed = artifacts.needed_by(store, job)
    found = variables.of_job(store, job, base, token, reports.dotenv_of(store, [one for one, _ in needed]))
    timeout = min(
        options.get("timeout") or project.options["build_timeout"], runner.maximum_timeout or 10**9, 30 * 86400
    )
    return {
        "id": job.id,
        "token": token,
        "allow_git_fetch": project.options["build_git_strategy"] != "clone",
        "job_info": {
            "id": job.id,
            "name": job.name,
            "stage": job.stage,
            "project_id": project.id,
            "project_name": project.path,
            "project_full_path": project.full_path,
            "namespace_id": project.namespace_id,
            "time_in_queue_seconds": jobs.seconds(job.queued_at, job.started_at) or 0,
            "project_jobs_running_on_instance_runners_count": "0",
        },
        "git_info": _git(project, pipeline, token, base),
        "runner_info": {"timeout": timeout, "runner_session_url": None},
        "variables": [_variable(one) for one in found],
        "steps": _steps(options, timeout),
        "image": _image(options.get("image"), found),
        "services": [_image(one, found) for one in options.get("services", [])],
        "artifacts": _artifacts(options.get("artifacts"), found),
        "cache": [_cache(one, found) for one in options.get("cache", [])],
        "credentials": [],
        "dependencies": [
            {
                "id": one.id,
                "name": one.name,
                "token": token,
                "artifacts_file": {"filename": kept.filename, "size": kept.size},
            }
            for one, kept in needed
        ],
        "features": {
            "trace_sections": True,
            "token_mask_prefixes": ["glpat-", "glcbt-", "glrt-"],
            "failure_reasons": list(jobs.FAILURE_REASONS),
        },
        "hooks": [],
        "run": "",
        "policy_options": None,
    }


def _variable(one: Variable) -> dict[str, Any]:
    return {
        "key": one.key,
        "value": one.value,
        "public": one.public,
        "masked": one.masked,
        "file": one.file,
        "raw": one.raw,
    }


def _git(project: Project, pipeline: Pipeline, token: str, base: str) -> dict[str, Any]:
    refspecs = [f"+refs/pipelines/{pipeline.id}:refs/pipelines/{pipeline.id}"]
    if pipeline.tag:
        refspecs.append(f"+refs/tags/{pipeline.ref}:refs/tags/{pipeline.ref}")
    elif pipeline.merge_request_id is None:
        refspecs.append(f"+refs/heads/{pipeline.ref}:refs/remotes/origin/{pipeline.ref}")
    address = base.replace("://", f"://gitlab-ci-token:{token}@", 1)
    return {
        "repo_url": f"{address}/{project.full_path}.git",
        "repo_object_format": "sha1",
        "ref": pipeline.ref,
        "sha": pipeline.sha,
        "before_sha": pipeline.before_sha,
        "ref_type": "tag" if pipeline.tag else "branch",
        "refspecs": refspecs,
        "depth": project.options["ci_default_git_depth"] or 0,
        "protected": False,
    }


def _steps(options: dict[str, Any], timeout: int) -> list[dict[str, Any]]:
    step = {"timeout": timeout, "when": "on_success", "allow_failure": False}
    script = [*options.get("before_script", []), *options.get("script", [])]
    found = [{"name": "script", "script": script, **step}]
    if options.get("after_script"):
        found.append(
            {"name": "after_script", "script": options["after_script"], **step, "when": "always", "allow_failure": True}
        )
    return found


def _image(image: dict[str, Any] | None, known: list[Variable]) -> dict[str, Any] | None:
    if image is None:
        return None
    return {
        "name": variables.expand(str(image.get("name", "")), known),
        "entrypoint": image.get("entrypoint"),
        "ports": [],
        "executor_opts": {},
        "pull_policy": image.get("pull_policy"),
        **{name: image[name] for name in ("alias", "command", "variables") if name in image},
    }


def _artifacts(config: dict[str, Any] | None, known: list[Variable]) -> list[dict[str, Any]]:
    if not config:
        return []
    found = []
    expire_in = config.get("expire_in")
    if config.get("paths") or config.get("untracked"):
        found.append(
            {
                "name": variables.expand(str(config.get("name") or ""), known) or None,
                "untracked": bool(config.get("untracked")),
                "paths": [variables.expand(path, known) for path in config.get("paths", [])],
                "exclude": [variables.expand(path, known) for path in config.get("exclude", [])],
                "when": config.get("when", "on_success"),
                "expire_in": expire_in,
                "artifact_type": "archive",
                "artifact_format": "zip",
            }
        )
    for kind, paths in (config.get("reports") or {}).items():
        found.append(
            {
                "name": REPORT_FILES.get(kind, f"{kind}.json"),
                "untracked": False,
                "paths": [variables.expand(path, known) for path in paths],
                "exclude": [],
                "when": "always",
                "expire_in": expire_in,
                "artifact_type": kind,
                "artifact_format": "gzip",
            }
        )
    return found


def _cache(one: dict[str, Any], known: list[Variable]) -> dict[str, Any]:
    return {**one, "key": variables.expand(str(one.get("key") or "default"), known)}
