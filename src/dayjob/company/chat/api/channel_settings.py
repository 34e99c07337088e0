"""channels.* and groups.*: roles in a room, and everything about a room that its keepers can change."""

from __future__ import annotations

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.channels import both, place
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.errors import ChatError, invalid, no_room
from dayjob.company.chat.store.members import ROOM_ROLES
from dayjob.company.rows import packed

# -- roles in a room ---------------------------------------------------------------------------------------------


def _role_endpoint(role: str, held: bool) -> None:
    def change_role(call: Call, kind: str, word: str) -> Answer:
        room = place(call, kind)
        call.store.access.require(call.user, f"set-{role}", room)
        call.store.members.set_role(room.id, call.the_user(), role, held=held, by=call.user)
        return {}

    verb = "add" if held else "remove"
    both("POST", f"{verb}{role.capitalize()}", takes="roomId roomName userId username")(change_role)


for _role in ROOM_ROLES:
    _role_endpoint(_role, True)
    _role_endpoint(_role, False)


# -- changing ----------------------------------------------------------------------------------------------------


def _text_endpoint(action: str, parameter: str, column: str) -> None:
    def set_text(call: Call, kind: str, word: str) -> Answer:
        room = place(call, kind)
        value = call.text(parameter)
        if value is None:
            raise ChatError(f'The bodyParam "{parameter}" is required')
        call.store.access.require(call.user, "edit-room", room)
        call.store.rooms.change(room, call.user, **{column: value})
        return {parameter: value}

    both("POST", action, takes=f"roomId roomName {parameter}")(set_text)


_text_endpoint("setTopic", "topic", "topic")
_text_endpoint("setAnnouncement", "announcement", "announcement")
_text_endpoint("setDescription", "description", "description")
_text_endpoint("setPurpose", "purpose", "description")


@both("POST", "rename", takes="roomId roomName name")
def rename(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    name = call.text("name")
    if not name or not name.strip():
        raise ChatError('The bodyParam "name" is required')
    call.store.access.require(call.user, "edit-room", room)
    if room.name == name:
        raise ChatError("The channel name is the same as what it would be renamed to.")
    return {word: shapes.room(call.store, call.store.rooms.rename(room, call.user, name))}


def _archive_endpoint(archived: bool) -> None:
    def archive(call: Call, kind: str, word: str) -> Answer:
        room = place(call, kind)
        call.store.access.require(call.user, "archive-room" if archived else "unarchive-room", room)
        if bool(room.archived) == archived:
            raise ChatError(f"The channel, {room.name}, is {'' if archived else 'not '}archived", "error-room-archived")
        call.store.rooms.change(room, call.user, archived=int(archived))
        return {}

    both("POST", "archive" if archived else "unarchive")(archive)


_archive_endpoint(True)
_archive_endpoint(False)


@both("POST", "setReadOnly", takes="roomId roomName readOnly:bool")
def set_read_only(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    call.store.access.require(call.user, "set-readonly", room)
    wanted = call.need_flag("readOnly")
    if bool(room.read_only) == wanted:
        raise ChatError("The channel read only setting is the same as what it would be changed to.")
    return {word: shapes.room(call.store, call.store.rooms.change(room, call.user, read_only=int(wanted)))}


@both("POST", "setType", takes="roomId roomName type")
def set_type(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    wanted = call.need("type")
    call.store.access.require(call.user, "edit-room", room)
    if room.type == wanted:
        raise ChatError("The channel type is the same as what it would be changed to.")
    return {word: shapes.room(call.store, call.store.rooms.set_type(room, call.user, wanted))}


@both("POST", "setCustomFields", takes="roomId roomName customFields:object")
def set_custom_fields(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    fields = call.mapping("customFields")
    if fields is None:
        raise ChatError('The bodyParam "customFields" is required with a type like object.')
    call.store.access.require(call.user, "edit-room", room)
    return {word: shapes.room(call.store, call.store.rooms.change(room, call.user, custom_fields=packed(fields)))}


@endpoint("POST", "channels.setDefault", takes="roomId roomName default:bool")
def set_default(call: Call) -> Answer:
    room = place(call, "c")
    call.require("edit-room")
    changed = call.store.rooms.change(room, call.user, is_default=int(call.need_flag("default")))
    return {"channel": shapes.room(call.store, changed)}


@endpoint("POST", "channels.setJoinCode", takes="roomId roomName joinCode")
def set_join_code(call: Call) -> Answer:
    room = place(call, "c")
    call.store.access.require(call.user, "edit-room", room)
    code = call.text("joinCode")
    if not code:
        raise ChatError('The bodyParam "joinCode" is required')
    return {"channel": shapes.room(call.store, call.store.rooms.change(room, call.user, join_code=code))}


@endpoint("POST", "groups.setEncrypted", takes="roomId roomName encrypted:bool")
def set_encrypted(call: Call) -> Answer:
    room = place(call, "p")
    call.store.access.require(call.user, "toggle-room-e2e-encryption", room)
    changed = call.store.rooms.change(room, call.user, encrypted=int(call.need_flag("encrypted")))
    return {"group": shapes.room(call.store, changed)}


@both("POST", "convertToTeam", takes="roomId roomName channelId channelName")
def convert_to_team(call: Call, kind: str, word: str) -> Answer:
    store = call.store
    id, name = call.text("roomId", "channelId"), call.text("roomName", "channelName")
    room = store.rooms.get(id) if id else store.rooms.named(name) if name else None
    if id is None and name is None:
        raise invalid('The parameter "channelId" or "channelName" is required')
    if room is None or room.type != kind:
        raise no_room()
    store.access.require(call.user, "create-team")
    store.access.require(call.user, "edit-room", room)
    if room.team_id:
        raise ChatError("room-already-in-team")
    team = store.teams.create(str(room.name), 0 if kind == "c" else 1, call.user, [], room=room)
    return {"team": shapes.team(store, team)}
