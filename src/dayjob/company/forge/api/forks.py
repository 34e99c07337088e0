"""Forks: a copy of a project's code in another namespace, remembered as such."""

from __future__ import annotations

import asyncio
from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.filters import project_filters
from dayjob.company.forge.api.projects import again, place
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.store import access, projects
from dayjob.company.forge.store.base import not_found, refused
from dayjob.company.forge.store.projects import Project


@get("/projects/{id}/forks")
def forks(call: Call) -> Any:
    listing = project_filters(call, "p.forked_from=?", [call.project().id])
    return call.listing(listing, lambda rows: shape.projects(call, rows, simple=bool(call.boolean("simple"))))


@post("/projects/{id}/fork")
async def fork(call: Call) -> Any:
    origin = call.project()
    call.reader(origin)
    space = place(
        call, call.me, call.args.get("namespace_id") or call.args.get("namespace_path") or call.args.get("namespace")
    )
    if call.store.value(
        "SELECT 1 FROM projects WHERE namespace_id=? AND path=? COLLATE NOCASE",
        space.id,
        call.text("path") or origin.path,
    ):
        raise refused(
            409,
            [
                "Project namespace name has already been taken",
                "Name has already been taken",
                "Path has already been taken",
            ],
        )
    visibility = min(call.visibility(origin.visibility), origin.visibility)
    with call.store.transaction():
        project = projects.create(
            call.store, call.me, space, name=call.text("name") or origin.name, path=call.text("path") or origin.path,
            visibility=visibility, description=call.text("description", origin.description),
            default_branch=origin.default_branch, forked_from=origin.id, import_status="finished",
        )  # fmt: skip
        call.store.update(
            "projects", project.id, empty=origin.empty, readme=origin.readme, commit_count=origin.commit_count,
            repository_size=origin.repository_size,
        )  # fmt: skip
        call.store.db.execute("UPDATE projects SET forks_count=forks_count+1 WHERE id=?", (origin.id,))
        call.store.db.execute(
            "INSERT INTO refs (project_id, name, sha) SELECT ?, name, sha FROM refs WHERE project_id=?",
            (project.id, origin.id),
        )
        if not origin.empty and origin.default_branch:
            call.store.insert("protected_refs", project_id=project.id, kind="branch", name=origin.default_branch)
    try:
        await asyncio.to_thread(call.store.repos.copy, str(origin.id), str(project.id))
    except OSError:
        with call.store.transaction():
            projects.delete(call.store, project)
        raise
    return created(shape.project(call, again(call, project)))


@post("/projects/{id}/fork/{origin_id}")
def relate(call: Call) -> Any:
    project = call.project(access.OWNER)
    origin = call.project(name=call.path["origin_id"])
    if project.forked_from:
        raise refused(409, "Project already forked")
    with call.store.transaction():
        call.store.update("projects", project.id, forked_from=origin.id)
        call.store.db.execute("UPDATE projects SET forks_count=forks_count+1 WHERE id=?", (origin.id,))
    return created(shape.project(call, again(call, project)))


@delete("/projects/{id}/fork")
def unrelate(call: Call) -> Any:
    project = call.project(access.OWNER)
    if not project.forked_from:
        raise not_found("Forked Project")
    with call.store.transaction():
        call.store.db.execute(
            "UPDATE projects SET forks_count=max(0, forks_count-1) WHERE id=?", (project.forked_from,)
        )
        call.store.update("projects", project.id, forked_from=None)
    return no_content()


def root(call: Call, project: Project) -> int:
    """The project at the beginning of a chain of forks."""
    seen = {project.id}
    while project.forked_from and project.forked_from not in seen:
        above = projects.find(call.store, project.forked_from)
        if above is None:
            break
        project = above
        seen.add(project.id)
    return project.id
