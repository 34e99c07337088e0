"""Shelves of settings: badges, variables, keys and addresses of other kinds, custom attributes."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import delete, get, put
from dayjob.company.forge.api.shelf import (
    Shelf,
    find,
    listed,
    place,
    place_both,
    place_id,
    remove,
    shown,
)
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, invalid


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
