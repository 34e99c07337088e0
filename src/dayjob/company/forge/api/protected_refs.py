"""The rules that protect branches and tags: of projects, and of groups for all their projects."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post
from dayjob.company.forge.errors import bad
from dayjob.company.forge.rows.projects import Protection
from dayjob.company.forge.shapes import repository as shape
from dayjob.company.forge.store import access, protection

PROTECTED = "/projects/{id}/protected_branches"
LEVELS = (0, 30, 40, 60)


def _level(call: Call, single: str, several: str, default: int) -> int:
    if call.integer(single) is not None:
        number: int = call.integer(single)
    else:
        listed = call.args.get(several)
        numbers = []
        for one in listed if isinstance(listed, list) else []:
            if (
                isinstance(one, dict)
                and one.get("access_level") is not None
                and str(one.get("_destroy", "")).lower() not in ("true", "1")
            ):
                numbers.append(int(one["access_level"]) if str(one["access_level"]).isdigit() else -1)
        if not numbers:
            return default
        number = min(numbers)
    if number not in LEVELS:
        raise bad(f"{single} does not have a valid value")
    return number


def _levels(call: Call, old: Protection | None = None) -> dict[str, int]:
    """The levels among a request's arguments; what it does not name stays as it is, or is for maintainers."""
    push, merge, force = (old.push_level, old.merge_level, old.allow_force_push) if old else (40, 40, 0)
    return {
        "push_level": _level(call, "push_access_level", "allowed_to_push", push),
        "merge_level": _level(call, "merge_access_level", "allowed_to_merge", merge),
        "allow_force_push": int(bool(call.boolean("allow_force_push", bool(force)))),
    }


@get(PROTECTED)
def protected_branches(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    rules = protection.listed(call.store, project, "branch")
    if call.text("search"):
        rules = [rule for rule in rules if call.text("search").lower() in rule.name.lower()]
    return call.paged(rules, shape.protected_branch)


@get(f"{PROTECTED}/{{name}}")
def protected_branch(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    return shape.protected_branch(protection.get(call.store, project, "branch", call.path["name"]))


@post(PROTECTED)
def protect_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rule = protection.create(call.store, project, "branch", call.filled("name"), **_levels(call))
    return created(shape.protected_branch(rule))


@patch(f"{PROTECTED}/{{name}}")
def change_protected_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rule = protection.get(call.store, project, "branch", call.path["name"])
    return shape.protected_branch(protection.protect(call.store, project, "branch", rule.name, **_levels(call, rule)))


@delete(f"{PROTECTED}/{{name}}")
def unprotect_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rule = protection.get(call.store, project, "branch", call.path["name"])
    protection.unprotect(call.store, project, "branch", rule.name)
    return no_content()


GROUP_PROTECTED = "/groups/{id}/protected_branches"


@get(GROUP_PROTECTED)
def group_protected_branches(call: Call) -> Any:
    return call.paged(protection.group_rules(call.store, [call.group(access.OWNER).id]), shape.protected_branch)


@get(f"{GROUP_PROTECTED}/{{name}}")
def group_protected_branch(call: Call) -> Any:
    group = call.group(access.OWNER)
    return shape.protected_branch(protection.get_in_group(call.store, group, call.path["name"]))


@post(GROUP_PROTECTED)
def protect_in_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    rule = protection.create_in_group(call.store, group, call.filled("name"), **_levels(call))
    return created(shape.protected_branch(rule))


@patch(f"{GROUP_PROTECTED}/{{name}}")
def change_in_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    rule = protection.get_in_group(call.store, group, call.path["name"])
    return shape.protected_branch(protection.change_in_group(call.store, group, rule.name, **_levels(call, rule)))


@delete(f"{GROUP_PROTECTED}/{{name}}")
def unprotect_in_group(call: Call) -> Any:
    protection.unprotect_in_group(call.store, call.group(access.OWNER), call.path["name"])
    return no_content()


@get("/projects/{id}/protected_tags")
def protected_tags(call: Call) -> Any:
    return call.paged(protection.listed(call.store, call.project(access.MAINTAINER), "tag"), shape.protected_tag)


@get("/projects/{id}/protected_tags/{name}")
def protected_tag(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return shape.protected_tag(protection.get(call.store, project, "tag", call.path["name"]))


@post("/projects/{id}/protected_tags")
def protect_tag(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    level = _level(call, "create_access_level", "allowed_to_create", 40)
    rule = protection.create(call.store, project, "tag", call.filled("name"), push_level=level)
    return created(shape.protected_tag(rule))


@delete("/projects/{id}/protected_tags/{name}")
def unprotect_tag(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rule = protection.get(call.store, project, "tag", call.path["name"])
    protection.unprotect(call.store, project, "tag", rule.name)
    return no_content()
