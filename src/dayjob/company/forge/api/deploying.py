"""Stored resources of what is deployed: environments, triggers, mirrors, pages domains, clusters."""

from __future__ import annotations

import secrets
from typing import Any

from dayjob.company.forge.api.call import Call, Json
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.api.stored_resources import (
    StoredResource,
    create,
    find,
    picked,
    serve,
    shown,
)
from dayjob.company.forge.store import access, records


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


_ENVIRONMENTS = StoredResource(
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
serve(_ENVIRONMENTS)


@post("/projects/{id}/environments/{key}/stop")
def stop_environment(call: Call) -> Any:
    environment = find(call, _ENVIRONMENTS, access.DEVELOPER)
    stopped = records.change(call.store, environment, {**environment.values, "state": "stopped"})
    return Json(shown(call, _ENVIRONMENTS, stopped))


def _trigger(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    shown = picked(one, "id", "token", "description", "created_at", "updated_at")
    return {**shown, "last_used": None, "owner": None, "expires_at": None}


def _give_token(call: Call, values: dict[str, Any]) -> None:
    values["token"] = values.get("token") or f"glptt-{secrets.token_hex(20)}"


serve(
    StoredResource(
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
        **picked(one, "id", "enabled", "url", "only_protected_branches", "keep_divergent_refs"),
        "update_status": "none",
        "last_error": None,
        "last_successful_update_at": None,
        "last_update_at": None,
        "last_update_started_at": None,
        "auth_method": one.get("auth_method") or "password",
    }


serve(
    StoredResource(
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


_DOMAINS = StoredResource(
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
serve(_DOMAINS)


@get("/pages/domains")
def all_domains(call: Call) -> Any:
    call.admin()
    return call.paged([shown(call, _DOMAINS, domain) for domain in records.of_kind(call.store, "pages_domain")])


def _cluster(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    platform = one["platform_kubernetes_attributes"]
    return {
        **picked(one, "id", "name", "domain", "created_at", "managed", "enabled", "environment_scope"),
        "provider_type": "user",
        "platform_type": "kubernetes",
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
    _resource = StoredResource(
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
    serve(_resource)
    post(f"/{_scope_name}s/{{id}}/clusters/user")(lambda call, resource=_resource: create(call, resource))
