"""Milestones of a project and of a group: the list, one with what is left to do, new, change, close."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages.routes import group, project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.rows.items import Milestone
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import item_counts
from dayjob.company.forge.store.milestones import numbered

STATES = (("active", "Open"), ("closed", "Closed"), ("all", "All"))


async def _list(visit: Visit, path: str, more: dict[str, Any]) -> Response:
    state = str(visit.query.get("state") or "active")
    state = state if state in dict(STATES) else "active"
    found = await visit.listed(path, {"search": visit.query.get("search") or None, "state": state, **more})
    return visit.page(
        "milestones.html", listed=found, state=state, states=STATES, wanted=visit.query.get("search", ""),
        progress=item_counts.milestone_progress(visit.store, visit.user, [one["id"] for one in found.items]),
    )  # fmt: skip


@project("GET", "/milestones")
async def milestones(visit: Visit) -> Response:
    return await _list(visit, visit.at_project("/milestones"), {"include_ancestors": True})


@group("GET", "/milestones")
async def group_milestones(visit: Visit) -> Response:
    return await _list(visit, f"/groups/{visit.group.id}/milestones", {})


_FIELDS = ("title", "description", "start_date", "due_date")


@project("GET POST", "/milestones/new")
async def new(visit: Visit) -> Response:
    if visit.posted:
        with visit.attempt():
            given = {name: visit.raw(name) for name in _FIELDS}
            made = await visit.ask("POST", visit.at_project("/milestones"), given)
            return visit.back(f"{visit.base}/milestones/{made['iid']}", "Milestone created.")
    return visit.form_page(
        "milestone_edit.html", heading="New milestone", action="",
        cancel=f"{visit.base}/milestones", **{name: visit.raw(name) for name in _FIELDS},
    )  # fmt: skip


def _own(visit: Visit, place: Project | Namespace) -> Milestone:
    milestone = numbered(visit.store, place, visit.number("iid"))
    if milestone is None:
        raise not_found("Milestone")
    return milestone


async def _show(visit: Visit, row: Milestone, path: str) -> Response:
    found = await visit.ask("GET", path)
    issues = await visit.everything(f"{path}/issues", with_labels_details=True)
    requests = await visit.everything(f"{path}/merge_requests", with_labels_details=True)
    closed = sum(one["state"] == "closed" for one in issues)
    return visit.page(
        "milestone.html", item=found, description=shown(visit, found["description"]), issues=issues,
        requests=requests, closed=closed, own=row.project_id is not None,
    )  # fmt: skip


@project("GET", "/milestones/{iid}")
async def milestone(visit: Visit) -> Response:
    row = _own(visit, visit.project)
    return await _show(visit, row, visit.at_project(f"/milestones/{row.id}"))


@group("GET", "/milestones/{iid}")
async def group_milestone(visit: Visit) -> Response:
    row = _own(visit, visit.group)
    return await _show(visit, row, f"/groups/{visit.group.id}/milestones/{row.id}")


@project("GET POST", "/milestones/{iid}/edit")
async def edit(visit: Visit) -> Response:
    row = _own(visit, visit.project)
    if visit.posted:
        with visit.attempt():
            given = {name: visit.raw(name) for name in _FIELDS}
            await visit.ask("PUT", visit.at_project(f"/milestones/{row.id}"), given)
            return visit.back(f"{visit.base}/milestones/{row.iid}", "Milestone saved.")
    return visit.form_page(
        "milestone_edit.html", heading="Edit milestone", action="",
        cancel=f"{visit.base}/milestones/{row.iid}",
        **{name: visit.raw(name) if visit.posted else getattr(row, name) or "" for name in _FIELDS},
    )  # fmt: skip


@project("POST", "/milestones/{iid}")
async def update(visit: Visit) -> Response:
    row = _own(visit, visit.project)
    event = visit.text("state_event")
    await visit.ask("PUT", visit.at_project(f"/milestones/{row.id}"), state_event=event)
    notice = "Milestone closed." if event == "close" else "Milestone reopened."
    return visit.back(f"{visit.base}/milestones/{row.iid}", notice)


@project("POST", "/milestones/{iid}/delete")
async def delete(visit: Visit) -> Response:
    row = _own(visit, visit.project)
    await visit.ask("DELETE", visit.at_project(f"/milestones/{row.id}"))
    return visit.back(f"{visit.base}/milestones", f"Milestone {row.title} deleted.")
