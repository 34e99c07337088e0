"""What the forge says of itself: version, metadata, settings, statistics, Markdown, namespaces, features."""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.api.call import Call, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import bad, not_found
from dayjob.company.forge.markdown import render
from dayjob.company.forge.shapes.projects import namespace
from dayjob.company.forge.shapes.users import avatar as user_avatar
from dayjob.company.forge.store import access, groups, namespaces, users
from dayjob.company.forge.store import settings as store_settings
from dayjob.company.forge.store.namespaces import VISIBILITY

VERSION, REVISION = "17.9.1", "dayjob0001"


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


@get("/application/settings")
def settings(call: Call) -> Any:
    call.admin()
    return store_settings.current(call.store)


@put("/application/settings")
def change_settings(call: Call) -> Any:
    call.admin()
    for name, default in store_settings.DEFAULTS.items():
        if not call.has(name) or name == "id":
            continue
        value = call.args[name]
        if isinstance(default, bool):
            value = call.boolean(name)
        elif isinstance(default, int):
            value = call.integer(name)
        elif name in store_settings.VISIBILITIES:
            value = call.choice(name, tuple(VISIBILITY))
        elif isinstance(value, Upload) or (name == "default_branch_name" and not isinstance(value, str | None)):
            raise bad(f"{name} is invalid")
        if value is None and default is not None:
            continue
        store_settings.change(call.store, name, value)
    call.forge.throttle.set(store_settings.current(call.store))
    return store_settings.current(call.store)


@get("/application/statistics")
def statistics(call: Call) -> Any:
    call.admin()
    return {name: f"{count:,}" for name, count in store_settings.statistics(call.store).items()}


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
    return {
        **texts,
        **known,
        "message_background_color": "#E75E40",
        "message_font_color": "#FFFFFF",
        "email_header_and_footer_enabled": False,
        **store_settings.appearance(call.store),
    }


@put("/application/appearance")
def change_appearance(call: Call) -> Any:
    found = appearance(call)
    found.update({name: value for name, value in call.args.items() if name in found and isinstance(value, str | bool)})
    store_settings.change_appearance(call.store, found)
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


@get("/namespaces")
def list_namespaces(call: Call) -> Any:
    listing = groups.namespaces_of(call.me, search=call.text("search"), owned=bool(call.boolean("owned_only")))
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
    taken = namespaces.exists(call.store, path)
    return {"exists": taken, "suggests": [f"{call.path['id']}1"] if taken else []}


# -- avatars, features -------------------------------------------------------------------------------------------


@get("/avatar")
def avatar(call: Call) -> Any:
    call.need("email")
    user = users.by_email(call.store, call.text("email"))
    return {"avatar_url": user_avatar(call, "user", user.id, user.avatar) if user else None}


@get("/features")
def features(call: Call) -> Any:
    call.admin()
    return store_settings.features(call.store)


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
    store_settings.set_feature(call.store, call.path["name"], found)
    return found


@delete("/features/{name}")
def delete_feature(call: Call) -> Any:
    call.admin()
    store_settings.delete_feature(call.store, call.path["name"])
    return no_content()
