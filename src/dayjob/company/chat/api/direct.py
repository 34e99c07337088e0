"""im.* and dm.*: direct rooms. A user's id in place of a room's means the caller's direct room with that user."""

from __future__ import annotations

from collections.abc import Callable

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.channels import COLUMNS, MESSAGE_COLUMNS, room_files, room_history
from dayjob.company.chat.api.endpoints import Answer, Registered, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid, no_room, no_user, not_allowed
from dayjob.company.chat.rows import Room


def direct(method: str, action: str, *, takes: str = "roomId", needs: str = "") -> Callable[[Registered], Registered]:
    return endpoint(method, f"im.{action}", f"dm.{action}", takes=takes, needs=needs)


def find(call: Call) -> Room | None:
    """The direct room meant; None when it is that with a known user and nobody has written there yet."""
    store = call.store
    id, name = call.text("roomId"), call.text("username")
    if not id and not name:
        raise ChatError('Query param "roomId" or "username" is required', "error-room-param-not-provided")
    if id:
        room = store.rooms.get(id)
        if room is not None:
            if room.type != "d" or store.members.find(room.id, call.user.id) is None:
                raise no_room("No direct message room found by the id of: " + id)
            return room
        other = store.accounts.get(id)
    else:
        other = store.accounts.named(name or "")
    if other is None:
        raise no_room(f"No direct message room found by the id of: {id or name}")
    return store.rooms.direct_between(call.user, other)


def must(call: Call) -> Room:
    room = find(call)
    if room is None:
        raise no_room()
    return room


@direct("POST", "create", takes="username usernames excludeSelf:bool")
def create(call: Call) -> Answer:
    store = call.store
    name = call.text("username")
    names = [name] if name is not None else call.texts("usernames")
    if not names:
        raise invalid("must have required property 'username'")
    people = []
    for one in names:
        user = store.accounts.named(one)
        if user is None:
            raise no_user()
        people.append(user)
    if len(people) > 50:
        raise ChatError("Too many people for a direct message", "error-direct-message-max-user-exceeded")
    room = store.rooms.open_direct(call.user, people)
    return {"room": shapes.direct(store, room, call.user)}


@direct("GET", "list", takes="count:int offset:int sort fields")
def listing(call: Call) -> Answer:
    page = call.page(COLUMNS, "last_at DESC, id")
    found, total = call.store.rooms.joined(call.user, "d", page)
    return listed("ims", call.chosen(shapes.rooms(call.store, found)), total, page.offset)


@direct("GET", "list.everyone", takes="count:int offset:int sort", needs="view-room-administration")
def everyone(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.rooms.of_types("d", page)
    return listed("ims", shapes.rooms(call.store, found), total, page.offset)


@direct(
    "GET",
    "history",
    takes="roomId username latest oldest inclusive:bool count:int offset:int unreads:bool showThreadMessages:bool",
)
def history(call: Call) -> Answer:
    room = find(call)
    return room_history(call, room) if room is not None else {"messages": []}


@direct("GET", "messages", takes="roomId username count:int offset:int sort query fields")
def messages(call: Call) -> Answer:
    page = call.page(MESSAGE_COLUMNS)
    room = find(call)
    if room is None:
        return listed("messages", [], 0, page.offset)
    found, total = call.store.history.listing(room, page, call.wanted(MESSAGE_COLUMNS))
    return listed("messages", call.chosen(shapes.messages(call.store, found)), total, page.offset)


@direct("GET", "messages.others", takes="roomId count:int offset:int", needs="view-room-administration")
def messages_others(call: Call) -> Answer:
    if not call.store.settings.get("API_Enable_Direct_Message_History_EndPoint"):
        raise ChatError("This endpoint is disabled", "error-endpoint-disabled")
    room = call.store.rooms.get(call.need("roomId"))
    if room is None or room.type != "d":
        raise no_room()
    page = call.page()
    found, total = call.store.history.listing(room, page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


@direct("GET", "members", takes="roomId username count:int offset:int filter status:list")
def members(call: Call) -> Answer:
    room = must(call)
    page = call.page()
    found, total = call.store.members.listing(room, page, text=call.text("filter") or "", statuses=call.texts("status"))
    return listed("members", [shapes.member(user) for user in found], total, page.offset)


@direct("GET", "files", takes="roomId username name typeGroup count:int offset:int")
def files(call: Call) -> Answer:
    return room_files(call, must(call))


@direct("GET", "counters", takes="roomId username userId")
def counters(call: Call) -> Answer:
    user = call.user
    if (id := call.text("userId")) is not None and id != user.id:
        call.require("view-room-administration")
        user = call.the_user()
    return call.store.unread.counters(must(call), user)


@direct("POST", "open")
def open_(call: Call) -> Answer:
    room = must(call)
    member = call.store.members.must(room.id, call.user.id)
    if not member.open:
        call.store.members.change(member, open=1)
    return {}


@direct("POST", "close")
def close(call: Call) -> Answer:
    call.store.members.set_open(must(call), call.user, False)
    return {}


@direct("POST", "setTopic", takes="roomId topic")
def set_topic(call: Call) -> Answer:
    topic = call.text("topic")
    if topic is None:
        raise ChatError('The bodyParam "topic" is required', "error-topic-param-not-provided")
    call.store.rooms.change(must(call), call.user, topic=topic)
    return {"topic": topic}


@direct("POST", "delete", takes="roomId username", needs="view-room-administration")
def delete(call: Call) -> Answer:
    id = call.text("roomId")
    room = call.store.rooms.get(id) if id else find(call)
    if room is None or room.type != "d":
        raise no_room()
    call.store.rooms.delete(room)
    return {}


@direct("POST", "blockUser", takes="roomId block:bool")
def block(call: Call) -> Answer:
    room = must(call)
    store = call.store
    wanted = int(call.flag("block", default=True))
    others = [id for id in store.members.user_ids(room.id) if id != call.user.id]
    if len(others) != 1:
        raise not_allowed()
    with store.change():
        store.members.change(store.members.must(room.id, call.user.id), blocker=wanted)
        store.members.change(store.members.must(room.id, others[0]), blocked=wanted)
    return {}
