"""Branches and tags: lists, creating and deleting them."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit, reason


@project("GET", "/branches", "/branches/{state}")
async def branches(visit: Visit) -> Response:
    wanted = str(visit.query.get("search", ""))
    found = await visit.listed(visit.at_project("/repository/branches"), search=wanted or None, sort="updated_desc")
    repo = repository(visit)
    head = str(repo.references[f"refs/heads/{visit.project.default_branch}"].target) if found.items else ""
    for one in found.items:
        ahead, behind = (0, 0) if one["default"] else repo.ahead_behind(one["commit"]["id"], head)
        one |= {"ahead": ahead, "behind": behind}
    return visit.page("branches.html", listed=found, wanted=wanted)


@project("GET POST", "/branches/new")
async def new_branch(visit: Visit) -> Response:
    problem = ""
    if visit.posted:
        name = visit.text("branch_name")
        try:
            await visit.ask("POST", visit.at_project("/repository/branches"), branch=name, ref=visit.text("ref"))
            return visit.back(f"{visit.base}/tree/{quote(name)}", f"Branch {name} created.")
        except Refused as no:
            problem = reason(no)
    return visit.page(
        "new_ref.html", 422 if problem else 200, problem=problem, kind="branch", heading="New branch",
        name=visit.text("branch_name"), ref=visit.text("ref") or visit.project.default_branch or "main",
        refs=_refs(visit), message="",
    )  # fmt: skip


@project("POST", "/branches/{name}/delete")
async def delete_branch(visit: Visit) -> Response:
    name = visit.params["name"]
    await visit.ask("DELETE", visit.at_project(f"/repository/branches/{quote(name, safe='')}"))
    return visit.back(f"{visit.base}/branches", f"Branch {name} deleted.")


@project("GET", "/tags")
async def tags(visit: Visit) -> Response:
    wanted = str(visit.query.get("search", ""))
    found = await visit.listed(visit.at_project("/repository/tags"), search=wanted or None)
    return visit.page("tags.html", listed=found, wanted=wanted)


@project("GET POST", "/tags/new")
async def new_tag(visit: Visit) -> Response:
    problem = ""
    if visit.posted:
        given = {"tag_name": visit.text("tag_name"), "ref": visit.text("ref"), "message": visit.text("message") or None}
        try:
            await visit.ask("POST", visit.at_project("/repository/tags"), given)
            return visit.back(f"{visit.base}/tags", f"Tag {given['tag_name']} created.")
        except Refused as no:
            problem = reason(no)
    return visit.page(
        "new_ref.html", 422 if problem else 200, problem=problem, kind="tag", heading="New tag",
        name=visit.text("tag_name"), ref=visit.text("ref") or visit.project.default_branch or "main",
        refs=_refs(visit), message=visit.raw("message"),
    )  # fmt: skip


@project("GET", "/tags/{name}")
async def tag(visit: Visit) -> Response:
    name = visit.params["name"]
    await visit.ask("GET", visit.at_project(f"/repository/tags/{quote(name, safe='')}"))
    return RedirectResponse(f"{visit.base}/tags?{urlencode({'search': f'^{name}$'})}", 302)


@project("POST", "/tags/{name}/delete")
async def delete_tag(visit: Visit) -> Response:
    name = visit.params["name"]
    await visit.ask("DELETE", visit.at_project(f"/repository/tags/{quote(name, safe='')}"))
    return visit.back(f"{visit.base}/tags", f"Tag {name} deleted.")


def _refs(visit: Visit) -> list[str]:
    repo = repository(visit)
    return [*names(repo, "heads"), *names(repo, "tags")]
