"""subscriptions.*: what a room is to one of its members, and what they have not read there."""

from __future__ import annotations

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.errors import ChatError, invalid


@endpoint("GET", "subscriptions.get", takes="updatedSince")
def subscriptions(call: Call) -> Answer:
    store, since = call.store, call.since()
    found = store.members.of_user(call.user, since)
    gone = [{"_id": id, "_deletedAt": at} for id, _, at in store.members.left_since(call.user, since)] if since else []
    return {"update": [shapes.subscription(store, one) for one in found], "remove": gone}


@endpoint("GET", "subscriptions.getOne", takes="roomId")
def subscription(call: Call) -> Answer:
    id = call.text("roomId")
    if not id:
        raise ChatError("The 'roomId' param is required")
    found = call.store.members.find(id, call.user.id)
    return {"subscription": shapes.subscription(call.store, found) if found else None}


@endpoint("POST", "subscriptions.read", takes="rid roomId readThreads:bool")
def read(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid", "roomId"))
    if room is None or call.store.members.find(room.id, call.user.id) is None:
        raise ChatError("Invalid subscription", "error-invalid-subscription")
    call.store.unread.mark_read(room, call.user)
    return {}


@endpoint("POST", "subscriptions.unread", takes="roomId firstUnreadMessage:object")
def unread(call: Call) -> Answer:
    first = call.mapping("firstUnreadMessage")
    if first is not None:
        id = first.get("_id")
        if not isinstance(id, str):
            raise invalid("firstUnreadMessage/_id must be string")
        call.store.unread.mark_unread(call.user, message=call.store.messages.must(id))
        return {}
    call.store.unread.mark_unread(call.user, room_id=call.need("roomId"))
    return {}
