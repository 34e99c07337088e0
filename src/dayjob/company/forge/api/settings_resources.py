"""Stored resources that are settings: badges, variables, keys and addresses of other kinds, custom attributes."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import delete, get, put
from dayjob.company.forge.api.stored_resources import (
    StoredResource,
    find,
    listed,
    remove,
    scope_id,
    serve,
    serve_both,
    shown,
)
from dayjob.company.forge.errors import bad, invalid
from dayjob.company.forge.store import access, records


def _badge(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": one["id"], "name": one["name"], "link_url": one["link_url"], "image_url": one["image_url"],
        "rendered_link_url": one["link_url"], "rendered_image_url": one["image_url"],
        "kind": "project" if "project_id" in one else "group",
    }  # fmt: skip


serve_both(
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
serve_both(path="variables", **_VARIABLES)
serve(
    StoredResource(
        path="/admin/ci/variables", scope="instance", **{**_VARIABLES, "read": access.OWNER, "write": access.OWNER}
    )
)


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
serve(StoredResource(path="/user/gpg_keys", scope="me", **_GPG))
serve(StoredResource(path="/users/{id}/gpg_keys", scope="user", **_GPG))


def _attribute(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    return {"key": one["key"], "value": one["value"]}


def _set_attribute(call: Call, resource: StoredResource) -> Any:
    owner = scope_id(call, resource, access.OWNER)
    call.admin()
    call.need("value")
    key, value = call.path["key"], call.text("value")
    records.set_custom_attribute(call.store, resource.scope, owner, key, value)
    return {"key": key, "value": value}


for _scope_name in ("project", "group", "user"):
    _resource = StoredResource(
        "custom_attribute",
        f"/{_scope_name}s/{{id}}/custom_attributes",
        _scope_name,
        {"key": "", "value": ""},
        key="key",
        read=access.OWNER,
        write=access.OWNER,
        shape=_attribute,
    )
    _one = f"{_resource.path}/{{key}}"
    get(_resource.path)(lambda call, resource=_resource: listed(call, resource))
    get(_one)(lambda call, resource=_resource: shown(call, resource, find(call, resource, resource.read)))
    put(_one)(lambda call, resource=_resource: _set_attribute(call, resource))
    delete(_one)(lambda call, resource=_resource: remove(call, resource))
