"""Jobs: one with its log, what it left behind, and starting and stopping it."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.forge import archives
from dayjob.company.forge.ci import states
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages import ansi
from dayjob.company.forge.pages.pipelines import stages_of
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import artifacts, jobs, traces

REASONS = {
    "script_failure": "The script failed.",
    "runner_system_failure": "The runner had a problem of its own.",
    "job_execution_timeout": "The job took longer than it may.",
    "image_pull_failure": "The runner has no such image.",
    "unknown_failure": "The runner did not say why it failed.",
    "trace_size_exceeded": "The log became too long.",
    "missing_dependency_failure": "Artifacts that it needs are gone.",
    "runner_unsupported": "The runner cannot do what the job asks for.",
    "configuration_error": "The runner cannot do what the job asks for.",
}


@project("GET", "/jobs")
async def listed(visit: Visit) -> Response:
    found = await visit.listed(visit.at_project("/jobs"))
    return visit.page("jobs.html", listed=found, live=any(one["status"] in states.ALIVE for one in found.items))


@project("GET", "/jobs/{id}")
async def job(visit: Visit) -> Response:
    found = await visit.ask("GET", visit.at_project(f"/jobs/{visit.number('id')}"))
    row = jobs.find(visit.store, visit.project, found["id"])
    lines = ansi.lines(traces.read(visit.store, row))
    return visit.page(
        "job.html", job=found, row=row, lines=lines, cut=bool(lines) and lines[0][0] > 1,
        stages=stages_of(visit, found["pipeline"]["id"]), stuck=jobs.is_stuck(visit.store, row),
        reason=REASONS.get(found.get("failure_reason", ""), found.get("failure_reason", "")),
        archive=artifacts.archive(visit.store, row), live=row.status in states.ALIVE | {"scheduled"},
    )  # fmt: skip


@project("POST", "/jobs/{id}/{verb}")
async def act(visit: Visit) -> Response:
    verb = visit.params["verb"]
    if verb not in ("cancel", "retry", "play", "erase"):
        raise not_found()
    made = await visit.ask("POST", visit.at_project(f"/jobs/{visit.number('id')}/{verb}"))
    notice = {"cancel": "The job is being canceled.", "retry": "The job runs again.", "play": "The job was started.",
              "erase": "The job's log and artifacts were erased."}[verb]  # fmt: skip
    return visit.back(f"{visit.base}/jobs/{made['id']}", notice)


@project("GET", "/jobs/{id}/raw")
async def raw(visit: Visit) -> Response:
    return await visit.fetched(visit.at_project(f"/jobs/{visit.number('id')}/trace"))


@project("GET", "/jobs/{id}/artifacts/download")
async def download(visit: Visit) -> Response:
    return await visit.fetched(visit.at_project(f"/jobs/{visit.number('id')}/artifacts"))


@project("GET", "/jobs/{id}/artifacts/raw/{path:rest}", "/jobs/{id}/artifacts/file/{path:rest}")
async def file(visit: Visit) -> Response:
    path = quote(visit.params["path"])
    return await visit.fetched(visit.at_project(f"/jobs/{visit.number('id')}/artifacts/{path}"))


@project("GET", "/jobs/{id}/artifacts/browse", "/jobs/{id}/artifacts/browse/{path:rest}")
async def browse(visit: Visit) -> Response:
    found = await visit.ask("GET", visit.at_project(f"/jobs/{visit.number('id')}"))
    kept = artifacts.required(visit.store, jobs.find(visit.store, visit.project, found["id"]))
    folder = visit.params.get("path", "").strip("/")
    entries = archives.entries(visit.forge.company.blobs.path(kept.blob), folder)
    steps = [part for part in folder.split("/") if part]
    home = f"{visit.base}/jobs/{found['id']}/artifacts/browse"
    trail = [("Artifacts", home)] + [
        (part, f"{home}/{quote('/'.join(steps[: number + 1]))}") for number, part in enumerate(steps)
    ]
    return visit.page("artifacts.html", job=found, entries=entries, folder=folder, trail=trail, kept=kept, home=home)
