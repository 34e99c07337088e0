"""Releases: the list, one, and making one."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import milestones


@project("GET", "/releases")
async def releases(visit: Visit) -> Response:
    found = await visit.listed(visit.at_project("/releases"))
    for one in found.items:
        one["html"] = shown(visit, one["description"])
    return visit.page("releases.html", listed=found, one=None)


@project("GET POST", "/releases/new")
async def new(visit: Visit) -> Response:
    repo = repository(visit)
    if visit.posted:
        tag = visit.text("tag_name")
        given = {
            "tag_name": tag,
            "ref": visit.text("ref") or None,
            "name": visit.text("name") or None,
            "description": visit.raw("description"),
            "milestones": visit.many("milestones") or None,
        }
        with visit.attempt():
            await visit.ask("POST", visit.at_project("/releases"), given)
            return visit.back(f"{visit.base}/releases/{quote(tag, safe='')}", f"Release {tag} created.")
    return visit.form_page(
        "release_new.html", heading="New release", tag_name=visit.raw("tag_name"),
        name=visit.raw("name"), description=visit.raw("description"), tags=names(repo, "tags"),
        ref=visit.raw("ref") or visit.project.default_branch or "main", branches=names(repo, "heads"),
        milestones=milestones.choices(visit.store, visit.project, closed=True), chosen=visit.many("milestones"),
    )  # fmt: skip


@project("GET", "/releases/{tag}")
async def release(visit: Visit) -> Response:
    found = await visit.ask("GET", visit.at_project(f"/releases/{quote(visit.params['tag'], safe='')}"))
    found["html"] = shown(visit, found["description"])
    return visit.page("releases.html", listed=None, one=found)


@project("GET", "/releases/{tag}/downloads/{path:rest}")
async def download(visit: Visit) -> Response:
    """A file of a release by the path it has there: on to its own address."""
    tag = quote(visit.params["tag"], safe="")
    return await visit.fetched(visit.at_project(f"/releases/{tag}/downloads/{quote(visit.params['path'])}"))


@project("POST", "/releases/{tag}/delete")
async def delete(visit: Visit) -> Response:
    tag = visit.params["tag"]
    await visit.ask("DELETE", visit.at_project(f"/releases/{quote(tag, safe='')}"))
    return visit.back(f"{visit.base}/releases", f"Release {tag} deleted.")
