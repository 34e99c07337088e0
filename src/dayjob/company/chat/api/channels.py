"""channels.* and groups.*: lists, looking, coming and going, alike for public channels and private groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, Handler, endpoint, listed
from dayjob.company.chat.errors import ChatError, forbidden, no_room, not_allowed
from dayjob.company.chat.rows import Room
from dayjob.company.chat.store import Page
from dayjob.company.chat.store.accounts import ACTIVE
from dayjob.company.chat.store.conditions import ALL
from dayjob.company.chat.store.rooms import PRIVATE_GROUPS

COLUMNS = {
    "_id": "id",
    "name": "name",
    "fname": "fname",
    "t": "type",
    "ts": "created_at",
    "msgs": "messages",
    "usersCount": "members",
    "lm": "last_at",
    "topic": "topic",
    "default": "is_default",
    "ro": "read_only",
    "archived": "archived",
    "_updatedAt": "updated_at",
}
MESSAGE_COLUMNS = {
    "_id": "id",
    "ts": "at",
    "msg": "text",
    "u._id": "user_id",
    "u.username": "username",
    "t": "type",
    "tmid": "thread_id",
    "pinned": "pinned",
    "_updatedAt": "updated_at",
}
KINDS = {"channels": ("c", "channel"), "groups": ("p", "group")}


RoomHandler = Callable[[Call, str, str], Answer]


def both(
    method: str, action: str, *, takes: str = "roomId roomName", needs: str = ""
) -> Callable[[RoomHandler], RoomHandler]:
    """Register a handler for `channels.<action>` and `groups.<action>`."""

    def register(handler: RoomHandler) -> RoomHandler:
        for family, (kind, word) in KINDS.items():
            endpoint(method, f"{family}.{action}", takes=takes, needs=needs)(_bound(handler, kind, word))
        return handler

    return register


def _bound(handler: RoomHandler, kind: str, word: str) -> Handler:
    def run(call: Call) -> Answer:
        return handler(call, kind, word)

    run.__name__ = f"{word}_{handler.__name__}"
    return run


def place(call: Call, kind: str, *, joined: bool = False) -> Room:
    """The channel or group the request names, if the caller may read it (or administers rooms)."""
    room = call.the_room(kind)
    access = call.store.access
    if not access.may_read(call.user, room) and not access.can(call.user, "view-room-administration"):
        raise no_room()
    if joined and call.store.members.find(room.id, call.user.id) is None:
        raise ChatError(f"The user is not in the {room.name}", "error-not-in-room")
    return room


# -- lists -------------------------------------------------------------------------------------------------------


@endpoint("GET", "channels.list", takes="count:int offset:int sort query fields", needs="view-c-room view-joined-room")
def channels_list(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.rooms.readable_channels(call.user, page, call.wanted(COLUMNS))
    return listed("channels", call.chosen(shapes.rooms(call.store, found)), total, page.offset)


@endpoint("GET", "channels.list.joined", takes="count:int offset:int sort fields")
def channels_list_joined(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.rooms.joined(call.user, "c", page)
    return listed("channels", call.chosen(shapes.rooms(call.store, found)), total, page.offset)


@endpoint("GET", "groups.list", takes="count:int offset:int sort fields")
def groups_list(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.rooms.joined(call.user, "p", page)
    return listed("groups", call.chosen(shapes.rooms(call.store, found)), total, page.offset)


@endpoint("GET", "groups.listAll", takes="count:int offset:int sort query fields", needs="view-room-administration")
def groups_list_all(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.rooms.listing(PRIVATE_GROUPS & call.wanted(COLUMNS), page)
    return listed("groups", call.chosen(shapes.rooms(call.store, found)), total, page.offset)


# -- making and removing -----------------------------------------------------------------------------------------


@both("POST", "create", takes="name members:list readOnly:bool customFields:object extraData:object excludeSelf:bool")
def create(call: Call, kind: str, word: str) -> Answer:
    store = call.store
    extra = call.mapping("extraData") or {}
    team_id = extra.get("teamId")
    if not store.access.can(call.user, f"create-{kind}"):
        raise forbidden()
    name = call.text("name")
    if not name:
        raise ChatError('Body param "name" is required', "error-name-param-not-provided")
    members = call.the_users(call.items("members"))
    topic = extra.get("topic")
    with store.change():
        room = store.rooms.create(
            kind, name, call.user, members=members, read_only=call.flag("readOnly"),
            custom_fields=call.mapping("customFields"), topic=topic if isinstance(topic, str) else None,
            broadcast=extra.get("broadcast") is True, encrypted=extra.get("encrypted") is True,
            team_id=store.teams.find(id=team_id).id if isinstance(team_id, str) else None,
        )  # fmt: skip
        for member in members:
            if member.id != call.user.id:
                store.messages.system(room, call.user, "au", member.username)
    return {word: shapes.room(store, store.rooms.must(room.id))}


@both("POST", "delete")
def delete(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    call.store.access.require(call.user, f"delete-{kind}", room)
    if room.team_main and room.team_id:
        raise not_allowed("A team's main room goes with the team")
    call.store.rooms.delete(room)
    return {}


# -- looking -----------------------------------------------------------------------------------------------------


@both("GET", "info")
def info(call: Call, kind: str, word: str) -> Answer:
    return {word: shapes.room(call.store, place(call, kind))}


@both(
    "GET",
    "history",
    takes="roomId roomName latest oldest inclusive:bool count:int offset:int unreads:bool showThreadMessages:bool",
)
def history(call: Call, kind: str, word: str) -> Answer:
    return room_history(call, call.readable(place(call, kind)))


def room_history(call: Call, room: Room) -> dict[str, Any]:
    """Messages between two moments, newest first; shared by all kinds of rooms."""
    store = call.store
    latest, oldest = call.moment("latest"), call.moment("oldest")
    found = store.history.between(
        room, latest=latest, oldest=oldest, inclusive=call.flag("inclusive"), count=max(call.number("count", 20), 0),
        offset=max(call.number("offset"), 0), threads=call.flag("showThreadMessages", default=True),
    )  # fmt: skip
    answer: dict[str, Any] = {"messages": shapes.messages(store, found)}
    if call.flag("unreads"):
        first, count = store.history.unread_from(room, call.user, oldest=oldest)
        if first is not None:
            answer["firstUnread"] = shapes.message(store, first)
        answer["unreadNotLoaded"] = max(count - len(found), 0)
    return answer


@both(
    "GET", "messages", takes="roomId roomName count:int offset:int sort query fields mentionIds starredIds pinned:bool"
)
def messages(call: Call, kind: str, word: str) -> Answer:
    room = call.readable(place(call, kind))
    page = call.page(MESSAGE_COLUMNS)
    marked = call.store.history.marked(
        pinned=call.flag("pinned") if call.query.get("pinned") is not None else None,
        mentioning=call.texts("mentionIds"),
        starred_by=call.texts("starredIds"),
    )
    found, total = call.store.history.listing(room, page, call.wanted(MESSAGE_COLUMNS) & marked)
    return listed("messages", call.chosen(shapes.messages(call.store, found)), total, page.offset)


@both("GET", "members", takes="roomId roomName count:int offset:int sort filter status:list")
def members(call: Call, kind: str, word: str) -> Answer:
    room = call.readable(place(call, kind))
    page = call.page({"username": "u.username", "name": "u.name", "status": "u.status"})
    found, total = call.store.members.listing(
        room, page, text=call.text("filter") or "", statuses=call.texts("status", "status[]")
    )
    return listed("members", [shapes.member(user) for user in found], total, page.offset)


@both("GET", "counters", takes="roomId roomName userId")
def counters(call: Call, kind: str, word: str) -> Answer:
    user = call.user
    if (id := call.text("userId")) is not None and id != user.id:
        call.require("view-room-administration")
        user = call.the_user()
    return call.store.unread.counters(place(call, kind), user)


@both("GET", "roles")
def roles(call: Call, kind: str, word: str) -> Answer:
    room = call.readable(place(call, kind))
    return {"roles": [shapes.role_holder(*pair) for pair in call.store.members.holders(room.id)]}


@both("GET", "moderators")
def moderators(call: Call, kind: str, word: str) -> Answer:
    room = call.readable(place(call, kind))
    found, _ = call.store.members.listing(room, Page(count=0), role="moderator")
    return {"moderators": [shapes.person(user) for user in found]}


@both("GET", "files", takes="roomId roomName name typeGroup count:int offset:int sort")
def files(call: Call, kind: str, word: str) -> Answer:
    return room_files(call, call.readable(place(call, kind)))


def room_files(call: Call, room: Room) -> dict[str, Any]:
    page = call.page({"name": "name", "size": "size", "uploadedAt": "uploaded_at", "type": "type"})
    found, total = call.store.uploads.listing(
        room, page, name=call.text("name") or "", group=call.text("typeGroup") or ""
    )
    return listed("files", [shapes.upload(call.store, one, call.base) for one in found], total, page.offset)


@both("GET", "online", takes="_id query")
def online(call: Call, kind: str, word: str) -> Answer:
    id = call.text("_id")
    if id is None:
        wanted = call.mapping("query")
        id = wanted.get("_id") if wanted else None
        if not isinstance(id, str):
            name = wanted.get("name") if wanted else None
            found = call.store.rooms.named(name) if isinstance(name, str) else None
            if found is None:
                raise ChatError("Invalid query")
            id = found.id
    room = call.store.rooms.get(id)
    if room is None or room.type != kind:
        raise ChatError(f"{'Channel' if kind == 'c' else 'Group'} does not exists")
    if not call.store.access.may_read(call.user, room):
        raise not_allowed()
    people, _ = call.store.members.listing(room, Page(count=0), statuses=["online", "away", "busy"])
    return {"online": [{"_id": user.id, "username": user.username} for user in people]}


@both(
    "GET",
    "getIntegrations",
    takes="roomId includeAllPublicChannels:bool includeAllPrivateGroups:bool count:int offset:int",
)
def integrations(call: Call, kind: str, word: str) -> Answer:
    call.require("manage-outgoing-integrations", "manage-incoming-integrations")
    room = place(call, kind)
    page = call.page()
    found, total = call.store.administration.integrations(page, channel=f"#{room.name}")
    return listed("integrations", [shapes.integration(call.store, one) for one in found], total, page.offset)


@endpoint("GET", "channels.getAllUserMentionsByChannel", takes="roomId count:int offset:int")
def mentions(call: Call) -> Answer:
    page = call.page()
    room = call.readable(call.the_room("c"))
    found, total = call.store.history.mentioning(room, call.user, page)
    return listed("mentions", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "channels.anonymousread", takes="roomId roomName count:int offset:int", auth=False)
def anonymous_read(call: Call) -> Answer:
    if not call.store.settings.get("Accounts_AllowAnonymousRead"):
        raise not_allowed('Enable "Allow Anonymous Read"')
    page = call.page()
    found, total = call.store.history.listing(call.the_room("c"), page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


# -- coming and going --------------------------------------------------------------------------------------------


@both("POST", "invite", takes="roomId roomName userId username userIds:list usernames:list")
def invite(call: Call, kind: str, word: str) -> Answer:
    store = call.store
    room = place(call, kind)
    named = [*call.texts("userIds"), *call.texts("usernames")]
    people = call.the_users(named) if named else [call.the_user()]
    with store.change():
        for user in people:
            store.members.invite(room, call.user, user)
    return {word: shapes.room(store, store.rooms.must(room.id))}


@both("POST", "addAll", takes="roomId roomName activeUsersOnly:bool")
def add_all(call: Call, kind: str, word: str) -> Answer:
    store = call.store
    room = place(call, kind)
    store.access.require(call.user, "add-all-to-room")
    people, total = store.accounts.listing(Page(count=0), ACTIVE if call.flag("activeUsersOnly") else ALL)
    if total > store.settings.number("API_User_Limit"):
        raise ChatError("User limit exceeded", "error-user-limit-exceeded")
    with store.change():
        for user in people:
            store.members.add(room, user)
    return {word: shapes.room(store, store.rooms.must(room.id))}


@endpoint("POST", "channels.join", takes="roomId roomName joinCode")
def join(call: Call) -> Answer:
    room = call.the_room("c")
    call.store.access.require(call.user, "view-c-room")
    call.store.members.join(room, call.user, call.text("joinCode"))
    return {"channel": shapes.room(call.store, call.store.rooms.must(room.id))}


@both("POST", "leave")
def leave(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    with call.store.change():
        call.store.members.leave(room, call.user)
    return {word: shapes.room(call.store, call.store.rooms.must(room.id))} if kind == "c" else {}


@both("POST", "kick", takes="roomId roomName userId username")
def kick(call: Call, kind: str, word: str) -> Answer:
    room = place(call, kind)
    call.store.access.require(call.user, "remove-user", room)
    call.store.members.kick(room, call.user, call.the_user())
    return {word: shapes.room(call.store, call.store.rooms.must(room.id))}


@both("POST", "open")
def open_(call: Call, kind: str, word: str) -> Answer:
    call.store.members.set_open(place(call, kind), call.user, True)
    return {}


@both("POST", "close")
def close(call: Call, kind: str, word: str) -> Answer:
    call.store.members.set_open(place(call, kind), call.user, False)
    return {}
