"""Branches and tags: lists, creating and deleting them."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.pages.pipelines import commit_states
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit


@project("GET", "/branches", "/branches/{state}")
async def branches(visit: Visit) -> Response:
    wanted = str(visit.query.get("search", ""))
    found = await visit.listed(visit.at_project("/repository/branches"), search=wanted or None, sort="updated_desc")
    repo = repository(visit)
    head = str(repo.references[f"refs/heads/{visit.project.default_branch}"].target) if found.items else ""
    ran = commit_states(visit, [one["commit"]["id"] for one in found.items])
    for one in found.items:
        ahead, behind = (0, 0) if one["default"] else repo.ahead_behind(one["commit"]["id"], head)
        one |= {"ahead": ahead, "behind": behind, "ci": ran.get(one["commit"]["id"])}
    return visit.page("branches.html", heading="Branches", noun="branch", listed=found, wanted=wanted)


@project("GET POST", "/branches/new")
async def new_branch(visit: Visit) -> Response:
    if visit.posted:
        name = visit.text("branch_name")
        with visit.attempt():
            await visit.ask("POST", visit.at_project("/repository/branches"), branch=name, ref=visit.text("ref"))
            return visit.back(f"{visit.base}/tree/{quote(name)}", f"Branch {name} created.")
    return _new_ref(visit, "branch")


@project("POST", "/branches/{name}/delete")
async def delete_branch(visit: Visit) -> Response:
    name = visit.params["name"]
    await visit.ask("DELETE", visit.at_project(f"/repository/branches/{quote(name, safe='')}"))
    return visit.back(f"{visit.base}/branches", f"Branch {name} deleted.")


@project("GET", "/tags")
async def tags(visit: Visit) -> Response:
    wanted = str(visit.query.get("search", ""))
    found = await visit.listed(visit.at_project("/repository/tags"), search=wanted or None)
    return visit.page("tags.html", heading="Tags", noun="tag", listed=found, wanted=wanted)


@project("GET POST", "/tags/new")
async def new_tag(visit: Visit) -> Response:
    if visit.posted:
        given = {"tag_name": visit.text("tag_name"), "ref": visit.text("ref"), "message": visit.text("message") or None}
        with visit.attempt():
            await visit.ask("POST", visit.at_project("/repository/tags"), given)
            return visit.back(f"{visit.base}/tags", f"Tag {given['tag_name']} created.")
    return _new_ref(visit, "tag", message=visit.raw("message"))


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


def _new_ref(visit: Visit, kind: str, message: str = "") -> Response:
    repo = repository(visit)
    return visit.form_page(
        "new_ref.html", kind=kind, heading=f"New {kind}", name=visit.text(f"{kind}_name"), message=message,
        ref=visit.text("ref") or visit.project.default_branch or "main",
        refs=[*names(repo, "heads"), *names(repo, "tags")],
    )  # fmt: skip
