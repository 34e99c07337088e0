"""The methods of the realtime wire, by name. Most do what a REST endpoint does, with arguments by position."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dayjob.company.chat import wire
from dayjob.company.chat.api.call import as_stamp
from dayjob.company.chat.api.messages import attachments_of, send
from dayjob.company.chat.api.session import sign_in
from dayjob.company.chat.defaults import VERSION
from dayjob.company.chat.errors import ChatError, Unauthenticated, no_room, no_user, not_allowed
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Page, Store
from dayjob.company.chat.store.accounts import STATUSES
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat


@dataclass(slots=True)
class Caller:
    """Who calls a method, and where from; `login` and `logout` change it."""

    chat: Chat
    somebody: User | None
    token: str | None
    base: str

    @property
    def user(self) -> User:
        if self.somebody is None:
            raise Unauthenticated()
        return self.somebody

    @property
    def store(self) -> Store:
        return self.chat.store


Method = Callable[..., Any]
METHODS: dict[str, Method] = {}


def method(*names: str) -> Callable[[Method], Method]:
    def register(function: Method) -> Method:
        for name in names:
            METHODS[name] = function
        return function

    return register


def run_method(caller: Caller, name: str, parameters: list[Any]) -> Any:
    """Call a method; too few, too many or misshapen arguments are refused, never a crash."""
    function = METHODS.get(name)
    if function is None:
        raise ChatError(f"Method '{name[:100]}' not found", "404")
    code = function.__code__
    wanted = code.co_argcount - 1
    if len(parameters) < wanted - len(function.__defaults__ or ()):
        raise ChatError("Match failed", "400")
    if caller.somebody is not None:
        identify(caller.somebody.username)
    takes_any = code.co_flags & inspect.CO_VARARGS
    return function(caller, *(parameters if takes_any else parameters[:wanted]))


# -- arguments ---------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ChatError("Match failed", "400")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ChatError("Match failed", "400")
    return value


def _room(caller: Caller, id: Any) -> Room:
    room = caller.store.rooms.get(_text(id))
    if room is None:
        raise no_room("Invalid room")
    if not caller.store.access.may_read(caller.user, room):
        raise not_allowed()
    return room


def _message(caller: Caller, value: Any) -> Message:
    id = value.get("_id") if isinstance(value, dict) else value
    found = caller.store.messages.must(_text(id))
    _room(caller, found.room_id)
    return found


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ChatError("Match failed", "400")
    return value


def _people(caller: Caller, names: list[str]) -> list[User]:
    found = [caller.store.accounts.named(name) for name in names]
    if any(one is None for one in found):
        raise no_user()
    return [one for one in found if one is not None]


# -- signing in --------------------------------------------------------------------------------------------------


@method("login")
def login(caller: Caller, wanted: Any) -> Any:
    found = sign_in(caller.store, _mapping(wanted))
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
    written = [wire.setting(one) for one in found]
    return written if since is None else {"update": written, "remove": []}


@method("permissions/get")
def permissions(caller: Caller, since: Any = None) -> Any:
    found = [wire.permission(one) for one in caller.store.access.permissions(as_stamp(since, "since") if since else "")]
    return found if since is None else {"update": found, "remove": []}


# -- rooms -------------------------------------------------------------------------------------------------------


@method("rooms/get", "getRooms")
def rooms(caller: Caller, since: Any = None) -> Any:
    after = as_stamp(since, "since") if since else ""
    found, _ = caller.store.rooms.joined(caller.user, "cpdl", Page(count=0), "r.updated_at > ?", (after,))
    written = wire.rooms(caller.store, found)
    if not after:
        return written
    gone = [{"_id": room, "_deletedAt": at} for _, room, at in caller.store.members.left_since(caller.user, after)]
    return {"update": written, "remove": gone}


@method("subscriptions/get")
def subscriptions(caller: Caller, since: Any = None) -> Any:
    after = as_stamp(since, "since") if since else ""
    found = [wire.subscription(caller.store, one) for one in caller.store.members.of_user(caller.user, after)]
    if not after:
        return found
    gone = [{"_id": id, "_deletedAt": at} for id, _, at in caller.store.members.left_since(caller.user, after)]
    return {"update": found, "remove": gone}


@method("getRoomById")
def room_by_id(caller: Caller, id: Any) -> Any:
    return wire.room(caller.store, _room(caller, id))


@method("getRoomByTypeAndName")
def room_by_name(caller: Caller, kind: Any, name: Any) -> Any:
    store = caller.store
    found = store.rooms.get(_text(name)) or store.rooms.named(_text(name))
    if found is None or found.type != kind or not store.access.may_read(caller.user, found):
        raise no_room("Invalid room")
    return wire.room(store, found)


@method("getRoomIdByNameOrId")
def room_id(caller: Caller, name: Any) -> Any:
    found = caller.store.rooms.get(_text(name)) or caller.store.rooms.named(_text(name))
    return _room(caller, found.id if found else name).id


@method("getRoomNameById")
def room_name(caller: Caller, id: Any) -> Any:
    return _room(caller, id).name


@method("createChannel")
def create_channel(caller: Caller, name: Any, members: Any = None, read_only: Any = False) -> Any:
    return _create(caller, "c", name, members or [], bool(read_only))


@method("createPrivateGroup")
def create_group(caller: Caller, name: Any, members: Any = None, read_only: Any = False) -> Any:
    return _create(caller, "p", name, members or [], bool(read_only))


def _create(caller: Caller, kind: str, name: Any, members: Any, read_only: bool) -> Any:
    caller.store.access.require(caller.user, f"create-{kind}")
    room = caller.store.rooms.create(
        kind, _text(name), caller.user, members=_people(caller, _names(members)), read_only=read_only
    )
    return {"rid": room.id, "name": room.name}


@method("createDirectMessage")
def create_direct(caller: Caller, *names: Any) -> Any:
    room = caller.store.rooms.open_direct(caller.user, _people(caller, [_text(name) for name in names]))
    return {"rid": room.id, "t": "d", "usernames": wire.room(caller.store, room)["usernames"]}


@method("joinRoom")
def join_room(caller: Caller, id: Any, code: Any = None) -> Any:
    room = _room(caller, id)
    caller.store.members.join(room, caller.user, code if isinstance(code, str) else None)
    return True


@method("leaveRoom")
def leave_room(caller: Caller, id: Any) -> None:
    with caller.store.change():
        caller.store.members.leave(_room(caller, id), caller.user)


@method("addUsersToRoom", "addUserToRoom")
def add_users(caller: Caller, wanted: Any) -> Any:
    wanted = _mapping(wanted)
    room = _room(caller, wanted.get("rid"))
    names = wanted.get("users") or [wanted.get("username")]
    with caller.store.change():
        for user in _people(caller, _names(names)):
            caller.store.members.invite(room, caller.user, user)
    return True


@method("removeUserFromRoom")
def remove_user(caller: Caller, wanted: Any) -> Any:
    wanted = _mapping(wanted)
    room = _room(caller, wanted.get("rid"))
    caller.store.access.require(caller.user, "remove-user", room)
    caller.store.members.kick(room, caller.user, _people(caller, [_text(wanted.get("username"))])[0])
    return True


@method("eraseRoom")
def erase_room(caller: Caller, id: Any) -> None:
    room = _room(caller, id)
    caller.store.access.require(caller.user, f"delete-{room.type}", room)
    caller.store.rooms.delete(room)


@method("archiveRoom")
def archive_room(caller: Caller, id: Any) -> None:
    room = _room(caller, id)
    caller.store.access.require(caller.user, "archive-room", room)
    caller.store.rooms.change(room, caller.user, archived=1)


@method("unarchiveRoom")
def unarchive_room(caller: Caller, id: Any) -> None:
    room = _room(caller, id)
    caller.store.access.require(caller.user, "unarchive-room", room)
    caller.store.rooms.change(room, caller.user, archived=0)


@method("saveRoomSettings")
def save_room_setting(caller: Caller, id: Any, name: Any, value: Any = None) -> Any:
    room = _room(caller, id)
    caller.store.access.require(caller.user, "edit-room", room)
    wanted = name if isinstance(name, dict) else {_text(name): value}
    columns = {"roomTopic": "topic", "roomAnnouncement": "announcement", "roomDescription": "description"}
    with caller.store.change():
        for key, one in wanted.items():
            if key in columns:
                room = caller.store.rooms.change(room, caller.user, **{columns[key]: _text(one)})
            elif key == "roomName":
                room = caller.store.rooms.rename(room, caller.user, _text(one))
            elif key == "readOnly" and isinstance(one, bool):
                room = caller.store.rooms.change(room, caller.user, read_only=int(one))
            else:
                raise ChatError("Invalid settings provided", "error-invalid-settings")
    return {"result": True, "rid": room.id}


@method("openRoom")
def open_room(caller: Caller, id: Any) -> Any:
    member = caller.store.members.must(_room(caller, id).id, caller.user.id)
    caller.store.members.change(member, open=1)
    return 1


@method("hideRoom")
def hide_room(caller: Caller, id: Any) -> Any:
    member = caller.store.members.must(_room(caller, id).id, caller.user.id)
    caller.store.members.change(member, open=0)
    return 1


@method("toggleFavorite")
def toggle_favorite(caller: Caller, id: Any, favorite: Any = None) -> Any:
    member = caller.store.members.must(_room(caller, id).id, caller.user.id)
    wanted = favorite if isinstance(favorite, bool) else not member.favorite
    caller.store.members.change(member, favorite=int(wanted))
    return 1


@method("getUsersOfRoom")
def users_of_room(caller: Caller, id: Any, everybody: Any = True, paging: Any = None) -> Any:
    room = _room(caller, id)
    statuses = None if everybody else ["online", "away", "busy"]
    found, total = caller.store.members.listing(room, Page(count=0), statuses=statuses)
    return {"total": total, "records": [wire.member(user) for user in found]}


# -- messages ----------------------------------------------------------------------------------------------------


@method("sendMessage")
def send_message(caller: Caller, message: Any, previews: Any = None) -> Any:
    return wire.message(caller.store, send(caller.store, caller.user, _mapping(message)))


@method("updateMessage")
def update_message(caller: Caller, message: Any, previews: Any = None) -> None:
    found = _message(caller, _mapping(message))
    text = message.get("msg")
    if not isinstance(text, str):
        raise ChatError("Match failed", "400")
    attachments = attachments_of(message.get("attachments"))
    caller.store.messages.edit(found, caller.user, text, attachments)


@method("deleteMessage")
def delete_message(caller: Caller, message: Any) -> None:
    caller.store.messages.delete(_message(caller, _mapping(message)), caller.user)


@method("setReaction")
def set_reaction(caller: Caller, emoji: Any, id: Any, should: Any = None) -> None:
    found = _message(caller, id)
    caller.store.messages.react(found, caller.user, _text(emoji), should if isinstance(should, bool) else None)


@method("pinMessage")
def pin_message(caller: Caller, message: Any) -> Any:
    return wire.message(caller.store, caller.store.messages.pin(_message(caller, message), caller.user))


@method("unpinMessage")
def unpin_message(caller: Caller, message: Any) -> Any:
    caller.store.messages.unpin(_message(caller, message), caller.user)
    return True


@method("starMessage")
def star_message(caller: Caller, message: Any) -> Any:
    starred = _mapping(message).get("starred", True)
    caller.store.messages.star(_message(caller, message), caller.user, bool(starred))
    return True


@method("followMessage")
def follow_message(caller: Caller, wanted: Any) -> Any:
    caller.store.messages.follow(_message(caller, _mapping(wanted).get("mid")), caller.user, True)
    return True


@method("unfollowMessage")
def unfollow_message(caller: Caller, wanted: Any) -> Any:
    caller.store.messages.follow(_message(caller, _mapping(wanted).get("mid")), caller.user, False)
    return True


@method("getSingleMessage")
def single_message(caller: Caller, id: Any) -> Any:
    return wire.message(caller.store, _message(caller, id))


@method("getMessages")
def get_messages(caller: Caller, ids: Any) -> Any:
    return [wire.message(caller.store, _message(caller, id)) for id in _names(ids)]


@method("getThreadMessages")
def thread_messages(caller: Caller, wanted: Any) -> Any:
    root = _message(caller, _mapping(wanted).get("tmid"))
    found, _ = caller.store.history.thread(root, Page(count=50))
    return wire.messages(caller.store, [root, *found])


@method("loadHistory")
def load_history(caller: Caller, id: Any, before: Any = None, count: Any = 20, last_seen: Any = None) -> Any:
    room = _room(caller, id)
    latest = as_stamp(before, "end") if before else None
    limit = count if isinstance(count, int) and not isinstance(count, bool) and 0 < count <= 1000 else 20
    found = caller.store.history.between(room, latest=latest, count=limit, threads=False)
    seen = as_stamp(last_seen, "ls") if last_seen else None
    first, unread = caller.store.history.unread_from(room, caller.user, oldest=seen)
    answer: dict[str, Any] = {
        "messages": wire.messages(caller.store, found),
        "unreadNotLoaded": max(unread - len(found), 0),
    }
    if first is not None:
        answer["firstUnread"] = wire.message(caller.store, first)
    return answer


@method("loadMissedMessages")
def load_missed(caller: Caller, id: Any, since: Any) -> Any:
    room = _room(caller, id)
    found = caller.store.history.between(room, oldest=as_stamp(since, "start"), count=0, threads=False)
    return wire.messages(caller.store, found)


@method("loadNextMessages")
def load_next(caller: Caller, id: Any, since: Any = None, limit: Any = 20) -> Any:
    room = _room(caller, id)
    found = caller.store.history.between(room, oldest=as_stamp(since, "end") if since else None, count=0, threads=False)
    count = limit if isinstance(limit, int) and limit > 0 else 20
    return {"messages": wire.messages(caller.store, found[::-1][:count])}


@method("messages/get")
def messages_get(caller: Caller, id: Any, wanted: Any) -> Any:
    room = _room(caller, id)
    since = as_stamp(_mapping(wanted).get("lastUpdate"), "lastUpdate")
    gone = caller.store.history.deleted(room, since, Page(count=0))
    return {
        "updated": wire.messages(caller.store, caller.store.history.updated(room, since)),
        "deleted": [{"_id": id, "_deletedAt": at} for id, at in gone],
    }


@method("messageSearch")
def message_search(caller: Caller, text: Any, id: Any, limit: Any = 20) -> Any:
    found = caller.store.history.search(_room(caller, id), _text(text), Page(count=20))
    return {"message": {"docs": wire.messages(caller.store, found)}}


@method("readMessages")
def read_messages(caller: Caller, id: Any, threads: Any = False) -> None:
    caller.store.members.mark_read(_room(caller, id), caller.user)


@method("unreadMessages")
def unread_messages(caller: Caller, first: Any = None, id: Any = None) -> None:
    if isinstance(first, dict) and first:
        caller.store.members.mark_unread(caller.user, message=_message(caller, first))
    else:
        caller.store.members.mark_unread(caller.user, room_id=_room(caller, id).id)


# -- presence and other people -----------------------------------------------------------------------------------


@method("UserPresence:setDefaultStatus")
def default_status(caller: Caller, status: Any) -> None:
    caller.store.accounts.set_status(caller.user, status=_text(status))


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
    users = caller.store.accounts.matching(_text(text).lstrip("@#"), 5)
    rooms = caller.store.rooms.matching(_text(text).lstrip("@#"), 5, "type = 'c'")
    return {
        "users": [wire.member(user) for user in users],
        "rooms": [{"_id": r.id, "name": r.name, "t": r.type} for r in rooms],
    }


@method("insertOrUpdateSound")
def save_sound(caller: Caller, wanted: Any) -> Any:
    wanted = _mapping(wanted)
    caller.store.access.require(caller.user, "manage-sounds")
    id = wanted.get("_id")
    extension = wanted.get("extension")
    return caller.store.administration.save_sound(
        _text(wanted.get("name")),
        extension if isinstance(extension, str) else "mp3",
        id if isinstance(id, str) else None,
    )


@method("deleteCustomSound")
def delete_sound(caller: Caller, id: Any) -> Any:
    caller.store.access.require(caller.user, "manage-sounds")
    caller.store.administration.delete_sound(_text(id))
    return True


# -- telling the room something that is not a message ------------------------------------------------------------


@method("stream-notify-room")
def notify_room(caller: Caller, event: Any, *arguments: Any) -> None:
    """Typing and the like: passed on to whoever listens in the room, kept nowhere."""
    id, _, kind = _text(event).partition("/")
    if kind not in ("typing", "user-activity", "webrtc", "recording", "uploading"):
        raise not_allowed()
    room = _room(caller, id)
    if arguments and arguments[0] not in (caller.user.username, caller.user.name):
        raise not_allowed("Only one's own name can be told")
    caller.chat.hub.tell("stream-notify-room", f"{room.id}/{kind}", list(arguments))
