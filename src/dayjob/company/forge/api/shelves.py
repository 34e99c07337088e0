"""The shelves: badges, variables, environments, triggers, mirrors, pages domains, feature flags, topics and more."""

from __future__ import annotations

import json
import secrets
from typing import Any

from dayjob.company.forge.api.arguments import Upload, bad
from dayjob.company.forge.api.call import Call, Json, created
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.shapes.users import avatar
from dayjob.company.forge.api.shelf import (
    SELECT,
    Shelf,
    create,
    find,
    listed,
    place,
    place_both,
    place_id,
    remove,
    shown,
)
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, invalid, not_found

# -- badges, variables -------------------------------------------------------------------------------------------


def _badge(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": one["id"], "name": one["name"], "link_url": one["link_url"], "image_url": one["image_url"],
        "rendered_link_url": one["link_url"], "rendered_image_url": one["image_url"],
        "kind": "project" if "project_id" in one else "group",
    }  # fmt: skip


place_both(
    kind="badge",
    path="badges",
    fields={"link_url": "", "image_url": "", "name": None},
    needs=("link_url", "image_url"),
    title="Badge",
    shape=_badge,
)


def _variable(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    hidden = one.get("hidden") and ("project_id" in one or "group_id" in one)
    names = ("variable_type", "key", "protected", "masked", "hidden", "raw", "environment_scope", "description")
    found = {name: one.get(name) for name in names}
    found["value"] = None if hidden else one["value"]
    return found


def _check_variable(call: Call, values: dict[str, Any]) -> None:
    key = str(values.get("key") or "")
    if not key or not key.replace("_", "").isalnum() or not key.isascii() or len(key) > 255:
        raise invalid(key=["can contain only letters, digits and '_'."])
    if values["variable_type"] not in ("env_var", "file"):
        raise bad("variable_type does not have a valid value")
    if call.boolean("masked_and_hidden"):
        values["masked"] = values["hidden"] = True


_VARIABLE = {
    "key": "",
    "value": "",
    "variable_type": "env_var",
    "protected": False,
    "masked": False,
    "hidden": False,
    "raw": False,
    "environment_scope": "*",
    "description": None,
}
_VARIABLES: dict[str, Any] = {
    "kind": "variable",
    "fields": _VARIABLE,
    "needs": ("key", "value"),
    "key": "key",
    "unique": "key",
    "secret": ("value",),
    "read": access.MAINTAINER,
    "title": "Variable",
    "shape": _variable,
    "prepare": _check_variable,
}
place_both(path="variables", **_VARIABLES)
place(
    Shelf(path="/admin/ci/variables", scope="instance", **{**_VARIABLES, "read": access.OWNER, "write": access.OWNER})
)


# -- keys and addresses of other kinds ---------------------------------------------------------------------------


def _check_gpg(call: Call, values: dict[str, Any]) -> None:
    if "BEGIN PGP PUBLIC KEY BLOCK" not in str(values.get("key")):
        raise invalid(
            key=[
                "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends "
                "with '-----END PGP PUBLIC KEY BLOCK-----'"
            ]
        )


def _gpg(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {"id": one["id"], "key": one["key"], "created_at": one["created_at"]}


_GPG: dict[str, Any] = {
    "kind": "gpg_key",
    "fields": {"key": ""},
    "needs": ("key",),
    "title": "GPG Key",
    "shape": _gpg,
    "prepare": _check_gpg,
}
place(Shelf(path="/user/gpg_keys", scope="me", **_GPG))
place(Shelf(path="/users/{id}/gpg_keys", scope="user", **_GPG))


# -- environments, triggers, mirrors, pages ----------------------------------------------------------------------


def _environment(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    slug = "".join(letter if letter.isalnum() else "-" for letter in one["name"].lower())[:24]
    return {
        "id": one["id"],
        "name": one["name"],
        "slug": one.get("slug") or slug,
        "description": one.get("description"),
        "external_url": one.get("external_url"),
        "state": one.get("state", "available"),
        "tier": one.get("tier") or "other",
        "created_at": one["created_at"],
        "updated_at": one["updated_at"],
        "enable_advanced_logs_querying": False,
        "logs_api_path": None,
        "auto_stop_at": None,
        "auto_stop_setting": "always",
        "last_deployment": None,
    }


_ENVIRONMENTS = Shelf(
    "environment",
    "/projects/{id}/environments",
    "project",
    {"name": "", "external_url": None, "tier": None, "description": None, "state": "available"},
    needs=("name",),
    unique="name",
    read=access.REPORTER,
    write=access.DEVELOPER,
    title="Environment",
    shape=_environment,
)
place(_ENVIRONMENTS)


@post("/projects/{id}/environments/{key}/stop")
def stop_environment(call: Call) -> Any:
    row = find(call, _ENVIRONMENTS, access.DEVELOPER)
    call.store.update(
        "records", row[0], body=dumps({**json.loads(row[1]), "state": "stopped"}), updated_at=call.store.now()
    )
    return Json(shown(call, _ENVIRONMENTS, find(call, _ENVIRONMENTS, access.DEVELOPER)))


def _trigger(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": one["id"], "token": one["token"], "description": one["description"], "created_at": one["created_at"],
        "updated_at": one["updated_at"], "last_used": None, "owner": None, "expires_at": None,
    }  # fmt: skip


def _give_token(call: Call, values: dict[str, Any]) -> None:
    values["token"] = values.get("token") or f"glptt-{secrets.token_hex(20)}"


place(
    Shelf(
        "trigger",
        "/projects/{id}/triggers",
        "project",
        {"description": "", "token": None},
        needs=("description",),
        secret=("token",),
        read=access.MAINTAINER,
        title="Trigger",
        shape=_trigger,
        prepare=_give_token,
    )
)


def _mirror(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": one["id"],
        "enabled": one["enabled"],
        "url": one["url"],
        "only_protected_branches": one["only_protected_branches"],
        "keep_divergent_refs": one["keep_divergent_refs"],
        "update_status": "none",
        "last_error": None,
        "last_successful_update_at": None,
        "last_update_at": None,
        "last_update_started_at": None,
        "auth_method": one.get("auth_method") or "password",
    }


place(
    Shelf(
        "remote_mirror",
        "/projects/{id}/remote_mirrors",
        "project",
        {
            "url": "",
            "enabled": False,
            "only_protected_branches": False,
            "keep_divergent_refs": False,
            "auth_method": None,
        },
        needs=("url",),
        read=access.MAINTAINER,
        shape=_mirror,
    )
)


def _domain(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "domain": one["domain"],
        "url": f"http://{one['domain']}",
        "project_id": one.get("project_id"),
        "verified": False,
        "verification_code": "gitlab-pages-verification-code",
        "enabled_until": None,
        "auto_ssl_enabled": one["auto_ssl_enabled"],
    }


_DOMAINS = Shelf(
    "pages_domain",
    "/projects/{id}/pages/domains",
    "project",
    {"domain": "", "auto_ssl_enabled": False, "certificate": None, "key": None},
    needs=("domain",),
    key="domain",
    unique="domain",
    secret=("key",),
    read=access.MAINTAINER,
    title="Pages Domain",
    shape=_domain,
)
place(_DOMAINS)


@get("/pages/domains")
def all_domains(call: Call) -> Any:
    call.admin()
    rows = call.store.db.execute(
        "SELECT id, body, secret, created_at, updated_at, scope_id FROM records WHERE kind='pages_domain' ORDER BY id"
    ).fetchall()
    return call.paged([shown(call, _DOMAINS, row) for row in rows])


# -- feature flags -----------------------------------------------------------------------------------------------


def _flag(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": one["name"], "description": one["description"], "active": one["active"], "version": one["version"],
        "created_at": one["created_at"], "updated_at": one["updated_at"], "scopes": [], "strategies": one["strategies"],
    }  # fmt: skip


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


place(
    Shelf(
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
    return {
        **{name: one[name] for name in ("id", "name", "user_xids", "created_at", "updated_at", "project_id")},
        "iid": one["id"],
        "path": "",
        "edit_path": "",
    }


place(
    Shelf(
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


# -- clusters ----------------------------------------------------------------------------------------------------


def _cluster(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    platform = one["platform_kubernetes_attributes"]
    return {
        "id": one["id"],
        "name": one["name"],
        "domain": one["domain"],
        "created_at": one["created_at"],
        "managed": one["managed"],
        "enabled": one["enabled"],
        "provider_type": "user",
        "platform_type": "kubernetes",
        "environment_scope": one["environment_scope"],
        "cluster_type": "project_type" if "project_id" in one else "group_type",
        "namespace_per_environment": True,
        "user": None,
        "platform_kubernetes": {
            "api_url": platform.get("api_url"),
            "namespace": platform.get("namespace"),
            "authorization_type": "rbac",
            "ca_cert": None,
        },
    }


def _check_cluster(call: Call, values: dict[str, Any]) -> None:
    values["platform_kubernetes_attributes"] = {
        name: value for name, value in values["platform_kubernetes_attributes"].items() if name != "token"
    }


for _scope_name in ("project", "group"):
    _shelf = Shelf(
        "cluster",
        f"/{_scope_name}s/{{id}}/clusters",
        _scope_name,
        {
            "name": "",
            "domain": None,
            "enabled": True,
            "managed": True,
            "environment_scope": "*",
            "platform_kubernetes_attributes": {},
        },
        needs=("name",),
        read=access.MAINTAINER,
        shape=_cluster,
        prepare=_check_cluster,
    )
    place(_shelf)
    post(f"/{_scope_name}s/{{id}}/clusters/user")(lambda call, shelf=_shelf: create(call, shelf))


# -- the instance's own ------------------------------------------------------------------------------------------


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


# -- custom attributes -------------------------------------------------------------------------------------------


def _attribute(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {"key": one["key"], "value": one["value"]}


def _set_attribute(call: Call, shelf: Shelf) -> Any:
    owner = place_id(call, shelf, access.OWNER)
    call.admin()
    call.need("value")
    key, now = call.path["key"], call.store.now()
    body = dumps({"key": key, "value": call.text("value")})
    with call.store.transaction():
        call.store.db.execute(
            "DELETE FROM records WHERE kind='custom_attribute' AND scope=? AND scope_id=? AND name=?",
            (shelf.scope, owner, key),
        )
        call.store.insert(
            "records",
            kind="custom_attribute",
            scope=shelf.scope,
            scope_id=owner,
            name=key,
            body=body,
            created_at=now,
            updated_at=now,
        )
    return {"key": key, "value": call.text("value")}


for _scope_name in ("project", "group", "user"):
    _shelf = Shelf(
        "custom_attribute",
        f"/{_scope_name}s/{{id}}/custom_attributes",
        _scope_name,
        {"key": "", "value": ""},
        key="key",
        read=access.OWNER,
        write=access.OWNER,
        shape=_attribute,
    )
    _one = f"{_shelf.path}/{{key}}"
    get(_shelf.path)(lambda call, shelf=_shelf: listed(call, shelf))
    get(_one)(lambda call, shelf=_shelf: shown(call, shelf, find(call, shelf, shelf.read)))
    put(_one)(lambda call, shelf=_shelf: _set_attribute(call, shelf))
    delete(_one)(lambda call, shelf=_shelf: remove(call, shelf))
