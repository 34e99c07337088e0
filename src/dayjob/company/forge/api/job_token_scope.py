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


@post(f"{_SCOPE}/allowlist")
def allow(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    other = call.project(name=call.filled("target_project_id"))
    job_tokens.allow(call.store, project, "project", other.id)
    return created({"source_project_id": project.id, "target_project_id": other.id})


@delete(f"{_SCOPE}/allowlist/{{target_id}}")
def disallow(call: Call) -> Any:
    job_tokens.disallow(call.store, call.project(access.MAINTAINER), "project", call.number("target_id"))
    return no_content()


@get(f"{_SCOPE}/groups_allowlist")
def group_allowlist(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return call.paged(
        job_tokens.allowed_groups(call.store, project),
        lambda group: {"id": group.id, "web_url": f"{call.base}/groups/{group.full_path}", "name": group.name},
    )


@post(f"{_SCOPE}/groups_allowlist")
def allow_group(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    other = call.group(name=call.filled("target_group_id"))
    job_tokens.allow(call.store, project, "group", other.id)
    return created({"source_project_id": project.id, "target_group_id": other.id})


@delete(f"{_SCOPE}/groups_allowlist/{{target_id}}")
def disallow_group(call: Call) -> Any:
    job_tokens.disallow(call.store, call.project(access.MAINTAINER), "group", call.number("target_id"))
    return no_content()
