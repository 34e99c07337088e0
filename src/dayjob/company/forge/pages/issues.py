"""Issues: the list with its filters, opening one, and one with its conversation."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.pages.comments import threads_of
from dayjob.company.forge.pages.items import change, choices, edit_page, filters, named, project_list, save
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit

STATES = (("opened", "Open"), ("closed", "Closed"), ("all", "All"))


@project("GET", "/issues")
async def issues(visit: Visit) -> Response:
    found = await project_list(visit, "issues", STATES)
    statistics = await visit.ask("GET", visit.at_project("/issues_statistics"), filters(visit)[0])
    return visit.page(
        "items.html", heading="Issues", noun="issue", counts=statistics["statistics"]["counts"],
        may_add=visit.user is not None and not visit.project.archived, **found,
    )  # fmt: skip


@project("GET POST", "/issues/new")
async def new(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    if visit.posted:
        given: dict[str, Any] = {
            "title": visit.text("title"),
            "description": visit.raw("description"),
            "labels": ",".join(visit.many("labels")) or None,
            "assignee_ids": [str(one) for one in named(visit, visit.many("usernames"))] or None,
            "milestone_id": visit.text("milestone_id") or None,
            "due_date": visit.text("due_date") or None,
            "confidential": visit.ticked("confidential"),
        }
        with visit.attempt():
            made = await visit.ask("POST", visit.at_project("/issues"), given)
            return visit.back(f"{visit.base}/issues/{made['iid']}", f"Issue #{made['iid']} opened.")
    asked = visit.query.get("issue")
    proposed = asked if isinstance(asked, dict) else {}
    return visit.form_page(
        "issue_new.html", visit_many=visit.many,
        title=visit.raw("title") or str(proposed.get("title", "")),
        description=visit.raw("description") or str(proposed.get("description", "")), **choices(visit),
    )  # fmt: skip


@project("GET", "/issues/{iid}")
async def issue(visit: Visit) -> Response:
    path = visit.at_project(f"/issues/{visit.number('iid')}")
    found = await visit.ask("GET", path, with_labels_details=True)
    related = (
        await visit.everything(f"{path}/related_merge_requests", with_labels_details=True) if visit.reads_code else []
    )
    mine = visit.user is not None and visit.user.id in (
        found["author"]["id"] if found["author"] else 0, *(one["id"] for one in found["assignees"])
    )  # fmt: skip
    return visit.page(
        "issue.html", item=found, description=shown(visit, found["description"]), threads=await threads_of(visit, path),
        related=related, may_change=visit.may(15) or (mine and not visit.project.archived),
        participants=await visit.everything(f"{path}/participants"), editing=visit.query.get("edit", ""),
        address=f"{visit.base}/issues/{found['iid']}", **choices(visit),
    )  # fmt: skip


@project("GET", "/issues/{iid}/edit")
async def edit(visit: Visit) -> Response:
    return await edit_page(visit, "issues")


@project("POST", "/issues/{iid}")
async def update(visit: Visit) -> Response:
    return await save(visit, "issues", change(visit))


@project("POST", "/issues/{iid}/delete")
async def delete(visit: Visit) -> Response:
    await visit.ask("DELETE", visit.at_project(f"/issues/{visit.number('iid')}"))
    return visit.back(f"{visit.base}/issues", "Issue deleted.")
