"""Methods: signing in, presence, and what concerns the workspace as a whole."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import as_stamp
from dayjob.company.chat.api.session import sign_in
from dayjob.company.chat.defaults import VERSION
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.realtime.methods.calling import (
    Caller,
    mapping_of,
    method,
    text_of,
)
from dayjob.company.chat.store import Page
from dayjob.company.chat.store.accounts import STATUSES
from dayjob.company.journal import identify


@method("login")
def login(caller: Caller, wanted: Any) -> Any:
    found = sign_in(caller.store, mapping_of(wanted))
    if found is None:
        known = "resume" in wanted
        raise ChatError(
            "You've been logged out by the server. Please log in again."
            if known
            else "User not found or incorrect password",
            "403",
        )
    caller.somebody, caller.token = found
    identify(found[0].username)
    expires = caller.store.clock.now().timestamp() + 90 * 86400
    return {
        "id": found[0].id,
        "token": found[1],
        "tokenExpires": {"$date": int(expires * 1000)},
        "type": "resume" if "resume" in wanted else "password",
    }


@method("logout")
def logout(caller: Caller) -> None:
    if caller.token:
        caller.store.accounts.revoke(caller.token)
    caller.somebody = caller.token = None


@method("getUserRoles")
def user_roles(caller: Caller) -> Any:
    admins, _ = caller.store.access.users_in(caller.store.access.role("admin"), None, Page(count=0))
    return [{"_id": user.id, "username": user.username, "roles": user.role_list()} for user in admins]


@method("get-server-info")
def server_info(caller: Caller) -> Any:
    return {"version": VERSION}


@method("public-settings/get")
def public_settings(caller: Caller, since: Any = None) -> Any:
    found, _ = caller.store.settings.listing(Page(count=0), public=True)
    written = [shapes.setting(one) for one in found]
    return written if since is None else {"update": written, "remove": []}


@method("permissions/get")
def permissions(caller: Caller, since: Any = None) -> Any:
    found = [
        shapes.permission(one) for one in caller.store.access.permissions(as_stamp(since, "since") if since else "")
    ]
    return found if since is None else {"update": found, "remove": []}


@method("UserPresence:setDefaultStatus")
def default_status(caller: Caller, status: Any) -> None:
    caller.store.accounts.set_status(caller.user, status=text_of(status))


@method("setUserStatus")
def user_status(caller: Caller, status: Any = None, text: Any = None) -> None:
    if status is not None and status not in STATUSES:
        raise ChatError("Invalid status", "error-invalid-status")
    caller.store.accounts.set_status(caller.user, status=status, text=text if isinstance(text, str) else None)


@method("UserPresence:online")
def presence_online(caller: Caller) -> None:
    caller.store.accounts.connected(caller.user.id, "online")


@method("UserPresence:away")
def presence_away(caller: Caller) -> None:
    caller.store.accounts.connected(caller.user.id, "away")


@method("UserPresence:connect", "UserPresence:ping")
def presence_ping(caller: Caller) -> None:
    _ = caller.user


@method("spotlight")
def spotlight(caller: Caller, text: Any, without: Any = None, kinds: Any = None, room: Any = None) -> Any:
    users = caller.store.accounts.matching(text_of(text).lstrip("@#"), 5)
    rooms = caller.store.rooms.matching(text_of(text).lstrip("@#"), 5, caller.store.access.channels_of(caller.user))
    return {
        "users": [shapes.member(user) for user in users],
        "rooms": [{"_id": r.id, "name": r.name, "t": r.type} for r in rooms],
    }


@method("insertOrUpdateSound")
def save_sound(caller: Caller, wanted: Any) -> Any:
    wanted = mapping_of(wanted)
    caller.store.access.require(caller.user, "manage-sounds")
    id = wanted.get("_id")
    extension = wanted.get("extension")
    return caller.store.administration.save_sound(
        text_of(wanted.get("name")),
        extension if isinstance(extension, str) else "mp3",
        id if isinstance(id, str) else None,
    )


@method("deleteCustomSound")
def delete_sound(caller: Caller, id: Any) -> Any:
    caller.store.access.require(caller.user, "manage-sounds")
    caller.store.administration.delete_sound(text_of(id))
    return True
