"""The instance's own shelves: broadcast messages, topics, status checks, member roles."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.routes import post
from dayjob.company.forge.api.shelf import (
    SELECT,
    Shelf,
    place,
    shown,
)
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.shapes.users import avatar
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, not_found


def _broadcast(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    names = (
        "id",
        "message",
        "starts_at",
        "ends_at",
        "color",
        "font",
        "target_path",
        "target_access_levels",
        "broadcast_type",
        "dismissable",
        "theme",
    )
    return {**{name: one.get(name) for name in names}, "active": True}


def _check_broadcast(call: Call, values: dict[str, Any]) -> None:
    values["starts_at"] = values.get("starts_at") or call.store.now()
    values["ends_at"] = values.get("ends_at") or call.store.now()


place(
    Shelf(
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
    used = call.store.value(
        "SELECT count(*) FROM projects p, json_each(p.topics) t WHERE t.value=? COLLATE NOCASE", one["name"]
    )
    return {
        "id": one["id"],
        "name": one["name"],
        "title": one["title"] or one["name"],
        "description": one["description"],
        "total_projects_count": used,
        "organization_id": 1,
        "avatar_url": avatar(call, "topic", one["id"], one.get("avatar")),
    }


def _keep_picture(call: Call, values: dict[str, Any]) -> None:
    if isinstance(image := call.args.get("avatar"), Upload):
        values["avatar"] = keep_avatar(call, image)
    elif "avatar" in call.args:
        values["avatar"] = None


_TOPICS = Shelf(
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
place(_TOPICS)


@post("/topics/merge")
def merge_topics(call: Call) -> Any:
    """Projects with the source topic get the target topic; the source goes away."""
    call.admin()
    call.need("source_topic_id", "target_topic_id")
    rows = [
        call.store.db.execute(f"{SELECT} AND id=?", ("topic", "instance", 0, call.integer(name))).fetchone()
        for name in ("source_topic_id", "target_topic_id")
    ]
    if None in rows or rows[0][0] == rows[1][0]:
        raise not_found()
    source, target = (json.loads(row[1])["name"] for row in rows)
    with call.store.transaction():
        for project_id, topics in call.store.db.execute("SELECT id, topics FROM projects").fetchall():
            listed = json.loads(topics)
            if source in listed:
                call.store.update(
                    "projects",
                    project_id,
                    topics=dumps(list(dict.fromkeys(target if one == source else one for one in listed))),
                )
        call.store.delete("records", rows[0][0])
    return created(shown(call, _TOPICS, rows[1]))


def _status_check(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {name: one[name] for name in ("id", "name", "external_url", "project_id")} | {
        "hmac": False,
        "protected_branches": [],
    }


place(
    Shelf(
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
place(
    Shelf(
        "member_role",
        "/member_roles",
        "instance",
        _ROLE,
        needs=("name", "base_access_level"),
        write=access.OWNER,
        shape=_role,
    )
)
