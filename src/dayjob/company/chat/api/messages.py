"""chat.*: posting, editing, deleting, reacting, pinning, starring, following and reporting messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.errors import ChatError, invalid, not_allowed
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.messages import Messages
from dayjob.company.clock import moment
from dayjob.company.rows import packed


def target(store: Store, user: User, name: str) -> Room | None:
    """The room a `channel` means: `#name`, `@user`, a room's id or name, or a user's id; direct rooms are made."""
    if name.startswith("@"):
        other = store.accounts.named(name) or store.accounts.get(name[1:])
        return store.rooms.open_direct(user, [other]) if other else None
    if name.startswith("#"):
        return store.rooms.named(name) or store.rooms.get(name[1:])
    room = store.rooms.get(name) or store.rooms.named(name)
    if room is None and (other := store.accounts.get(name)) is not None:
        return store.rooms.open_direct(user, [other])
    return room


def write_to(store: Store, user: User, room: Room) -> Room:
    """Posting to a public channel enters it."""
    if room.type == "c" and not room.archived and store.members.find(room.id, user.id) is None:
        store.members.join(room, user)
        return store.rooms.must(room.id)
    return room


def attachments_of(value: Any) -> list[dict[str, Any]] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ChatError("Attachments should be an Array of objects", "error-invalid-attachments")
    return value


@endpoint(
    "POST", "chat.postMessage",
    takes="roomId channel text alias emoji avatar attachments:list tmid parseUrls:bool customFields:object",
)  # fmt: skip
def post_message(call: Call) -> Answer:
    store = call.store
    wanted = call.get("roomId", "channel")
    names = wanted if isinstance(wanted, list) else [wanted]
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise ChatError("", "invalid-channel")
    text = call.text("text", "msg") or ""
    facts: dict[str, Any] = {"attachments": attachments_of(call.get("attachments"))}
    for name in ("alias", "emoji", "avatar"):
        if (value := call.text(name)) is not None:
            facts[name] = value
    if facts.get("alias") or facts.get("avatar"):
        facts["groupable"] = False
    if (custom := call.mapping("customFields")) is not None:
        facts["custom_fields"] = custom
    sent: list[Message] = []
    with store.change():
        for name in names:
            room = target(store, call.user, name)
            if room is None or not store.access.may_read(call.user, room):
                raise ChatError("", "invalid-channel")
            room = write_to(store, call.user, room)
            _may_impersonate(store, call.user, room, facts)
            sent.append(
                store.messages.post(
                    room, call.user, text, thread_id=call.text("tmid"), thread_shown=call.flag("tshow"), **facts
                )
            )
    last = sent[-1]
    written = shapes.message(store, last)
    return {
        "ts": int(moment(last.at).timestamp() * 1000),
        "channel": _named(store, last, names[-1]),
        "message": written,
    }


def _named(store: Store, message: Message, asked: str) -> str:
    """`channel` of the answer: as it was asked for, without its sign."""
    return asked.lstrip("#@") if asked[:1] in "#@" else asked


@endpoint("POST", "chat.sendMessage", takes="message:object")
def send_message(call: Call) -> Answer:
    return {"message": shapes.message(call.store, send(call.store, call.user, call.need_mapping("message")))}


def send(store: Store, user: User, wanted: dict[str, Any]) -> Message:
    """A message as clients describe it: `{rid, msg, _id?, tmid?, …}`. Shared with the realtime wire."""
    rid = wanted.get("rid")
    if not isinstance(rid, str) or not rid:
        raise ChatError("The 'rid' property on the message object is missing.", "error-room-id-required")
    facts: dict[str, Any] = {"attachments": attachments_of(wanted.get("attachments"))}
    for name, column in (
        ("_id", "id"),
        ("alias", "alias"),
        ("emoji", "emoji"),
        ("avatar", "avatar"),
        ("tmid", "thread_id"),
    ):
        value = wanted.get(name)
        if value is not None:
            if not isinstance(value, str) or (name == "_id" and not 0 < len(value) <= 64):
                raise invalid(f"message/{name} must be string")
            facts[column] = value
    text = wanted.get("msg")
    if text is not None and not isinstance(text, str):
        raise ChatError("Body param 'msg' must be a string", "error-invalid-params")
    if isinstance(wanted.get("customFields"), dict):
        facts["custom_fields"] = wanted["customFields"]
    facts["thread_shown"] = wanted.get("tshow") in (True, "true")
    room = store.rooms.get(rid)
    if room is None or not store.access.may_read(user, room):
        raise ChatError("Not allowed", "error-not-allowed")
    with store.change():
        room = write_to(store, user, room)
        _may_impersonate(store, user, room, facts)
        return store.messages.post(room, user, text or "", **facts)


def _may_impersonate(store: Store, user: User, room: Room, facts: dict[str, Any]) -> None:
    """Another name or picture than one's own is for bots."""
    if (facts.get("alias") or facts.get("avatar")) and not store.access.can(user, "message-impersonate", room):
        raise ChatError("Not enough permission")


@endpoint("POST", "chat.update", takes="roomId msgId text previewUrls:list customFields:object")
def update(call: Call) -> Answer:
    message = call.store.messages.get(call.need("msgId"))
    if message is None:
        raise ChatError(f'No message found with the id of "{call.text("msgId")}".')
    if message.room_id != call.need("roomId"):
        raise ChatError("The room id provided does not match where the message is from.")
    text = call.text("text")
    if text is None:
        raise invalid("must have required property 'text'")
    return {"message": shapes.message(call.store, call.store.messages.edit(message, call.user, text))}


@endpoint("POST", "chat.delete", takes="roomId msgId asUser:bool")
def delete(call: Call) -> Answer:
    store = call.store
    message = store.messages.get(call.need("msgId"))
    if message is None:
        raise ChatError(f'No message found with the id of "{call.text("msgId")}".')
    if message.room_id != call.need("roomId"):
        raise ChatError("The room id provided does not match where the message is from.")
    by = call.user
    if call.flag("asUser") and message.user_id != by.id:
        if not store.access.can(by, "force-delete-message", message.room_id):
            raise ChatError(
                'Unauthorized. You must have the permission "force-delete-message" to delete other\'s message as them.'
            )
        by = store.accounts.get(message.user_id) or by
    store.messages.delete(message, by)
    return {
        "_id": message.id,
        "ts": int(store.clock.now().timestamp() * 1000),
        "message": {
            "_id": message.id,
            "rid": message.room_id,
            "u": {"_id": message.user_id, "username": message.username},
        },
    }


@endpoint("GET", "chat.getMessage", takes="msgId")
def get_message(call: Call) -> Answer:
    id = call.text("msgId")
    if not id:
        raise ChatError('The "msgId" query parameter must be provided.')
    found = call.store.messages.get(id)
    if found is None or not call.store.access.may_read(call.user, call.store.rooms.must(found.room_id)):
        raise ChatError("Message not found") if found is None else not_allowed()
    return {"message": shapes.message(call.store, found)}


@endpoint("POST", "chat.react", takes="messageId emoji reaction shouldReact:bool")
def react(call: Call) -> Answer:
    message = call.the_message("messageId")
    emoji = call.text("emoji", "reaction")
    if not emoji:
        raise ChatError('The required "emoji" param is missing.', "error-emoji-param-not-provided")
    should = call.flag("shouldReact") if call.get("shouldReact") is not None else None
    call.store.messages.react(message, call.user, emoji, should)
    return {}


@endpoint("POST", "chat.pinMessage", takes="messageId")
def pin(call: Call) -> Answer:
    return {"message": shapes.message(call.store, call.store.messages.pin(call.the_message("messageId"), call.user))}


def _do(path: str, id: str, do: Callable[[Messages, Message, User], object]) -> None:
    """An endpoint that does something with the message whose id is in this parameter, and has nothing to tell."""

    @endpoint("POST", path, takes=id)
    def act(call: Call) -> Answer:
        do(call.store.messages, call.the_message(id), call.user)
        return {}


_do("chat.unPinMessage", "messageId", lambda messages, message, user: messages.unpin(message, user))
_do("chat.starMessage", "messageId", lambda messages, message, user: messages.star(message, user, True))
_do("chat.unStarMessage", "messageId", lambda messages, message, user: messages.star(message, user, False))
_do("chat.followMessage", "mid", lambda messages, message, user: messages.follow(message, user, True))
_do("chat.unfollowMessage", "mid", lambda messages, message, user: messages.follow(message, user, False))


@endpoint("POST", "chat.reportMessage", takes="messageId description")
def report(call: Call) -> Answer:
    message, description = call.the_message("messageId"), call.text("description")
    if not description:
        raise ChatError('The required "description" param is missing.', "error-description-param-not-provided")
    copy = packed(shapes.message(call.store, message))
    call.store.moderation.report_message(message, call.user, description, copy)
    return {}


@endpoint("GET", "chat.ignoreUser", takes="rid userId ignore:bool")
def ignore_user(call: Call) -> Answer:
    store = call.store
    rid, id = call.need("rid"), call.need("userId")
    member = store.members.find(rid, call.user.id)
    if member is None:
        raise ChatError("Invalid subscription", "error-invalid-subscription")
    if store.members.find(rid, id) is None:
        raise ChatError("Invalid subscription", "error-invalid-subscription")
    ignored = [one for one in json.loads(member.ignored) if one != id]
    if call.flag("ignore", default=True):
        ignored.append(id)
    store.members.change(member, ignored=packed(ignored))
    return {}
