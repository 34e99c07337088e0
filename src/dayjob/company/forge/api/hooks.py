"""Hooks of projects, groups and the instance, and single settings that are one record each."""

from __future__ import annotations

import json
import re
from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.api.shelf import Shelf, find, place
from dayjob.company.forge.delivery import TITLES
from dayjob.company.forge.shapes.projects import projects as shape_projects
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, not_found, refused
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project

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


def _check(call: Call, values: dict[str, Any]) -> None:
    if not re.match(r"https?://[^\s/]+", str(values.get("url"))):
        raise refused(422, "Invalid url given")


def _hook(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: value for name, value in one.items() if name not in ("token", "updated_at")},
        "alert_status": "executable",
        "disabled_until": None,
        "url_variables": [],
        "custom_headers": [],
    }


_OPTIONS: dict[str, Any] = {
    "kind": "hook", "fields": _FIELDS, "needs": ("url",), "secret": ("token",), "shape": _hook, "prepare": _check,
}  # fmt: skip
_SHELVES = (
    Shelf(path="/projects/{id}/hooks", scope="project", read=access.MAINTAINER, **_OPTIONS),
    Shelf(path="/groups/{id}/hooks", scope="group", read=access.OWNER, write=access.OWNER, **_OPTIONS),
    Shelf(path="/hooks", scope="instance", read=access.OWNER, write=access.OWNER, **_OPTIONS),
)


def _events(call: Call, shelf: Shelf) -> Any:
    hook = find(call, shelf, shelf.read)
    rows = call.store.db.execute(
        "SELECT id, body, created_at FROM records WHERE kind='hook_event' AND scope='hook' AND scope_id=? ORDER "
        "BY id DESC",
        (hook[0],),
    ).fetchall()
    return call.paged(rows, lambda row: {"id": row[0], **json.loads(row[1]), "created_at": row[2]})


def _test(call: Call, shelf: Shelf) -> Any:
    """Send a hook once, with an example."""
    row = find(call, shelf, shelf.write)
    kind = call.path["trigger"].removesuffix("_events")
    if kind not in TITLES:
        raise bad("trigger does not have a valid value")
    project = call.project()
    hook, secret = json.loads(row[1]), json.loads(row[2])
    payload = call.forge.deliveries.payload(project, call.me, kind, {"test": True})
    call.forge.deliveries.send(row[0], hook["url"], secret.get("token"), kind, payload)
    return created({"message": "201 Created"})


for _shelf in _SHELVES:
    place(_shelf)
    get(f"{_shelf.path}/{{key}}/events")(lambda call, shelf=_shelf: _events(call, shelf))
post("/projects/{id}/hooks/{key}/test/{trigger}")(lambda call: _test(call, _SHELVES[0]))


# -- settings that are one record --------------------------------------------------------------------------------


def _kept(call: Call, kind: str, scope: str, owner: int, name: str = "") -> dict[str, Any] | None:
    found = call.store.value(
        "SELECT body FROM records WHERE kind=? AND scope=? AND scope_id=? AND name=?", kind, scope, owner, name
    )
    return json.loads(found) if found else None


def _keep(call: Call, kind: str, scope: str, owner: int, body: dict[str, Any], name: str = "") -> None:
    now = call.store.now()
    row = call.store.value(
        "SELECT id FROM records WHERE kind=? AND scope=? AND scope_id=? AND name=?", kind, scope, owner, name
    )
    if row is not None:
        call.store.update("records", row, body=dumps(body), updated_at=now)
    else:
        call.store.insert(
            "records",
            kind=kind,
            scope=scope,
            scope_id=owner,
            name=name,
            body=dumps(body),
            created_at=now,
            updated_at=now,
        )


_LEVELS = ("disabled", "participating", "watch", "global", "mention", "custom")


def _notification(call: Call, scope: str, owner: int) -> Any:
    default = {"level": "participating" if scope == "user" else "global"}
    if scope == "user":
        default["notification_email"] = call.me.email
    key = str(call.me.id)
    found = {**default, **(_kept(call, "notification", scope, owner, key) or {})}
    if call.request.method == "PUT":
        if call.has("level"):
            found["level"] = call.choice("level", _LEVELS)
        if call.text("notification_email"):
            found["notification_email"] = call.text("notification_email")
        _keep(call, "notification", scope, owner, found, key)
    return found


for _verb in (get, put):
    _verb("/notification_settings")(lambda call: _notification(call, "user", call.me.id))
    _verb("/projects/{id}/notification_settings")(lambda call: _notification(call, "project", call.project().id))
    _verb("/groups/{id}/notification_settings")(lambda call: _notification(call, "group", call.group().id))


_PUSH_RULES = {
    "commit_message_regex": "",
    "commit_message_negative_regex": "",
    "branch_name_regex": "",
    "deny_delete_tag": False,
    "member_check": False,
    "prevent_secrets": False,
    "author_email_regex": "",
    "file_name_regex": "",
    "max_file_size": 0,
    "commit_committer_check": False,
    "commit_committer_name_check": False,
    "reject_unsigned_commits": False,
    "reject_non_dco_commits": False,
}


def _push_rule(call: Call, scope: str, owner: int) -> Any:
    """Kept and shown; git itself does not enforce them here."""
    kept = _kept(call, "push_rule", scope, owner)
    method = call.request.method
    if method == "GET":
        return Json(None) if kept is None else kept
    if method == "DELETE":
        if kept is None:
            raise not_found("Push Rule")
        call.store.db.execute("DELETE FROM records WHERE kind='push_rule' AND scope=? AND scope_id=?", (scope, owner))
        return no_content()
    if method == "PUT" and kept is None:
        raise not_found("Push Rule")
    if method == "POST" and kept is not None:
        raise refused(422, "Project push rule exists" if scope == "project" else "Group push rule exists, try updating")
    fresh = {
        name: (
            call.boolean(name)
            if isinstance(default, bool)
            else call.integer(name)
            if isinstance(default, int)
            else call.text(name)
        )
        for name, default in _PUSH_RULES.items()
        if call.has(name)
    }
    body = {**_PUSH_RULES, **(kept or {"id": owner, f"{scope}_id": owner, "created_at": call.store.now()}), **fresh}
    _keep(call, "push_rule", scope, owner, body)
    return body


for _verb in (get, post, put, delete):
    _verb("/projects/{id}/push_rule")(lambda call: _push_rule(call, "project", call.project(access.MAINTAINER).id))
    _verb("/groups/{id}/push_rule")(lambda call: _push_rule(call, "group", call.group(access.MAINTAINER).id))


# -- integrations ------------------------------------------------------------------------------------------------


def _integration(call: Call, project: Project, slug: str, kept: dict[str, Any]) -> dict[str, Any]:
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
        "properties": {
            name: value
            for name, value in kept["properties"].items()
            if not re.search("token|password|key|secret", name)
        },
    }


_ROOTS = ("/projects/{id}/integrations", "/projects/{id}/services")


@get(*_ROOTS)
def integrations(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rows = call.store.db.execute(
        "SELECT name, body FROM records WHERE kind='integration' AND scope='project' AND scope_id=? ORDER BY id",
        (project.id,),
    ).fetchall()
    return call.paged(
        [_integration(call, project, name, json.loads(body)) for name, body in rows if json.loads(body)["active"]]
    )


@get(*(f"{one}/{{slug}}" for one in _ROOTS))
def integration(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    kept = _kept(call, "integration", "project", project.id, call.path["slug"])
    if kept is None:
        raise not_found("Integration")
    return _integration(call, project, call.path["slug"], kept)


@put(*(f"{one}/{{slug}}" for one in _ROOTS))
def set_integration(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    slug = call.path["slug"]
    if not re.fullmatch(r"[a-z][a-z0-9-]{1,40}", slug):
        raise not_found("Integration")
    kept = _kept(call, "integration", "project", project.id, slug)
    given = {
        name: value
        for name, value in call.args.items()
        if isinstance(value, str | int | bool) and name not in ("private_token", "sudo")
    }
    # Keys and tokens of other services are none of the journal's business: only that they were set is kept.
    plain = {name: "[set]" if re.search("token|password|key|secret", name) else value for name, value in given.items()}
    number = kept["id"] if kept else (call.store.value("SELECT max(id) FROM records") or 0) + 1
    now = call.store.now()
    body = {
        "id": number,
        "active": True,
        "properties": {**(kept["properties"] if kept else {}), **plain},
        "created_at": kept["created_at"] if kept else now,
        "updated_at": now,
    }
    _keep(call, "integration", "project", project.id, body, slug)
    return _integration(call, project, slug, body)


@delete(*(f"{one}/{{slug}}" for one in _ROOTS))
def drop_integration(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    kept = _kept(call, "integration", "project", project.id, call.path["slug"])
    if kept is None:
        raise not_found("Integration")
    _keep(call, "integration", "project", project.id, {**kept, "active": False, "properties": {}}, call.path["slug"])
    return no_content()


# -- job token scope, pages --------------------------------------------------------------------------------------

_SCOPE = "/projects/{id}/job_token_scope"


@get(_SCOPE)
def job_token_scope(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return _kept(call, "job_token_scope", "project", project.id) or {"inbound_enabled": True, "outbound_enabled": False}


@put(_SCOPE)
@patch(_SCOPE)
def change_job_token_scope(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("enabled")
    _keep(
        call,
        "job_token_scope",
        "project",
        project.id,
        {"inbound_enabled": call.boolean("enabled"), "outbound_enabled": False},
    )
    return no_content()


def _allowed(call: Call, project: Project, name: str = "") -> list[int]:
    return (_kept(call, "job_token_allowlist", "project", project.id, name) or {"ids": []})["ids"]  # type: ignore[no-any-return]  # a list of ids, written below


@get(f"{_SCOPE}/allowlist")
def allowlist(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rows = call.store.by_ids(Project, _allowed(call, project))
    return call.paged(shape_projects(call, list(rows.values()), simple=True))


@post(f"{_SCOPE}/allowlist")
def allow(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    other = call.project(name=call.filled("target_project_id"))
    ids = _allowed(call, project)
    if other.id in ids:
        raise refused(422, "Target project is already in the job token scope")
    _keep(call, "job_token_allowlist", "project", project.id, {"ids": [*ids, other.id]})
    return created({"source_project_id": project.id, "target_project_id": other.id})


@delete(f"{_SCOPE}/allowlist/{{target_id}}")
def disallow(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    ids = _allowed(call, project)
    if call.number("target_id") not in ids:
        raise not_found("Project")
    _keep(
        call,
        "job_token_allowlist",
        "project",
        project.id,
        {"ids": [one for one in ids if one != call.number("target_id")]},
    )
    return no_content()


@get(f"{_SCOPE}/groups_allowlist")
def group_allowlist(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rows = call.store.by_ids(Namespace, _allowed(call, project, "group"))
    return call.paged(
        list(rows.values()),
        lambda one: {"id": one.id, "web_url": f"{call.base}/groups/{one.full_path}", "name": one.name},
    )


@post(f"{_SCOPE}/groups_allowlist")
def allow_group(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    other = call.group(name=call.filled("target_group_id"))
    ids = _allowed(call, project, "group")
    if other.id in ids:
        raise refused(422, "Target group is already in the job token allowlist")
    _keep(call, "job_token_allowlist", "project", project.id, {"ids": [*ids, other.id]}, "group")
    return created({"source_project_id": project.id, "target_group_id": other.id})


@delete(f"{_SCOPE}/groups_allowlist/{{target_id}}")
def disallow_group(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    ids = _allowed(call, project, "group")
    if call.number("target_id") not in ids:
        raise not_found("Group")
    kept = [one for one in ids if one != call.number("target_id")]
    _keep(call, "job_token_allowlist", "project", project.id, {"ids": kept}, "group")
    return no_content()


_MIRROR = {"url": None, "enabled": False, "mirror_trigger_builds": False, "only_mirror_protected_branches": False}


def _pull_mirror(call: Call) -> Any:
    """Kept and shown; nothing is ever pulled into this company."""
    project = call.project(access.MAINTAINER)
    kept = {**_MIRROR, **(_kept(call, "pull_mirror", "project", project.id) or {})}
    if call.request.method != "GET":
        for name, default in _MIRROR.items():
            if call.has(name):
                kept[name] = call.boolean(name) if isinstance(default, bool) else call.text(name)
        _keep(call, "pull_mirror", "project", project.id, kept)
    shown = {
        "id": project.id,
        **kept,
        "last_error": None,
        "last_successful_update_at": None,
        "last_update_at": None,
        "last_update_started_at": None,
        "update_status": "none",
        "mirror_overwrites_diverged_branches": None,
        "mirror_branch_regex": None,
    }
    return Json(shown)


for _verb in (get, post, put):
    _verb("/projects/{id}/mirror/pull")(_pull_mirror)


@get("/projects/{id}/pages")
def pages(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    kept = _kept(call, "pages", "project", project.id) or {}
    return {
        "url": f"http://{project.path}.pages.{call.forge.company.world.host}",
        "is_unique_domain_enabled": kept.get("unique", True),
        "force_https": kept.get("https", False),
        "deployments": [],
        "primary_domain": None,
    }


@put("/projects/{id}/pages")
@patch("/projects/{id}/pages")
def change_pages(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    kept = _kept(call, "pages", "project", project.id) or {}
    if call.has("pages_unique_domain_enabled"):
        kept["unique"] = call.boolean("pages_unique_domain_enabled")
    if call.has("pages_https_only"):
        kept["https"] = call.boolean("pages_https_only")
    _keep(call, "pages", "project", project.id, kept)
    return pages(call)


@delete("/projects/{id}/pages")
def delete_pages(call: Call) -> Any:
    call.project(access.MAINTAINER)
    return no_content()
