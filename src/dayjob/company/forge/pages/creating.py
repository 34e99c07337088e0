"""New projects and groups: blank, from an export, or from another repository of the company."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response

from dayjob.company.forge.errors import refused
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import ZERO, all_refs
from dayjob.company.forge.pages.routes import site
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.pushes import pushed
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, groups, projects

VISIBILITIES = (
    ("private", "Private", "Only members see it."),
    ("internal", "Internal", "Everyone who is signed in sees it."),
    ("public", "Public", "Everyone sees it, signed in or not."),
)


@site("GET POST", "/projects/new")
async def new(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    way = visit.text("way", "blank")
    if visit.posted:
        with visit.attempt():
            made = await (_imported(visit) if way == "import" else _blank(visit))
            return visit.back(f"/{made}", "Project created." if way == "blank" else "Project imported.")
    spaces = access.homes_for_projects(visit.store, visit.user)
    chosen = visit.text("namespace_id") or str(spaces[0].id if spaces else "")
    return visit.form_page(
        "new_project.html", way=way, spaces=spaces, chosen=chosen,
        visibilities=VISIBILITIES, given={name: visit.raw(name) for name in ("name", "path", "description", "url")},
        visibility=visit.text("visibility", "private"), readme=visit.ticked("readme") if visit.posted else True,
    )  # fmt: skip


async def _blank(visit: Visit) -> str:
    given: dict[str, Any] = {
        "name": visit.text("name"),
        "path": visit.text("path") or None,
        "namespace_id": visit.text("namespace_id") or None,
        "description": visit.raw("description").strip() or None,
        "visibility": visit.text("visibility") or None,
        "initialize_with_readme": visit.ticked("readme"),
    }
    made = await visit.ask("POST", "/projects", given)
    return str(made["path_with_namespace"])


async def _imported(visit: Visit) -> str:
    """From an export's archive, or from the address of a repository within the company."""
    file, name = visit.upload("file"), visit.text("name")
    if file is not None:
        given = {
            "file": file,
            "path": visit.text("path") or projects.slug(name or file.filename.removesuffix(".tar.gz")),
            "name": name or None,
            "namespace": visit.text("namespace_id") or None,
        }
        made = await visit.ask("POST", "/projects/import", given)
        return str(made["path_with_namespace"])
    source = _source(visit, visit.text("url"))
    made = await visit.ask(
        "POST", "/projects", name=name or source.name, path=visit.text("path") or None,
        namespace_id=visit.text("namespace_id") or None, description=source.description,
        visibility=visit.text("visibility") or None, default_branch=source.default_branch,
    )  # fmt: skip
    project = projects.find(visit.store, int(made["id"]))
    assert project is not None
    assert visit.user is not None
    for kind in ("heads", "tags"):
        refs = f"refs/{kind}/*:refs/{kind}/*"
        await asyncio.to_thread(visit.store.repos.fetch, str(project.id), str(source.id), refs)
    moved = [Moved(one, ZERO, sha) for one, sha in all_refs(visit.store.repos.open(project.id)).items()]
    await pushed(visit.forge, visit.user, project, moved, ["ci.skip"])
    return project.full_path


def _source(visit: Visit, url: str) -> Project:
    """The project behind a clone address of this company, if the visitor may read its code."""
    if not url:
        raise refused(400, "Give the address of a repository, or choose an export.")
    try:
        parts = urlsplit(url)
        known = {visit.request.headers.get("host", ""), urlsplit(visit.forge.company.world.url("forge")).netloc}
    except ValueError:
        raise refused(400, "This is not the address of a repository.") from None
    inside = parts.scheme in ("http", "https") and parts.netloc.rpartition("@")[2] in known
    found = projects.find(visit.store, parts.path.strip("/").removesuffix(".git")) if inside else None
    if found is None or not access.can_see_project(visit.store, visit.user, found):
        raise refused(400, "Only repositories of this company can be imported, and there is none at this address.")
    if found.visibility == 0 and access.project_level(visit.store, visit.user, found) < access.REPORTER:
        raise refused(403, "You may not read the code of this project.")
    if found.empty:
        raise refused(400, "The repository at this address is empty.")
    return found


@site("GET POST", "/groups/new")
async def new_group(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    if visit.posted:
        given = {
            "name": visit.text("name"),
            "path": visit.text("path") or projects.slug(visit.text("name")),
            "parent_id": visit.text("parent_id") or None,
            "visibility": visit.text("visibility") or None,
            "description": visit.text("description"),
        }
        with visit.attempt():
            made = await visit.ask("POST", "/groups", given)
            return visit.back(f"/groups/{made['full_path']}", "Group created.")
    parents = groups.for_subgroups(visit.store, visit.user)
    return visit.form_page(
        "new_group.html", heading="New group", parents=parents, visibilities=VISIBILITIES,
        given={name: visit.raw(name) for name in ("name", "path", "description", "parent_id")},
        visibility=visit.text("visibility", "private"),
    )  # fmt: skip
