"""The workspace as a whole: version, settings, statistics, licence, directory and search across it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from starlette.responses import JSONResponse

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.channels import COLUMNS as ROOM_COLUMNS
from dayjob.company.chat.api.endpoints import Answer, Endpoint, add, endpoint, listed
from dayjob.company.chat.api.users import COLUMNS as USER_COLUMNS
from dayjob.company.chat.defaults import VERSION
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.store import Page
from dayjob.company.chat.store.conditions import holding
from dayjob.company.chat.store.rooms import NO_DISCUSSIONS


def info(call: Call) -> Answer:
    about: dict[str, Any] = {"version": VERSION, "info": {"version": VERSION}}
    if call.somebody is not None and call.store.access.can(call.somebody, "view-statistics"):
        about["info"] |= {"build": {"platform": "dayjob", "arch": "any"}, "marketplaceApiVersion": "1.0.0"}
    return about | {
        "minimumClientVersions": {"desktop": "3.9.6", "mobile": "4.39.0"},
        "supportedVersions": {"signed": ""},
    }


for _path in ("/api/info", "/api/v1/info"):
    add(Endpoint("GET", _path, info, False, "", False, ()))


# -- settings ----------------------------------------------------------------------------------------------------

_SETTING_COLUMNS = {"_id": "id", "value": "value", "type": "type"}


@endpoint("GET", "settings.public", takes="_id count:int offset:int sort query fields", auth=False)
def settings_public(call: Call) -> Answer:
    page = call.page(_SETTING_COLUMNS)
    ids = call.texts("_id")
    if query := call.mapping("query") if call.query.get("query") else None:
        wanted = query.get("_id")
        if isinstance(wanted, dict) and isinstance(wanted.get("$in"), list):
            ids = [one for one in wanted["$in"] if isinstance(one, str)]
        elif isinstance(wanted, str):
            ids = [wanted]
    found, total = call.store.settings.listing(page, public=True, ids=ids)
    written = [{"_id": one.id, "value": json.loads(one.value), "enterprise": False} for one in found]
    return listed("settings", written, total, page.offset)


@endpoint("GET", "settings", takes="count:int offset:int sort", needs="view-privileged-setting edit-privileged-setting")
def settings(call: Call) -> Answer:
    page = call.page(_SETTING_COLUMNS)
    found, total = call.store.settings.listing(page, public=False)
    return listed("settings", [shapes.setting(one) for one in found], total, page.offset)


@endpoint("GET", "settings/{id}", needs="view-privileged-setting")
def setting(call: Call) -> Answer:
    found = call.store.settings.find(call.path["id"])
    if found is None:
        raise ChatError("Setting not found", status=404)
    return {"_id": found.id, "value": json.loads(found.value)}


@endpoint("POST", "settings/{id}", takes="value:any", needs="edit-privileged-setting")
def set_setting(call: Call) -> Answer:
    if "value" not in call.parameters:
        raise invalid("must have required property 'value'")
    call.store.settings.set(call.path["id"], call.parameters["value"])
    return {}


@endpoint("GET", "settings.oauth", auth=False)
def settings_oauth(call: Call) -> Answer:
    return {"services": []}


@endpoint("POST", "settings.addCustomOAuth", takes="name", needs="edit-privileged-setting")
def add_custom_oauth(call: Call) -> Answer:
    name = call.need("name")
    call.store.settings.add(f"Accounts_OAuth_Custom-{name[:60].capitalize()}", False, "OAuth")
    return {}


@endpoint("GET", "service.configurations", auth=False)
def service_configurations(call: Call) -> Answer:
    return {"configurations": []}


# -- statistics and licence --------------------------------------------------------------------------------------


def _statistics(call: Call) -> dict[str, Any]:
    figures, mark = call.store.statistics.figures(), hashlib.sha256(call.chat.company.world.slug.encode()).hexdigest()
    return {
        "_id": mark[:17],
        "wizard": {},
        "uniqueId": mark[:17],
        "installedAt": figures.installed_at,
        "deploymentFingerprintHash": mark,
        "deploymentFingerprintVerified": True,
        "version": VERSION,
        "totalUsers": figures.users,
        "activeUsers": figures.active_users,
        "nonActiveUsers": figures.users - figures.active_users,
        "onlineUsers": figures.statuses["online"],
        "awayUsers": figures.statuses["away"],
        "busyUsers": figures.statuses["busy"],
        "offlineUsers": figures.statuses["offline"],
        "totalRooms": sum(figures.rooms.values()),
        "totalChannels": figures.rooms.get("c", 0),
        "totalPrivateGroups": figures.rooms.get("p", 0),
        "totalDirect": figures.rooms.get("d", 0),
        "totalLivechat": figures.rooms.get("l", 0),
        "totalDiscussions": figures.discussions,
        "totalThreads": figures.threads,
        "totalMessages": sum(figures.messages.values()),
        "totalChannelMessages": figures.messages.get("c", 0),
        "totalPrivateGroupMessages": figures.messages.get("p", 0),
        "totalDirectMessages": figures.messages.get("d", 0),
        "totalLivechatMessages": figures.messages.get("l", 0),
        "uploadsTotal": figures.uploads,
        "uploadsTotalSize": figures.uploaded_bytes,
        "teams": {"totalTeams": figures.teams},
        "createdAt": call.store.now(),
    }


@endpoint("GET", "statistics", takes="refresh:bool", needs="view-statistics")
def statistics(call: Call) -> Answer:
    return _statistics(call)


@endpoint("GET", "statistics.list", takes="count:int offset:int", needs="view-statistics")
def statistics_list(call: Call) -> Answer:
    page = call.page()
    found = [_statistics(call)][page.offset :]
    return listed("statistics", found, 1, page.offset)


@endpoint("GET", "licenses.info", takes="loadValues:bool")
def licenses_info(call: Call) -> Answer:
    return {
        "license": {
            "activeModules": [],
            "externalModules": [],
            "preventedActions": {},
            "limits": {},
            "tags": [],
            "trial": False,
            "hasValidLicense": False,
        }
    }


@endpoint("GET", "licenses.get", needs="view-privileged-setting")
def licenses_get(call: Call) -> Answer:
    return {"licenses": []}


@endpoint("GET", "licenses.maxActiveUsers")
def licenses_max(call: Call) -> Answer:
    return {"maxActiveUsers": 0, "activeUsers": call.store.accounts.active_count()}


@endpoint("GET", "licenses.isEnterprise")
def is_enterprise(call: Call) -> Answer:
    return {"isEnterprise": False}


@endpoint("GET", "banners", takes="platform")
def banners(call: Call) -> Answer:
    if call.text("platform") not in ("web", "mobile"):
        raise ChatError("Invalid platform", "error-unknown-platform")
    return {"banners": []}


@endpoint("GET", "banners/{id}", takes="platform")
def banner(call: Call) -> Answer:
    return banners(call)


@endpoint("POST", "banners.dismiss", takes="bannerId")
def dismiss_banner(call: Call) -> Answer:
    call.need("bannerId")
    raise ChatError("Banner not found")


@endpoint("POST", "video-conference/jitsi.update-timeout", takes="roomId joiningNow:bool")
def jitsi_timeout(call: Call) -> Answer:
    if call.store.rooms.get(call.need("roomId")) is None:
        raise ChatError("Invalid room", "error-invalid-room")
    return {"jitsiTimeout": call.store.now()}


# -- finding across the workspace --------------------------------------------------------------------------------


@endpoint("GET", "spotlight", takes="query")
def spotlight(call: Call) -> Answer:
    text = call.text("query")
    if text is None:
        raise ChatError("The 'query' parameter must be provided.", "error-invalid-params")
    kind, text = text[:1], text.lstrip("@#")
    store = call.store
    users = [] if kind == "#" else store.accounts.matching(text, 5)
    known = NO_DISCUSSIONS & store.rooms.known_to(call.user)
    rooms = [] if kind == "@" or not text else store.rooms.matching(text, 5, known)
    return {
        "users": [
            shapes.given({"_id": u.id, "name": u.name, "username": u.username, "status": u.status, "outside": True})
            for u in users
        ],
        "rooms": [
            shapes.given({"_id": r.id, "name": r.name, "t": r.type, "lastMessage": None, "uids": None}) for r in rooms
        ],
    }


@endpoint("GET", "directory", takes="query text type workspace count:int offset:int sort")
def directory(call: Call) -> Answer:
    wanted = call.mapping("query") if call.query.get("query") else {}
    wanted = wanted or {}
    text = call.text("text") or wanted.get("text") or ""
    kind = call.text("type") or wanted.get("type") or "channels"
    if not isinstance(text, str) or not isinstance(kind, str):
        raise invalid("text and type must be strings")
    if kind == "users":
        page = call.page(USER_COLUMNS)
        found, total = call.store.accounts.directory(page, text)
        return listed("result", [shapes.seen_by(call.store, call.user, user) for user in found], total, page.offset)
    if kind == "teams":
        page = call.page()
        teams, total = call.store.teams.listing(Page(page.offset, page.count), seen_by=call.user, text=text)
        shown = [shapes.room(call.store, call.store.rooms.must(team.room_id)) for team in teams]
        return listed("result", shown, total, page.offset)
    if kind not in ("channels", "posts"):
        raise ChatError("Please verify the parameters")
    call.store.access.require(call.user, "view-c-room")
    page = call.page(ROOM_COLUMNS)
    rooms, total = call.store.rooms.readable_channels(call.user, page, holding(text, "name", "topic"))
    return listed("result", shapes.rooms(call.store, rooms), total, page.offset)


@endpoint("GET", "openapi.json", auth=False)
def openapi(call: Call) -> Answer:
    from dayjob.company.chat.openapi import description

    return JSONResponse(description())
