"""The linter of CI files."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, Json
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.ci import file, planning
from dayjob.company.forge.ci.file import Configuration
from dayjob.company.forge.git import reading


def _verdict(found: Configuration, include_jobs: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "valid": found.valid,
        "errors": found.errors,
        "warnings": found.warnings,
        "merged_yaml": found.merged or None,
        "includes": found.includes,
    }
    if include_jobs:
        answer["jobs"] = [_job(name, job) for name, job in found.jobs.items()] if found.valid else []
    return answer


def _job(name: str, job: dict[str, Any]) -> dict[str, Any]:
    config = planning.planned(name, job)[0].config
    when = str(job.get("when", "on_success"))
    return {
        "name": name,
        "stage": job.get("stage", "test"),
        "before_script": config["before_script"],
        "script": config["script"],
        "after_script": config["after_script"],
        "tag_list": planning.strings(job.get("tags")),
        "only": None if "rules" in job else job.get("only") or {"refs": ["branches", "tags"]},
        "except": job.get("except"),
        "environment": (config.get("environment") or {}).get("name"),
        "when": when,
        "allow_failure": job["allow_failure"] is True if "allow_failure" in job else when == "manual",
        "needs": [{key: need[key] for key in ("name", "artifacts", "optional")} for need in config["needs"]]
        if "needs" in config
        else None,
    }


@post("/projects/{id}/ci/lint")
def lint_content(call: Call) -> Any:
    project = call.project()
    call.signed_in()
    call.need("content")
    reader = None
    if not project.empty:
        repo = call.store.repos.open(project.id)
        head = reading.resolve(repo, call.text("ref") or project.default_branch or "main")
        reader = file.reader(repo, str(head.id)) if head is not None else None
    return Json(_verdict(file.lint(call.text("content"), reader), bool(call.boolean("include_jobs"))))


@get("/projects/{id}/ci/lint")
def lint_project(call: Call) -> Any:
    project, repo = code.repository(call)
    name = call.text("content_ref") or call.text("sha") or call.text("ref") or project.default_branch or "main"
    head = reading.resolve(repo, name)
    found = file.project_configuration(project, repo, str(head.id)) if head is not None else None
    if found is None:
        found = Configuration(errors=["Please provide content of .gitlab-ci.yml"])
    return _verdict(found, bool(call.boolean("include_jobs")))


@post("/ci/lint")
def lint_anywhere(call: Call) -> Any:
    call.signed_in()
    found = file.lint(call.filled("content"))
    return Json(
        {
            "status": "valid" if found.valid else "invalid",
            "errors": found.errors,
            "warnings": found.warnings,
            "valid": found.valid,
        }
    )
