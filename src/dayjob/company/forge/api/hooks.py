"""Webhooks of projects, groups and the instance."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.api.stored_resources import StoredResource, find, serve
from dayjob.company.forge.errors import bad
from dayjob.company.forge.hook_delivery import TITLES
from dayjob.company.forge.store import access, hooks

_EVENTS = (
    "push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "tag_push_events",
    "note_events",
    "confidential_note_events",
    "job_events",
    "pipeline_events",
    "wiki_page_events",
    "deployment_events",
    "releases_events",
    "emoji_events",
    "resource_access_token_events",
    "feature_flag_events",
    "member_events",
    "subgroup_events",
    "project_events",
    "repository_update_events",
)
_FIELDS: dict[str, Any] = {
    "url": "", "name": None, "description": None, "token": None, **dict.fromkeys(_EVENTS, False), "push_events": True,
    "enable_ssl_verification": True, "push_events_branch_filter": "", "branch_filter_strategy": "wildcard",
    "custom_webhook_template": "",
}  # fmt: skip


def _hook(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: value for name, value in one.items() if name not in ("token", "updated_at")},
        "alert_status": "executable",
        "disabled_until": None,
        "url_variables": [],
        "custom_headers": [],
    }


_OPTIONS: dict[str, Any] = {
    "kind": "hook", "fields": _FIELDS, "needs": ("url",), "secret": ("token",), "shape": _hook,
    "prepare": lambda call, values: hooks.check(values),
}  # fmt: skip
_RESOURCES = (
    StoredResource(path="/projects/{id}/hooks", scope="project", read=access.MAINTAINER, **_OPTIONS),
    StoredResource(path="/groups/{id}/hooks", scope="group", read=access.OWNER, write=access.OWNER, **_OPTIONS),
    StoredResource(path="/hooks", scope="instance", read=access.OWNER, write=access.OWNER, **_OPTIONS),
)


def _events(call: Call, resource: StoredResource) -> Any:
    hook = find(call, resource, resource.read)
    return call.paged(
        hooks.attempts(call.store, hook.id),
        lambda attempt: {"id": attempt.id, **attempt.values, "created_at": attempt.created_at},
    )


def _test(call: Call, resource: StoredResource) -> Any:
    """Send a hook once, with an example."""
    hook = find(call, resource, resource.write)
    kind = call.path["trigger"].removesuffix("_events")
    if kind not in TITLES:
        raise bad("trigger does not have a valid value")
    payload = call.forge.deliveries.payload(call.project(), call.me, kind, {"test": True})
    call.forge.deliveries.send(hook, kind, payload)
    return created({"message": "201 Created"})


for _resource in _RESOURCES:
    serve(_resource)
    get(f"{_resource.path}/{{key}}/events")(lambda call, resource=_resource: _events(call, resource))
post("/projects/{id}/hooks/{key}/test/{trigger}")(lambda call: _test(call, _RESOURCES[0]))
