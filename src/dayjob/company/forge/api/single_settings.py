"""Settings that are one record each: notifications, push rules, pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.store import access, push_rules, records
from dayjob.company.forge.store.members import Source

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


def _rule_values(call: Call) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, default in push_rules.DEFAULTS.items():
        if call.has(name):
            read = {bool: call.boolean, int: call.integer, str: call.text}[type(default)]
            values[name] = read(name)
    return values


def _register_push_rule(path: str, source: Callable[[Call], Source]) -> None:
    def show(call: Call) -> Any:
        return Json(push_rules.find(call.store, source(call)))

    def create(call: Call) -> Any:
        return push_rules.create(call.store, source(call), _rule_values(call))

    def change(call: Call) -> Any:
        return push_rules.change(call.store, source(call), _rule_values(call))

    def remove(call: Call) -> Any:
        push_rules.delete(call.store, source(call))
        return no_content()

    get(path)(show)
    post(path)(create)
    put(path)(change)
    delete(path)(remove)


_register_push_rule("/projects/{id}/push_rule", lambda call: call.project(access.MAINTAINER))
_register_push_rule("/groups/{id}/push_rule", lambda call: call.group(access.MAINTAINER))


# -- pages ------------------------------------------------------------------------------------------------------


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
