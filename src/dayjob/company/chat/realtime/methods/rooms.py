"""Methods: rooms, who is in them, and telling them what is not a message."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import as_stamp
from dayjob.company.chat.errors import ChatError, no_room, not_allowed
from dayjob.company.chat.realtime.methods.calling import (
    Caller,
    mapping_of,
    method,
    names_of,
    people_of,
    room_of,
    text_of,
)
from dayjob.company.chat.store import Page


@method("rooms/get", "getRooms")
def rooms(caller: Caller, since: Any = None) -> Any:
    after = as_stamp(since, "since") if since else ""
    found, _ = caller.store.rooms.joined(caller.user, "cpdl", Page(count=0), since=after)
    written = shapes.rooms(caller.store, found)
    if not after:
        return written
    gone = [{"_id": room, "_deletedAt": at} for _, room, at in caller.store.members.left_since(caller.user, after)]
    return {"update": written, "remove": gone}


@method("subscriptions/get")
def subscriptions(caller: Caller, since: Any = None) -> Any:
    after = as_stamp(since, "since") if since else ""
    found = [shapes.subscription(caller.store, one) for one in caller.store.members.of_user(caller.user, after)]
    if not after:
        return found
    gone = [{"_id": id, "_deletedAt": at} for id, _, at in caller.store.members.left_since(caller.user, after)]
    return {"update": found, "remove": gone}


@method("getRoomById")
def room_by_id(caller: Caller, id: Any) -> Any:
    return shapes.room(caller.store, room_of(caller, id))


@method("getRoomByTypeAndName")
def room_by_name(caller: Caller, kind: Any, name: Any) -> Any:
    store = caller.store
    found = store.rooms.get(text_of(name)) or store.rooms.named(text_of(name))
    if found is None or found.type != kind or not store.access.may_read(caller.user, found):
        raise no_room("Invalid room")
    return shapes.room(store, found)


@method("getRoomIdByNameOrId")
def room_id(caller: Caller, name: Any) -> Any:
    found = caller.store.rooms.get(text_of(name)) or caller.store.rooms.named(text_of(name))
    return room_of(caller, found.id if found else name).id


@method("getRoomNameById")
def room_name(caller: Caller, id: Any) -> Any:
    return room_of(caller, id).name


@method("createChannel")
def create_channel(caller: Caller, name: Any, members: Any = None, read_only: Any = False) -> Any:
    return _create(caller, "c", name, members or [], bool(read_only))


@method("createPrivateGroup")
def create_group(caller: Caller, name: Any, members: Any = None, read_only: Any = False) -> Any:
    return _create(caller, "p", name, members or [], bool(read_only))


def _create(caller: Caller, kind: str, name: Any, members: Any, read_only: bool) -> Any:
    caller.store.access.require(caller.user, f"create-{kind}")
    room = caller.store.rooms.create(
        kind, text_of(name), caller.user, members=people_of(caller, names_of(members)), read_only=read_only
    )
    return {"rid": room.id, "name": room.name}


@method("createDirectMessage")
def create_direct(caller: Caller, *names: Any) -> Any:
    room = caller.store.rooms.open_direct(caller.user, people_of(caller, [text_of(name) for name in names]))
    return {"rid": room.id, "t": "d", "usernames": shapes.room(caller.store, room)["usernames"]}


@method("joinRoom")
def join_room(caller: Caller, id: Any, code: Any = None) -> Any:
    room = room_of(caller, id)
    caller.store.members.join(room, caller.user, code if isinstance(code, str) else None)
    return True


@method("leaveRoom")
def leave_room(caller: Caller, id: Any) -> None:
    with caller.store.change():
        caller.store.members.leave(room_of(caller, id), caller.user)


@method("addUsersToRoom", "addUserToRoom")
def add_users(caller: Caller, wanted: Any) -> Any:
    wanted = mapping_of(wanted)
    room = room_of(caller, wanted.get("rid"))
    names = wanted.get("users") or [wanted.get("username")]
    with caller.store.change():
        for user in people_of(caller, names_of(names)):
            caller.store.members.invite(room, caller.user, user)
    return True


@method("removeUserFromRoom")
def remove_user(caller: Caller, wanted: Any) -> Any:
    wanted = mapping_of(wanted)
    room = room_of(caller, wanted.get("rid"))
    caller.store.access.require(caller.user, "remove-user", room)
    caller.store.members.kick(room, caller.user, people_of(caller, [text_of(wanted.get("username"))])[0])
    return True


@method("eraseRoom")
def erase_room(caller: Caller, id: Any) -> None:
    room = room_of(caller, id)
    caller.store.access.require(caller.user, f"delete-{room.type}", room)
    caller.store.rooms.delete(room)


@method("archiveRoom")
def archive_room(caller: Caller, id: Any) -> None:
    room = room_of(caller, id)
    caller.store.access.require(caller.user, "archive-room", room)
    caller.store.rooms.change(room, caller.user, archived=1)


@method("unarchiveRoom")
def unarchive_room(caller: Caller, id: Any) -> None:
    room = room_of(caller, id)
    caller.store.access.require(caller.user, "unarchive-room", room)
    caller.store.rooms.change(room, caller.user, archived=0)


@method("saveRoomSettings")
def save_room_setting(caller: Caller, id: Any, name: Any, value: Any = None) -> Any:
    room = room_of(caller, id)
    caller.store.access.require(caller.user, "edit-room", room)
    wanted = name if isinstance(name, dict) else {text_of(name): value}
    columns = {"roomTopic": "topic", "roomAnnouncement": "announcement", "roomDescription": "description"}
    with caller.store.change():
        for key, one in wanted.items():
            if key in columns:
                room = caller.store.rooms.change(room, caller.user, **{columns[key]: text_of(one)})
            elif key == "roomName":
                room = caller.store.rooms.rename(room, caller.user, text_of(one))
            elif key == "readOnly" and isinstance(one, bool):
                caller.store.rooms.require_settings(room, caller.user, {"read_only": int(one)})
                room = caller.store.rooms.change(room, caller.user, read_only=int(one))
            else:
                raise ChatError("Invalid settings provided", "error-invalid-settings")
    return {"result": True, "rid": room.id}


@method("openRoom")
def open_room(caller: Caller, id: Any) -> Any:
    member = caller.store.members.must(room_of(caller, id).id, caller.user.id)
    caller.store.members.change(member, open=1)
    return 1


@method("hideRoom")
def hide_room(caller: Caller, id: Any) -> Any:
    member = caller.store.members.must(room_of(caller, id).id, caller.user.id)
    caller.store.members.change(member, open=0)
    return 1


@method("toggleFavorite")
def toggle_favorite(caller: Caller, id: Any, favorite: Any = None) -> Any:
    member = caller.store.members.must(room_of(caller, id).id, caller.user.id)
    wanted = favorite if isinstance(favorite, bool) else not member.favorite
    caller.store.members.change(member, favorite=int(wanted))
    return 1


@method("getUsersOfRoom")
def users_of_room(caller: Caller, id: Any, everybody: Any = True, paging: Any = None) -> Any:
    room = room_of(caller, id)
    statuses = None if everybody else ["online", "away", "busy"]
    found, total = caller.store.members.listing(room, Page(count=0), statuses=statuses)
    return {"total": total, "records": [shapes.member(user) for user in found]}


@method("stream-notify-room")
def notify_room(caller: Caller, event: Any, *arguments: Any) -> None:
    """Typing and the like: passed on to whoever listens in the room, kept nowhere."""
    id, _, kind = text_of(event).partition("/")
    if kind not in ("typing", "user-activity", "webrtc", "recording", "uploading"):
        raise not_allowed()
    room = room_of(caller, id)
    if arguments and arguments[0] not in (caller.user.username, caller.user.name):
        raise not_allowed("Only one's own name can be told")
    caller.chat.hub.tell("stream-notify-room", f"{room.id}/{kind}", list(arguments))
