"""Forks: a copy of a project's code in another namespace, remembered as such."""

from __future__ import annotations

import asyncio
from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.filters import filtered_projects
from dayjob.company.forge.api.projects import again, place
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.store import access, project_lists, projects
from dayjob.company.forge.store import forks as store_forks


@get("/projects/{id}/forks")
def forks(call: Call) -> Any:
    listing = filtered_projects(call, project_lists.forks_of(call.project()))
    return call.listing(listing, lambda rows: shape.projects(call, rows, simple=bool(call.boolean("simple"))))


@post("/projects/{id}/fork")
async def fork(call: Call) -> Any:
    origin = call.project()
    call.reader(origin)
    store_forks.check(call.store, call.me, origin)
    space = place(
        call, call.me, call.args.get("namespace_id") or call.args.get("namespace_path") or call.args.get("namespace")
    )
    project = store_forks.create(
        call.store, call.me, origin, space, name=call.text("name"), path=call.text("path"),
        visibility=call.visibility(origin.visibility), description=call.text("description", origin.description),
    )  # fmt: skip
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
    store_forks.relate(call.store, project, origin)
    return created(shape.project(call, again(call, project)))


@delete("/projects/{id}/fork")
def unrelate(call: Call) -> Any:
    store_forks.unrelate(call.store, call.project(access.OWNER))
    return no_content()
