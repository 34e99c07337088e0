"""Feature flags and the lists of users they are for."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.stored_resources import (
    StoredResource,
    picked,
    serve,
)
from dayjob.company.forge.errors import bad
from dayjob.company.forge.store import access


def _flag(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    names = ("name", "description", "active", "version", "created_at", "updated_at", "strategies")
    return {**picked(one, *names), "scopes": []}


def _check_flag(call: Call, values: dict[str, Any]) -> None:
    """Give strategies and scopes their ids; take out what is marked `_destroy`."""
    kept = []
    number = max([int(one["id"]) for one in values["strategies"] if str(one.get("id", "")).isdigit()] or [0])
    for one in values["strategies"]:
        if not isinstance(one, dict):
            raise bad("strategies is invalid")
        if str(one.get("_destroy", "")).lower() in ("true", "1"):
            continue
        number += 1
        scopes = [
            scope
            for scope in one.get("scopes") or [{"environment_scope": "*"}]
            if str(scope.get("_destroy", "")).lower() not in ("true", "1")
        ]
        kept.append(
            {
                "id": one.get("id") or number,
                "name": one.get("name", "default"),
                "parameters": one.get("parameters") or {},
                "user_list": None,
                "scopes": [
                    {"id": scope.get("id") or at, "environment_scope": scope.get("environment_scope", "*")}
                    for at, scope in enumerate(scopes, 1)
                ],
            }
        )
    values["strategies"] = kept


serve(
    StoredResource(
        "feature_flag",
        "/projects/{id}/feature_flags",
        "project",
        {"name": "", "description": "", "active": True, "version": "new_version_flag", "strategies": []},
        needs=("name",),
        key="name",
        unique="name",
        read=access.DEVELOPER,
        write=access.DEVELOPER,
        shape=_flag,
        prepare=_check_flag,
    )
)


def _user_list(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    shown = picked(one, "id", "name", "user_xids", "created_at", "updated_at", "project_id")
    return {**shown, "iid": one["id"], "path": "", "edit_path": ""}


serve(
    StoredResource(
        "feature_flag_user_list",
        "/projects/{id}/feature_flags_user_lists",
        "project",
        {"name": "", "user_xids": ""},
        needs=("name", "user_xids"),
        read=access.DEVELOPER,
        write=access.DEVELOPER,
        shape=_user_list,
    )
)
