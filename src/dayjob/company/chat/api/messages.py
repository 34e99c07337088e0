"""chat.*: posting, editing, deleting, reacting, pinning, starring, and every list of messages."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from dayjob.company.chat import wire
from dayjob.company.chat.api.call import Call, as_stamp
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid, no_room, not_allowed
from dayjob.company.chat.rows import Message, Room, User, packed
from dayjob.company.chat.store import Store
from dayjob.company.clock import moment


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
        store.access.require(user, "view-c-room")
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
            if room is None or not (room.type == "c" or store.access.may_read(call.user, room)):
                raise ChatError("", "invalid-channel")
            room = write_to(store, call.user, room)
            sent.append(
                store.messages.post(
                    room, call.user, text, thread_id=call.text("tmid"), thread_shown=call.flag("tshow"), **facts
                )
            )
    last = sent[-1]
    written = wire.message(store, last)
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
    return {"message": wire.message(call.store, send(call.store, call.user, call.need_mapping("message")))}


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
    if room is None or not (room.type == "c" or store.access.may_read(user, room)):
        raise ChatError("Not allowed", "error-not-allowed")
    with store.change():
        return store.messages.post(write_to(store, user, room), user, text or "", **facts)


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
    return {"message": wire.message(call.store, call.store.messages.edit(message, call.user, text))}


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
    return {"message": wire.message(call.store, found)}


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
    return {"message": wire.message(call.store, call.store.messages.pin(call.the_message("messageId"), call.user))}


@endpoint("POST", "chat.unPinMessage", takes="messageId")
def unpin(call: Call) -> Answer:
    call.store.messages.unpin(call.the_message("messageId"), call.user)
    return {}


@endpoint("POST", "chat.starMessage", takes="messageId")
def star(call: Call) -> Answer:
    call.store.messages.star(call.the_message("messageId"), call.user, True)
    return {}


@endpoint("POST", "chat.unStarMessage", takes="messageId")
def unstar(call: Call) -> Answer:
    call.store.messages.star(call.the_message("messageId"), call.user, False)
    return {}


@endpoint("POST", "chat.followMessage", takes="mid")
def follow(call: Call) -> Answer:
    call.store.messages.follow(call.the_message("mid"), call.user, True)
    return {}


@endpoint("POST", "chat.unfollowMessage", takes="mid")
def unfollow(call: Call) -> Answer:
    call.store.messages.follow(call.the_message("mid"), call.user, False)
    return {}


@endpoint("POST", "chat.reportMessage", takes="messageId description")
def report(call: Call) -> Answer:
    message, description = call.the_message("messageId"), call.text("description")
    if not description:
        raise ChatError('The required "description" param is missing.', "error-description-param-not-provided")
    copy = packed(wire.message(call.store, message))
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


# -- lists -------------------------------------------------------------------------------------------------------


def _room(call: Call, *names: str) -> Room:
    id = call.text(*names)
    if not id:
        raise ChatError(
            f'The required "{names[0]}" query param is missing.', f"error-{names[0].lower()}-param-not-provided"
        )
    room = call.store.rooms.get(id)
    if room is None or not call.store.access.may_read(call.user, room):
        raise not_allowed() if room is not None else no_room()
    return room


@endpoint("GET", "chat.search", takes="roomId searchText count:int offset:int")
def search(call: Call) -> Answer:
    room = _room(call, "roomId")
    text = call.text("searchText")
    if not text:
        raise ChatError('The required "searchText" query param is missing.', "error-searchText-param-not-provided")
    return {"messages": wire.messages(call.store, call.store.history.search(room, text, call.page()))}


@endpoint("GET", "chat.getPinnedMessages", takes="roomId count:int offset:int sort")
def pinned(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.pinned(_room(call, "roomId"), page)
    return listed("messages", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getStarredMessages", takes="roomId count:int offset:int sort")
def starred(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.starred(_room(call, "roomId"), call.user, page)
    return listed("messages", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getMentionedMessages", takes="roomId count:int offset:int sort")
def mentioned(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.mentioning(_room(call, "roomId"), call.user, page)
    return listed("messages", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getDiscussions", takes="roomId text count:int offset:int sort")
def discussions(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.discussions(_room(call, "roomId"), page, call.text("text") or "")
    return listed("messages", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getDeletedMessages", takes="roomId since count:int offset:int")
def deleted(call: Call) -> Answer:
    room = _room(call, "roomId")
    since = call.moment("since")
    if since is None:
        raise ChatError('The "since" query parameter must be provided.', "error-invalid-params")
    page = call.page()
    found = [{"_id": id} for id, _ in call.store.history.deleted(room, since, page)]
    return listed("messages", found, call.store.history.deleted_count(room, since), page.offset)


@endpoint("GET", "chat.getThreadsList", takes="rid type text count:int offset:int sort")
def threads(call: Call) -> Answer:
    room = _room(call, "rid")
    page = call.page({"tlm": "last_reply_at", "ts": "at", "tcount": "replies"})
    kind, unread = call.text("type"), None
    if kind == "unread":
        member = call.store.members.find(room.id, call.user.id)
        unread = json.loads(member.unread_threads) if member else []
    found, total = call.store.history.threads(
        room, page, following=call.user if kind == "following" else None, unread=unread, text=call.text("text") or ""
    )
    return listed("threads", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.syncThreadsList", takes="rid updatedSince")
def sync_threads(call: Call) -> Answer:
    room, since = _room(call, "rid"), call.moment("updatedSince")
    if since is None:
        raise ChatError('The required param "updatedSince" is missing.', "error-updatedSince-param-invalid")
    found, gone = call.store.history.threads_since(room, since)
    return {
        "threads": {
            "update": wire.messages(call.store, found),
            "remove": [{"_id": id, "_deletedAt": at} for id, at in gone],
        }
    }


@endpoint("GET", "chat.getThreadMessages", takes="tmid count:int offset:int sort")
def thread(call: Call) -> Answer:
    root = call.the_message("tmid")
    page = call.page({"ts": "at"})
    found, total = call.store.history.thread(root, page)
    return listed("messages", wire.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.syncThreadMessages", takes="tmid updatedSince")
def sync_thread(call: Call) -> Answer:
    root, since = call.the_message("tmid"), call.moment("updatedSince")
    if since is None:
        raise ChatError('The required param "updatedSince" is missing.', "error-updatedSince-param-invalid")
    found, gone = call.store.history.thread_since(root, since)
    return {
        "messages": {
            "update": wire.messages(call.store, found),
            "remove": [{"_id": id, "_deletedAt": at} for id, at in gone],
        }
    }


@endpoint("GET", "chat.syncMessages", takes="roomId lastUpdate next previous type count:int")
def sync_messages(call: Call) -> Answer:
    room = _room(call, "roomId")
    since = call.moment("lastUpdate")
    if since is None and call.get("type") is None:
        raise ChatError('The "lastUpdate" query parameter must be a valid date.', "error-lastUpdate-param-invalid")
    if since is not None:
        found = call.store.history.updated(room, since)
        gone = call.store.history.deleted(room, since, call.page())
        return {
            "result": {
                "updated": wire.messages(call.store, found),
                "deleted": [{"_id": id, "_deletedAt": at} for id, at in gone],
            }
        }
    count = max(call.number("count", 50), 1)
    after, before = _cursor(call, "next"), _cursor(call, "previous")
    kind = call.text("type")
    if kind == "DELETED":
        gone = call.store.history.deleted(room, after or "", call.page())
        return {
            "result": {
                "updated": [],
                "deleted": [{"_id": id, "_deletedAt": at} for id, at in gone],
                "cursor": {"next": None, "previous": None},
            }
        }
    if kind != "UPDATED":
        raise ChatError('The "type" parameter must be either "UPDATED" or "DELETED".', "error-type-param-not-supported")
    found = call.store.history.updated(room, after or "", before=before, limit=count)
    cursor: dict[str, str | None] = {"next": None, "previous": None}
    if len(found) == count:
        cursor["previous"] = str(int(moment(found[-1].updated_at).timestamp() * 1000))
    return {"result": {"updated": wire.messages(call.store, found), "deleted": [], "cursor": cursor}}


def _cursor(call: Call, name: str) -> str | None:
    text = call.text(name)
    if text is None:
        return None
    return as_stamp(int(text) if text.isascii() and text.isdigit() else text, name)


@endpoint("GET", "chat.getMessageReadReceipts", takes="messageId")
def read_receipts(call: Call) -> Answer:
    message = call.the_message("messageId")
    return {
        "receipts": [
            {
                "_id": f"{message.id}{user.id}",
                "messageId": message.id,
                "roomId": message.room_id,
                "userId": user.id,
                "ts": seen,
                "user": wire.person(user),
            }
            for user, seen in call.store.history.readers(message)
        ]
    }


@endpoint("GET", "chat.getURLPreview", takes="roomId url")
def url_preview(call: Call) -> Answer:
    """What can be said of a link without fetching it: a company never reaches outside its own network."""
    _room(call, "roomId")
    url = call.need("url")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise invalid("url must be a URL") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise invalid("url must be a URL")
    parsed = {"protocol": f"{parts.scheme}:", "host": parts.netloc, "hostname": parts.hostname, "pathname": parts.path}
    return {"urlPreview": {"url": url, "parsedUrl": parsed, "ignoreParse": False}}
