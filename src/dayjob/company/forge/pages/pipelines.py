"""Pipelines: the list, one with its stages, running one, schedules, and the badge of a branch."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.ci import states
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import pipelines, progress

SCOPES = (("", "All"), ("finished", "Finished"), ("branches", "Branches"), ("tags", "Tags"))
SOURCES = {
    "push": "push", "web": "a page", "api": "the API", "trigger": "a trigger", "schedule": "a schedule",
    "merge_request_event": "a merge request", "external": "an outside service",
}  # fmt: skip
VARIABLES = 5
"""Variables that the form offers room for."""


def stages_of(visit: Visit, pipeline_id: int) -> list[dict[str, Any]]:
    """A pipeline's jobs under their stages, each stage with the state that they make."""
    found: dict[str, dict[str, Any]] = {}
    for job in progress.jobs_of(visit.store, pipelines.get(visit.store, pipeline_id)):
        stage = found.setdefault(job.stage, {"name": job.stage, "jobs": []})
        stage["jobs"].append(job)
    for stage in found.values():
        outcomes = [(job.status, bool(job.allow_failure)) for job in stage["jobs"]]
        stage["status"], stage["warnings"] = states.composed(outcomes), states.has_warnings(outcomes)
    return list(found.values())


@project("GET", "/pipelines")
async def listed(visit: Visit) -> Response:
    scope = str(visit.query.get("scope", ""))
    scope = scope if scope in dict(SCOPES) else ""
    found = await visit.listed(
        visit.at_project("/pipelines"), scope=scope or None, ref=visit.query.get("ref") or None,
        status=visit.query.get("status") or None,
    )  # fmt: skip
    for one in found.items:
        one["detail"] = await visit.ask("GET", visit.at_project(f"/pipelines/{one['id']}"))
        one["stages"] = stages_of(visit, one["id"])
        one["title"] = pipelines.commit_title(visit.store, visit.project, one["sha"])
    live = any(one["status"] in states.ALIVE for one in found.items)
    return visit.page(
        "pipelines.html",
        listed=found,
        choices=[
            (text, f"{visit.base}/pipelines{f'?scope={value}' if value else ''}", value == scope)
            for value, text in SCOPES
        ],
        sources=SOURCES,
        live=live,
    )


@project("GET POST", "/pipelines/new")
async def new(visit: Visit) -> Response:
    if not visit.may(30):
        return visit.sign_in() if visit.user is None else _refuse()
    repo = repository(visit)
    if visit.posted:
        pairs = [(visit.text(f"key_{number}"), visit.raw(f"value_{number}")) for number in range(VARIABLES)]
        given = [{"key": key, "value": value} for key, value in pairs if key]
        with visit.attempt():
            made = await visit.ask(
                "POST", visit.at_project("/pipeline"), ref=visit.text("ref"), variables=given or None, source="web"
            )
            return visit.back(f"{visit.base}/pipelines/{made['id']}", f"Pipeline #{made['id']} started.")
    ref = visit.raw("ref") or visit.project.default_branch or "main"
    return visit.form_page(
        "pipeline_new.html", ref=ref, branches=[*names(repo, "heads"), *names(repo, "tags")],
        variables=[(visit.raw(f"key_{number}"), visit.raw(f"value_{number}")) for number in range(VARIABLES)],
    )  # fmt: skip


def _refuse() -> Response:
    raise not_found()


@project("GET", "/pipelines/{id}")
async def one(visit: Visit) -> Response:
    path = visit.at_project(f"/pipelines/{visit.number('id')}")
    found = await visit.ask("GET", path)
    report = await visit.ask("GET", f"{path}/test_report")
    return visit.page(
        "pipeline.html", pipeline=found, stages=stages_of(visit, found["id"]), report=report, sources=SOURCES,
        title=pipelines.commit_title(visit.store, visit.project, found["sha"]),
        live=found["status"] in states.ALIVE | {"scheduled"},
    )  # fmt: skip


@project("POST", "/pipelines/{id}/{verb}")
async def act(visit: Visit) -> Response:
    verb = visit.params["verb"]
    if verb not in ("cancel", "retry"):
        raise not_found()
    await visit.ask("POST", visit.at_project(f"/pipelines/{visit.number('id')}/{verb}"))
    notice = "The pipeline is being canceled." if verb == "cancel" else "What had not succeeded runs again."
    return visit.back(f"{visit.base}/pipelines/{visit.number('id')}", notice)


# -- schedules ---------------------------------------------------------------------------------------------------


@project("GET", "/pipeline_schedules")
async def schedules(visit: Visit) -> Response:
    found = await visit.listed(visit.at_project("/pipeline_schedules"))
    for schedule in found.items:
        path = visit.at_project(f"/pipeline_schedules/{schedule['id']}")
        schedule["last"] = (await visit.ask("GET", path))["last_pipeline"]
    return visit.page("schedules.html", listed=found)


@project("GET POST", "/pipeline_schedules/new", "/pipeline_schedules/{id}/edit")
async def schedule(visit: Visit) -> Response:
    """A new one, or one that is changed."""
    fields = ("description", "ref", "cron", "cron_timezone")
    known: dict[str, Any] = {
        "description": "", "ref": visit.project.default_branch, "cron": "0 4 * * *", "cron_timezone": "UTC",
        "active": True,
    }  # fmt: skip
    path = visit.at_project("/pipeline_schedules")
    if "id" in visit.params:
        path += f"/{visit.number('id')}"
        known = await visit.ask("GET", path)
    if visit.posted:
        given = {**{name: visit.text(name) for name in fields}, "active": visit.ticked("active")}
        with visit.attempt():
            made = await visit.ask("PUT" if "id" in visit.params else "POST", path, given)
            return visit.back(f"{visit.base}/pipeline_schedules", f"Schedule “{made['description']}” saved.")
        known = {**known, **given}
    return visit.form_page("schedule.html", known=known, branches=names(repository(visit), "heads"))


@project("POST", "/pipeline_schedules/{id}/{verb}")
async def act_on_schedule(visit: Visit) -> Response:
    path, verb = visit.at_project(f"/pipeline_schedules/{visit.number('id')}"), visit.params["verb"]
    if verb == "delete":
        await visit.ask("DELETE", path)
        return visit.back(f"{visit.base}/pipeline_schedules", "Schedule deleted.")
    if verb not in ("play", "take_ownership"):
        raise not_found()
    await visit.ask("POST", f"{path}/{verb}")
    notice = "Its pipeline was started." if verb == "play" else "The schedule is yours now."
    return visit.back(f"{visit.base}/pipeline_schedules", notice)


# -- badges ------------------------------------------------------------------------------------------------------

_COLOURS = {"passed": "#1e6b3a", "failed": "#a6190f", "running": "#175cd3", "canceled": "#474e5e"}


@project("GET", "/badges/{where:rest}")
async def badge(visit: Visit) -> Response:
    """The state of a branch's newest pipeline, as a picture for pages elsewhere."""
    ref, slash, kind = visit.params["where"].rpartition("/")
    if not slash or kind not in ("pipeline.svg", "coverage.svg") or not visit.reads_code:
        raise not_found()
    newest = pipelines.newest_of_ref(visit.store, visit.project, ref)
    if kind == "coverage.svg":
        detail = await visit.ask("GET", visit.at_project(f"/pipelines/{newest.id}")) if newest is not None else {}
        text = f"{detail['coverage']}%" if detail.get("coverage") else "unknown"
    else:
        text = {"success": "passed"}.get(newest.status, newest.status) if newest is not None else "unknown"
    return Response(
        _picture(kind.removesuffix(".svg"), text), media_type="image/svg+xml", headers={"cache-control": "no-cache"}
    )


def _picture(title: str, text: str) -> str:
    left, right = 12 + 6 * len(title), 12 + 6 * len(text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{title}: {text}"><rect width="{left}" height="20" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS.get(text, "#6b5400")}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="sans-serif" font-size="11">'
        f'<text x="{left / 2}" y="14">{title}</text><text x="{left + right / 2}" y="14">{text}</text></g></svg>'
    )


def commit_states(visit: Visit, shas: list[str]) -> dict[str, Any]:
    """The newest pipeline of each commit that has one."""
    return pipelines.newest_of_commits(visit.store, visit.project, shas) if visit.reads_code else {}
