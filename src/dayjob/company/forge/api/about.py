"""What the forge says of itself: version, metadata, settings, statistics, Markdown, namespaces, features."""

from __future__ import annotations

import json
import re
from typing import Any

from dayjob.company.forge.api.arguments import Upload, bad
from dayjob.company.forge.api.call import Call, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.markdown import render
from dayjob.company.forge.shapes.projects import namespace
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Listing, dumps, like, not_found
from dayjob.company.forge.store.namespaces import Namespace

VERSION, REVISION = "17.9.1", "dayjob0001"
SETTINGS: dict[str, Any] = {
    "id": 1,
    "default_projects_limit": 100000,
    "signup_enabled": False,
    "password_authentication_enabled_for_web": True,
    "password_authentication_enabled_for_git": True,
    "gravatar_enabled": False,
    "default_branch_protection": 2,
    "default_branch_name": None,
    "restricted_visibility_levels": [],
    "max_attachment_size": 100,
    "session_expire_delay": 10080,
    "default_project_visibility": "private",
    "default_snippet_visibility": "private",
    "default_group_visibility": "private",
    "home_page_url": None,
    "after_sign_out_path": None,
    "container_registry_token_expire_delay": 5,
    "repository_storages": ["default"],
    "plantuml_enabled": False,
    "user_oauth_applications": True,
    "bulk_import_enabled": False,
    "deletion_adjourned_period": 7,
    "allow_local_requests_from_web_hooks_and_services": True,
    "allow_local_requests_from_hooks_and_services": True,
    "throttle_authenticated_api_enabled": False,
    "throttle_authenticated_api_requests_per_period": 7200,
    "throttle_authenticated_api_period_in_seconds": 3600,
    "wiki_page_max_content_bytes": 52428800,
    "receive_max_input_size": None,
    "max_import_size": 0,
    "enforce_terms": False,
    "performance_bar_allowed_group_id": None,
    "instance_administration_project_id": None,
    "import_sources": ["gitlab_project"],
    "domain_allowlist": [],
    "domain_denylist_enabled": False,
    "domain_denylist": [],
    "first_day_of_week": 0,
    "version_check_enabled": False,
    "usage_ping_enabled": False,
    "require_admin_approval_after_user_signup": False,
    "project_export_enabled": True,
    "admin_mode": False,
    "disable_feed_token": False,
    "issues_create_limit": 0,
}


@get("/version")
def version(call: Call) -> Any:
    call.signed_in()
    return {"version": VERSION, "revision": REVISION}


@get("/metadata")
def metadata(call: Call) -> Any:
    call.signed_in()
    return {
        "version": VERSION,
        "revision": REVISION,
        "kas": {"enabled": False, "externalUrl": None, "externalK8sProxyUrl": None, "version": None},
        "enterprise": False,
    }


@post("/markdown")
def markdown(call: Call) -> Any:
    call.need("text")
    if call.text("project"):
        call.project(name=call.text("project"))
    html = render(call.text("text"))
    return {"html": re.sub(r"^<(p|h\d)>", r'<\1 dir="auto">', html)}


def settings_of(call: Call) -> dict[str, Any]:
    changed = {name: json.loads(value) for name, value in call.store.db.execute("SELECT name, value FROM settings")}
    return {**SETTINGS, **changed}


@get("/application/settings")
def settings(call: Call) -> Any:
    call.admin()
    return settings_of(call)


@put("/application/settings")
def change_settings(call: Call) -> Any:
    call.admin()
    for name, value in call.args.items():
        if name in ("id", "sudo", "private_token"):
            continue
        if name not in SETTINGS and not re.fullmatch(r"[a-z][a-z0-9_]{2,80}", name):
            continue
        kept = SETTINGS.get(name)
        if isinstance(kept, bool):
            value = call.boolean(name)
        elif isinstance(kept, int):
            value = call.integer(name)
        elif isinstance(value, Upload):
            raise bad(f"{name} is invalid")
        call.store.db.execute("INSERT OR REPLACE INTO settings VALUES (?,?)", (name, dumps(value)))
    call.forge.throttle.set(settings_of(call))
    return settings_of(call)


@get("/application/statistics")
def statistics(call: Call) -> Any:
    call.admin()

    def count(table: str, where: str = "1") -> str:
        return f"{call.store.value(f'SELECT count(*) FROM {table} WHERE {where}'):,}"

    return {
        "forks": count("projects", "forked_from IS NOT NULL"),
        "issues": count("issues"),
        "merge_requests": count("merge_requests"),
        "notes": count("notes"),
        "snippets": count("snippets"),
        "ssh_keys": count("ssh_keys"),
        "milestones": count("milestones"),
        "users": count("users"),
        "projects": count("projects"),
        "groups": count("namespaces", "kind='group'"),
        "active_users": count("users", "state='active' AND bot=0"),
    }


@get("/application/appearance")
def appearance(call: Call) -> Any:
    call.admin()
    known = dict.fromkeys(("logo", "header_logo", "favicon", "pwa_icon"))
    texts = dict.fromkeys(
        (
            "title",
            "description",
            "pwa_name",
            "pwa_short_name",
            "pwa_description",
            "member_guidelines",
            "new_project_guidelines",
            "profile_image_guidelines",
            "header_message",
            "footer_message",
        ),
        "",
    )
    changed = call.store.value("SELECT value FROM settings WHERE name='appearance'")
    return {
        **texts,
        **known,
        "message_background_color": "#E75E40",
        "message_font_color": "#FFFFFF",
        "email_header_and_footer_enabled": False,
        **(json.loads(changed) if changed else {}),
    }


@put("/application/appearance")
def change_appearance(call: Call) -> Any:
    found = appearance(call)
    found.update({name: value for name, value in call.args.items() if name in found and isinstance(value, str | bool)})
    call.store.db.execute("INSERT OR REPLACE INTO settings VALUES ('appearance', ?)", (dumps(found),))
    return found


@get("/license")
def license(call: Call) -> Any:
    """There is none to buy: like a community edition, this endpoint does not exist."""
    raise not_found()


@get("/sidekiq/queue_metrics")
def queue_metrics(call: Call) -> Any:
    call.admin()
    return {"queues": {"default": {"backlog": 0, "latency": 0}, "mailers": {"backlog": 0, "latency": 0}}}


@get("/sidekiq/process_metrics")
def process_metrics(call: Call) -> Any:
    call.admin()
    host = call.forge.company.world.host
    return {
        "processes": [
            {
                "hostname": host,
                "pid": 1,
                "tag": "gitlab",
                "queues": ["default"],
                "labels": [],
                "concurrency": 1,
                "busy": 0,
                "started_at": call.store.now(),
            }
        ]
    }


@get("/sidekiq/job_stats")
def job_stats(call: Call) -> Any:
    call.admin()
    return {"jobs": {"processed": 0, "failed": 0, "enqueued": 0, "dead": 0}}


@get("/sidekiq/compound_metrics")
def compound_metrics(call: Call) -> Any:
    return {**queue_metrics(call), **process_metrics(call), **job_stats(call)}


# -- namespaces --------------------------------------------------------------------------------------------------


def _spaces(call: Call) -> str:
    if call.me.admin:
        return "1"
    return f"(n.owner_id={call.me.id} OR n.id IN ({access.member_groups(call.me)}))"


@get("/namespaces")
def list_namespaces(call: Call) -> Any:
    where, args = _spaces(call), []
    if call.text("search"):
        where += " AND (n.path LIKE ? ESCAPE '\\' OR n.name LIKE ? ESCAPE '\\')"
        args += [like(call.text("search"))] * 2
    if call.boolean("owned_only"):
        where += f" AND (n.owner_id={call.me.id} OR n.id IN ({access.member_groups(call.me, 50)}))"
    listing = Listing(Namespace, f"FROM namespaces n WHERE {where}", args, "n.kind DESC, n.id ASC", "n")
    return call.listing(listing, lambda rows: [namespace(call, row) for row in rows])


@get("/namespaces/{id}")
def show_namespace(call: Call) -> Any:
    found = namespaces.find(call.store, call.path["id"])
    if found is None or not (
        call.me.admin or found.owner_id == call.me.id or access.group_level(call.store, call.me, found)
    ):
        raise not_found("Namespace")
    return namespace(call, found)


@get("/namespaces/{id}/exists")
def namespace_exists(call: Call) -> Any:
    call.signed_in()
    path = call.path["id"]
    parent = call.integer("parent_id")
    if parent is not None:
        above = namespaces.find(call.store, parent)
        path = f"{above.full_path}/{path}" if above else path
    taken = bool(call.store.value("SELECT 1 FROM namespaces WHERE full_path=?", path))
    return {"exists": taken, "suggests": [f"{call.path['id']}1"] if taken else []}


# -- avatars, features -------------------------------------------------------------------------------------------


@get("/avatar")
def avatar(call: Call) -> Any:
    call.need("email")
    found = call.store.db.execute("SELECT id, avatar FROM users WHERE email=?", (call.text("email"),)).fetchone()
    if found is None or not found[1]:
        return {"avatar_url": None}
    return {"avatar_url": f"{call.base}/uploads/-/system/user/avatar/{found[0]}/{found[1].partition(':')[2]}"}


@get("/features")
def features(call: Call) -> Any:
    call.admin()
    rows = call.store.db.execute("SELECT name, value FROM settings WHERE name LIKE 'feature/%' ORDER BY name")
    return [json.loads(value) for _, value in rows]


@post("/features/{name}")
def set_feature(call: Call) -> Any:
    call.admin()
    call.need("value")
    value = call.text("value")
    state = "on" if value == "true" else "off" if value == "false" else "conditional"
    if state == "conditional" and not value.isdigit():
        raise bad("value is invalid")
    gates: list[dict[str, Any]] = [{"key": "boolean", "value": value == "true"}]
    if state == "conditional":
        gates.append({"key": "percentage_of_time", "value": int(value)})
    found = {"name": call.path["name"], "state": state, "gates": gates, "definition": None}
    call.store.db.execute(
        "INSERT OR REPLACE INTO settings VALUES (?,?)", (f"feature/{call.path['name']}", dumps(found))
    )
    return found


@delete("/features/{name}")
def delete_feature(call: Call) -> Any:
    call.admin()
    call.store.db.execute("DELETE FROM settings WHERE name=?", (f"feature/{call.path['name']}",))
    return no_content()
