"""Integrations of a project with other services: stored, and never called."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, no_content
from dayjob.company.forge.api.routes import delete, get, put
from dayjob.company.forge.store import access, integrations


def _integration(slug: str, kept: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": kept["id"],
        "title": slug.replace("-", " ").capitalize(),
        "slug": slug,
        "created_at": kept["created_at"],
        "updated_at": kept["updated_at"],
        "active": kept["active"],
        "inherited": False,
        **dict.fromkeys(
            (
                "push_events",
                "issues_events",
                "merge_requests_events",
                "tag_push_events",
                "note_events",
                "commit_events",
                "comment_on_event_enabled",
                "job_events",
                "pipeline_events",
                "wiki_page_events",
                "vulnerability_events",
                "deployment_events",
            ),
            True,
        ),
        "properties": {name: value for name, value in kept["properties"].items() if not integrations.is_secret(name)},
    }


_ROOTS = ("/projects/{id}/integrations", "/projects/{id}/services")


@get(*_ROOTS)
def active_integrations(call: Call) -> Any:
    active = integrations.active(call.store, call.project(access.MAINTAINER))
    return call.paged(active, lambda record: _integration(record.name, record.values))


@get(*(f"{root}/{{slug}}" for root in _ROOTS))
def integration(call: Call) -> Any:
    slug = call.path["slug"]
    return _integration(slug, integrations.find(call.store, call.project(access.MAINTAINER), slug))


@put(*(f"{root}/{{slug}}" for root in _ROOTS))
def set_integration(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    given = {
        name: value
        for name, value in call.args.items()
        if isinstance(value, str | int | bool) and name not in ("private_token", "sudo")
    }
    slug = call.path["slug"]
    return _integration(slug, integrations.activate(call.store, project, slug, given))


@delete(*(f"{root}/{{slug}}" for root in _ROOTS))
def drop_integration(call: Call) -> Any:
    integrations.deactivate(call.store, call.project(access.MAINTAINER), call.path["slug"])
    return no_content()
