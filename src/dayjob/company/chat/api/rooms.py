"""rooms.*: what does not depend on the kind of room."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.channels import COLUMNS, room_files
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid, no_room, not_allowed
from dayjob.company.chat.rows import Room
from dayjob.company.chat.store import Page
from dayjob.company.chat.store.rooms import CHANNELS_AND_GROUPS
from dayjob.company.rows import packed

ANY = "cpdl"


@endpoint("GET", "rooms.get", takes="updatedSince")
def get(call: Call) -> Answer:
    store, since = call.store, call.since()
    found, _ = store.rooms.joined(call.user, ANY, Page(count=0), since=since)
    gone = (
        [{"_id": room, "_deletedAt": at} for _, room, at in store.members.left_since(call.user, since)] if since else []
    )
    return {"update": shapes.rooms(store, found), "remove": gone}


@endpoint("GET", "rooms.info", takes="roomId roomName")
def info(call: Call) -> Answer:
    room = call.readable(call.the_room(ANY))
    answer: dict[str, Any] = {"room": shapes.room(call.store, room)}
    if room.team_id:
        answer["team"] = shapes.team(call.store, call.store.teams.find(id=room.team_id))
    if room.parent_id and (parent := call.store.rooms.get(room.parent_id)):
        answer["parent"] = shapes.room(call.store, parent, last=False)
    return answer


@endpoint("GET", "rooms.nameExists", takes="roomName")
def name_exists(call: Call) -> Answer:
    return {"exists": call.store.rooms.named(call.need("roomName")) is not None}


@endpoint("POST", "rooms.delete", takes="roomId")
def delete(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("roomId"))
    if room is None:
        raise no_room()
    call.store.access.require(call.user, f"delete-{room.type}", room)
    call.store.rooms.delete(room)
    return {}


@endpoint("POST", "rooms.leave", takes="roomId roomName")
def leave(call: Call) -> Answer:
    room = call.the_room(ANY)
    with call.store.change():
        call.store.members.leave(room, call.user)
    return {}


@endpoint("POST", "rooms.join", takes="roomId roomName joinCode")
def join(call: Call) -> Answer:
    room = call.the_room(ANY)
    if not call.store.access.may_read(call.user, room):
        raise not_allowed()
    call.store.members.join(room, call.user, call.text("joinCode"))
    return {"room": shapes.room(call.store, call.store.rooms.must(room.id))}


def _open(call: Call, wanted: bool) -> Answer:
    room = call.the_room(ANY)
    member = call.store.members.find(room.id, call.user.id)
    if member is None:
        raise not_allowed()
    if bool(member.open) != wanted:
        call.store.members.change(member, open=int(wanted))
    return {}


endpoint("POST", "rooms.open", takes="roomId")(lambda call: _open(call, True))
endpoint("POST", "rooms.hide", takes="roomId")(lambda call: _open(call, False))


@endpoint("POST", "rooms.favorite", takes="roomId roomName favorite:bool")
def favorite(call: Call) -> Answer:
    if call.get("favorite") is None:
        raise ChatError("The 'favorite' param is required")
    room = call.the_room(ANY)
    member = call.store.members.find(room.id, call.user.id)
    if member is None:
        raise ChatError("You must be part of a room to favorite it", "error-invalid-subscription")
    call.store.members.change(member, favorite=int(call.flag("favorite")))
    return {}


_NOTIFICATIONS = {
    "disableNotifications": bool, "muteGroupMentions": bool, "hideUnreadStatus": bool, "hideMentionStatus": bool,
    "desktopNotifications": str, "mobilePushNotifications": str, "emailNotifications": str, "unreadAlert": str,
    "audioNotificationValue": str, "desktopNotificationDuration": str, "mobileNotifications": str,
}  # fmt: skip


@endpoint("POST", "rooms.saveNotification", takes="roomId notifications:object")
def save_notification(call: Call) -> Answer:
    room = call.the_room(ANY)
    member = call.store.members.find(room.id, call.user.id)
    if member is None:
        raise not_allowed()
    wanted = call.need_mapping("notifications")
    kept = json.loads(member.notifications)
    for name, value in wanted.items():
        kind = _NOTIFICATIONS.get(name)
        if kind is None:
            raise ChatError(f"Invalid settings {name}", "error-invalid-settings")
        if kind is bool:
            kept[name] = value in (True, 1, "1", "true")
        elif isinstance(value, str | int):
            kept[name] = str(value)
        else:
            raise invalid(f"notifications/{name} must be string")
    call.store.members.change(member, notifications=packed(kept))
    return {}


@endpoint(
    "POST",
    "rooms.cleanHistory",
    takes="roomId latest oldest inclusive:bool limit:int excludePinned:bool filesOnly:bool users:list "
    "ignoreThreads:bool ignoreDiscussion:bool",
)
def clean_history(call: Call) -> Answer:
    room = call.the_room(ANY)
    latest, oldest = call.moment("latest"), call.moment("oldest")
    if latest is None:
        raise ChatError('Body parameter "latest" is required.')
    if oldest is None:
        raise ChatError('Body parameter "oldest" is required.')
    call.store.access.require(call.user, "clean-channel-history", room)
    count = call.store.history.clean(
        room, latest=latest, oldest=oldest, inclusive=call.flag("inclusive"), users=call.texts("users"),
        limit=max(call.number("limit"), 0), keep_pinned=call.flag("excludePinned"), files_only=call.flag("filesOnly"),
        keep_threads=call.flag("ignoreThreads"), keep_discussions=call.flag("ignoreDiscussion"),
    )  # fmt: skip
    return {"_id": room.id, "count": count}


# -- discussions -------------------------------------------------------------------------------------------------


@endpoint("POST", "rooms.createDiscussion", takes="prid pmid t_name reply users:list encrypted:bool")
def create_discussion(call: Call) -> Answer:
    store = call.store
    if not store.settings.get("Discussion_enabled"):
        raise not_allowed()
    call.require("start-discussion", "start-discussion-other-user")
    title, message_id = call.text("t_name"), call.text("pmid")
    if not title:
        raise ChatError('Body parameter "t_name" is required.')
    parent_id = call.text("prid")
    if message_id is not None:
        parent_id = store.messages.must(message_id).room_id
    if not parent_id:
        raise ChatError('Body parameter "prid" is required.')
    parent = store.rooms.get(parent_id)
    if parent is None or not store.access.may_read(call.user, parent):
        raise ChatError("Invalid room", "error-invalid-room")
    room = store.rooms.start_discussion(
        parent, title, call.user, members=call.the_users(call.items("users")), message_id=message_id,
        reply=call.text("reply") or "",
    )  # fmt: skip
    return {"discussion": shapes.room(store, room) | {"rid": room.id}}


@endpoint("GET", "rooms.getDiscussions", takes="roomId roomName count:int offset:int sort")
def get_discussions(call: Call) -> Answer:
    room = call.readable(call.the_room(ANY))
    page = call.page(COLUMNS)
    found, total = call.store.rooms.discussions(room, page)
    return listed("discussions", shapes.rooms(call.store, found), total, page.offset)


# -- administration ----------------------------------------------------------------------------------------------


@endpoint(
    "GET", "rooms.adminRooms", takes="filter types:list count:int offset:int sort", needs="view-room-administration"
)
def admin_rooms(call: Call) -> Answer:
    page = call.page(COLUMNS)
    types = [one for one in call.texts("types") if one in ("c", "p", "d", "l")]
    text, rooms = call.text("filter") or "", call.store.rooms
    if not types and "teams" in call.texts("types"):
        found, total = rooms.of_teams(page, text)
    else:
        found, total = rooms.of_types(types or ("c", "p", "d", "l"), page, text)
    return listed("rooms", shapes.rooms(call.store, found), total, page.offset)


@endpoint("GET", "rooms.adminRooms.getRoom", takes="rid", needs="view-room-administration")
def admin_room(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid"))
    if room is None:
        raise not_allowed()
    return shapes.room(call.store, room)


@endpoint("GET", "rooms.autocomplete.adminRooms", takes="selector:any", needs="view-room-administration")
def autocomplete_admin(call: Call) -> Answer:
    return {"items": shapes.rooms(call.store, call.store.rooms.matching(_selected(call), 10, CHANNELS_AND_GROUPS))}


@endpoint("GET", "rooms.autocomplete.channelAndPrivate", takes="selector:any")
def autocomplete(call: Call) -> Answer:
    return {"items": shapes.rooms(call.store, _visible(call, 10))}


@endpoint("GET", "rooms.autocomplete.channelAndPrivate.withPagination", takes="selector:any count:int offset:int sort")
def autocomplete_paged(call: Call) -> Answer:
    page = call.page()
    found = _visible(call, 1000)
    shown = found[page.offset : page.offset + page.count] if page.count else found[page.offset :]
    return {"items": shapes.rooms(call.store, shown), "total": len(found)}


@endpoint("GET", "rooms.autocomplete.availableForTeams", takes="name")
def autocomplete_for_teams(call: Call) -> Answer:
    found = call.store.rooms.free_for_teams(call.user, call.text("name") or "", 10)
    return {"items": shapes.rooms(call.store, found)}


def _visible(call: Call, limit: int) -> list[Room]:
    rooms = call.store.rooms
    return rooms.matching(_selected(call), limit, rooms.known_to(call.user))


def _selected(call: Call) -> str:
    selector = call.mapping("selector")
    if selector is None:
        raise ChatError("The 'selector' param is required")
    name = selector.get("name", "")
    if not isinstance(name, str):
        raise invalid("selector/name must be string")
    return name


@endpoint(
    "POST", "rooms.saveRoomSettings",
    takes="rid roomName roomTopic roomAnnouncement roomDescription roomType readOnly:bool reactWhenReadOnly:bool "
    "default:bool joinCode roomCustomFields:object featured:bool encrypted:bool systemMessages:list",
)  # fmt: skip
def save_settings(call: Call) -> Answer:
    store = call.store
    room = store.rooms.get(call.need("rid"))
    if room is None:
        raise ChatError("Invalid room", "error-invalid-room")
    store.access.require(call.user, "edit-room", room)
    values: dict[str, Any] = {}
    for name, column in (
        ("roomTopic", "topic"),
        ("roomAnnouncement", "announcement"),
        ("roomDescription", "description"),
        ("joinCode", "join_code"),
    ):
        if (text := call.text(name)) is not None:
            values[column] = text
    for name, column in (
        ("readOnly", "read_only"),
        ("reactWhenReadOnly", "react_read_only"),
        ("default", "is_default"),
        ("featured", "featured"),
        ("encrypted", "encrypted"),
    ):
        if call.get(name) is not None:
            values[column] = int(call.flag(name))
    if "is_default" in values or "featured" in values:
        call.require("view-room-administration")
    if (custom := call.mapping("roomCustomFields")) is not None:
        values["custom_fields"] = packed(custom)
    if (hidden := call.get("systemMessages")) is not None:
        lines = call.texts("systemMessages") if isinstance(hidden, list) else None
        values["hidden_lines"] = store.rooms.hiding(lines)
    store.rooms.require_settings(room, call.user, values)
    with store.change():
        if values:
            room = store.rooms.change(room, call.user, **values)
        if (new_name := call.text("roomName")) and new_name != room.name:
            room = store.rooms.rename(room, call.user, new_name)
        if (kind := call.text("roomType")) and kind != room.type:
            room = store.rooms.set_type(room, call.user, kind)
    return {"rid": room.id}


@endpoint("POST", "rooms.changeArchivationState", takes="rid action")
def change_archivation(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid"))
    if room is None:
        raise no_room()
    archived = call.text("action") == "archive"
    call.store.access.require(call.user, "archive-room" if archived else "unarchive-room", room)
    call.store.rooms.change(room, call.user, archived=int(archived))
    return {}


def _mute(call: Call, muted: bool) -> Answer:
    room = call.the_room("cp")
    call.store.access.require(call.user, "mute-user", room)
    name = call.text("username")
    if name is None:
        name = call.the_user().username
    call.store.rooms.set_muted(room, call.user, name, muted)
    return {}


endpoint("POST", "rooms.muteUser", takes="roomId username userId")(lambda call: _mute(call, True))
endpoint("POST", "rooms.unmuteUser", takes="roomId username userId")(lambda call: _mute(call, False))


@endpoint("POST", "rooms.export", takes="rid type format dateFrom dateTo messages:list toEmails")
def export(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid"))
    if room is None or not call.store.access.may_read(call.user, room):
        raise not_allowed()
    if call.text("type") not in ("file", "email"):
        raise ChatError("Invalid export type", "error-invalid-params")
    call.store.access.require(call.user, "mail-messages")
    return {"missing": []}


@endpoint("GET", "rooms.images", takes="roomId startingFromId count:int offset:int")
def images(call: Call) -> Answer:
    room = call.readable(call.the_room(ANY))
    call.query["typeGroup"] = "image"
    return room_files(call, room)


@endpoint("GET", "rooms.roles", takes="rid")
def roles(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid"))
    if room is None or not call.store.access.may_read(call.user, room):
        raise not_allowed()
    return {"roles": [shapes.role_holder(*pair) for pair in call.store.members.holders(room.id)]}


@endpoint("GET", "rooms.isMember", takes="roomId roomName userId username")
def is_member(call: Call) -> Answer:
    room = call.readable(call.the_room(ANY))
    return {"isMember": call.store.members.find(room.id, call.the_user().id) is not None}


@endpoint("GET", "rooms.membersOrderedByRole", takes="roomId roomName filter status:list count:int offset:int sort")
def members_by_role(call: Call) -> Answer:
    room = call.readable(call.the_room("cp"))
    page = call.page(order="m.roles = '[]', u.username")
    found, total = call.store.members.listing(room, page, text=call.text("filter") or "", statuses=call.texts("status"))
    members = []
    for user in found:
        member = call.store.members.must(room.id, user.id)
        members.append(shapes.member(user) | {"roles": member.role_list()})
    return listed("members", members, total, page.offset)
