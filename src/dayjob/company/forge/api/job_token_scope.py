"""Which projects and groups may use a project's job tokens."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.shapes.projects import projects as shape_projects
from dayjob.company.forge.store import access, job_tokens

_SCOPE = "/projects/{id}/job_token_scope"


@get(_SCOPE)
def job_token_scope(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return {"inbound_enabled": job_tokens.is_limited(call.store, project), "outbound_enabled": False}


@put(_SCOPE)
@patch(_SCOPE)
def change_job_token_scope(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("enabled")
    job_tokens.limit(call.store, project, call.boolean("enabled"))
    return no_content()


@get(f"{_SCOPE}/allowlist")
def allowlist(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return call.paged(shape_projects(call, job_tokens.allowed_projects(call.store, project), simple=True))


@get(f"{_SCOPE}/groups_allowlist")
def group_allowlist(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return call.paged(
        job_tokens.allowed_groups(call.store, project),
        lambda group: {"id": group.id, "web_url": f"{call.base}/groups/{group.full_path}", "name": group.name},
    )


def _allow(call: Call, kind: str) -> Any:
    project = call.project(access.MAINTAINER)
    find = call.group if kind == "group" else call.project
    other = find(name=call.filled(f"target_{kind}_id"))
    job_tokens.allow(call.store, project, kind, other.id)
    return created({"source_project_id": project.id, f"target_{kind}_id": other.id})


def _disallow(call: Call, kind: str) -> Any:
    job_tokens.disallow(call.store, call.project(access.MAINTAINER), kind, call.number("target_id"))
    return no_content()


post(f"{_SCOPE}/allowlist")(lambda call: _allow(call, "project"))
post(f"{_SCOPE}/groups_allowlist")(lambda call: _allow(call, "group"))
delete(f"{_SCOPE}/allowlist/{{target_id}}")(lambda call: _disallow(call, "project"))
delete(f"{_SCOPE}/groups_allowlist/{{target_id}}")(lambda call: _disallow(call, "group"))
