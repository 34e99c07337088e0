"""Settings that are one record each: notifications, push rules, the pull mirror, pages."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.store import access, records
from dayjob.company.forge.store.base import not_found, refused

_LEVELS = ("disabled", "participating", "watch", "global", "mention", "custom")


def _notification(call: Call, scope: str, owner: int) -> Any:
    default = {"level": "participating" if scope == "user" else "global"}
    if scope == "user":
        default["notification_email"] = call.me.email
    key = str(call.me.id)
    found = {**default, **(records.setting(call.store, "notification", scope, owner, key) or {})}
    if call.request.method == "PUT":
        if call.has("level"):
            found["level"] = call.choice("level", _LEVELS)
        if call.text("notification_email"):
            found["notification_email"] = call.text("notification_email")
        records.set_setting(call.store, "notification", scope, owner, found, key)
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
    kept = records.setting(call.store, "push_rule", scope, owner)
    method = call.request.method
    if method == "GET":
        return Json(None) if kept is None else kept
    if method == "DELETE":
        if kept is None:
            raise not_found("Push Rule")
        records.delete_setting(call.store, "push_rule", scope, owner)
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
    records.set_setting(call.store, "push_rule", scope, owner, body)
    return body


for _verb in (get, post, put, delete):
    _verb("/projects/{id}/push_rule")(lambda call: _push_rule(call, "project", call.project(access.MAINTAINER).id))
    _verb("/groups/{id}/push_rule")(lambda call: _push_rule(call, "group", call.group(access.MAINTAINER).id))


# -- pull mirror, pages ------------------------------------------------------------------------------------------------

_MIRROR = {"url": None, "enabled": False, "mirror_trigger_builds": False, "only_mirror_protected_branches": False}


def _pull_mirror(call: Call) -> Any:
    """Kept and shown; nothing is ever pulled into this company."""
    project = call.project(access.MAINTAINER)
    kept = {**_MIRROR, **(records.setting(call.store, "pull_mirror", "project", project.id) or {})}
    if call.request.method != "GET":
        for name, default in _MIRROR.items():
            if call.has(name):
                kept[name] = call.boolean(name) if isinstance(default, bool) else call.text(name)
        records.set_setting(call.store, "pull_mirror", "project", project.id, kept)
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
    kept = records.setting(call.store, "pages", "project", project.id) or {}
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
    kept = records.setting(call.store, "pages", "project", project.id) or {}
    if call.has("pages_unique_domain_enabled"):
        kept["unique"] = call.boolean("pages_unique_domain_enabled")
    if call.has("pages_https_only"):
        kept["https"] = call.boolean("pages_https_only")
    records.set_setting(call.store, "pages", "project", project.id, kept)
    return pages(call)


@delete("/projects/{id}/pages")
def delete_pages(call: Call) -> Any:
    call.project(access.MAINTAINER)
    return no_content()
