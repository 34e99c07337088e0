"""Stored resources of the instance: broadcast messages, topics, status checks, member roles."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.routes import post
from dayjob.company.forge.api.stored_resources import StoredResource, picked, serve, shown
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.shapes.users import avatar
from dayjob.company.forge.store import access, topics


def _broadcast(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    shown = picked(
        one, "id", "message", "starts_at", "ends_at", "color", "font", "target_path", "target_access_levels",
        "broadcast_type", "dismissable", "theme",
    )  # fmt: skip
    return {**shown, "active": True}


def _check_broadcast(call: Call, values: dict[str, Any]) -> None:
    values["starts_at"] = values.get("starts_at") or call.store.now()
    values["ends_at"] = values.get("ends_at") or call.store.now()


serve(
    StoredResource(
        "broadcast",
        "/broadcast_messages",
        "instance",
        {
            "message": "",
            "starts_at": None,
            "ends_at": None,
            "color": "#E75E40",
            "font": "#FFFFFF",
            "target_path": None,
            "target_access_levels": [],
            "broadcast_type": "banner",
            "dismissable": False,
            "theme": None,
        },
        needs=("message",),
        write=access.OWNER,
        shape=_broadcast,
        prepare=_check_broadcast,
    )
)


def _topic(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": one["id"],
        "name": one["name"],
        "title": one["title"] or one["name"],
        "description": one["description"],
        "total_projects_count": topics.projects_count(call.store, one["name"]),
        "organization_id": 1,
        "avatar_url": avatar(call, "topic", one["id"], one.get("avatar")),
    }


def _keep_picture(call: Call, values: dict[str, Any]) -> None:
    if isinstance(image := call.args.get("avatar"), Upload):
        values["avatar"] = keep_avatar(call, image)
    elif "avatar" in call.args:
        values["avatar"] = None


_TOPICS = StoredResource(
    "topic",
    "/topics",
    "instance",
    {"name": "", "title": None, "description": None},
    needs=("name",),
    unique="name",
    write=access.OWNER,
    shape=_topic,
    prepare=_keep_picture,
)
serve(_TOPICS)


@post("/topics/merge")
def merge_topics(call: Call) -> Any:
    call.admin()
    call.need("source_topic_id", "target_topic_id")
    target = topics.merge(call.store, call.integer("source_topic_id"), call.integer("target_topic_id"))
    return created(shown(call, _TOPICS, target))


def _status_check(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {**picked(one, "id", "name", "external_url", "project_id"), "hmac": False, "protected_branches": []}


serve(
    StoredResource(
        "status_check",
        "/projects/{id}/external_status_checks",
        "project",
        {"name": "", "external_url": ""},
        needs=("name", "external_url"),
        unique="name",
        read=access.MAINTAINER,
        shape=_status_check,
    )
)


def _role(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in ("created_at", "updated_at")}


_ROLE = {
    "name": "",
    "description": None,
    "base_access_level": 10,
    **dict.fromkeys(
        (
            "admin_web_hook",
            "admin_merge_request",
            "admin_cicd_variables",
            "read_code",
            "read_vulnerability",
            "admin_vulnerability",
            "admin_group_member",
            "manage_project_access_tokens",
            "archive_project",
            "remove_project",
            "admin_terraform_state",
            "admin_push_rules",
        ),
        False,
    ),
}
serve(
    StoredResource(
        "member_role",
        "/member_roles",
        "instance",
        _ROLE,
        needs=("name", "base_access_level"),
        write=access.OWNER,
        shape=_role,
    )
)
