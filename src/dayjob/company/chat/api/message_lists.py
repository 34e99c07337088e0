"""chat.get*, chat.search and chat.sync*: every list of messages."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call, as_stamp
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid, no_room, not_allowed
from dayjob.company.chat.rows import Message, Room
from dayjob.company.clock import moment


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
    return {"messages": shapes.messages(call.store, call.store.history.search(room, text, call.page()))}


@endpoint("GET", "chat.getPinnedMessages", takes="roomId count:int offset:int sort")
def pinned(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.pinned(_room(call, "roomId"), page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getStarredMessages", takes="roomId count:int offset:int sort")
def starred(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.starred(_room(call, "roomId"), call.user, page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getMentionedMessages", takes="roomId count:int offset:int sort")
def mentioned(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.mentioning(_room(call, "roomId"), call.user, page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.getDiscussions", takes="roomId text count:int offset:int sort")
def discussions(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.history.discussions(_room(call, "roomId"), page, call.text("text") or "")
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


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
    if not call.store.settings.get("Threads_enabled"):
        raise ChatError("Threads Disabled", "error-not-allowed")
    room = _room(call, "rid")
    page = call.page({"tlm": "last_reply_at", "ts": "at", "tcount": "replies"})
    kind, unread = call.text("type"), None
    if kind == "unread":
        member = call.store.members.find(room.id, call.user.id)
        unread = json.loads(member.unread_threads) if member else []
    found, total = call.store.history.threads(
        room, page, following=call.user if kind == "following" else None, unread=unread, text=call.text("text") or ""
    )
    return listed("threads", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.syncThreadsList", takes="rid updatedSince")
def sync_threads(call: Call) -> Answer:
    room = _room(call, "rid")
    return {"threads": _news(call, *call.store.history.threads_since(room, _since(call)))}


def _since(call: Call) -> str:
    since = call.moment("updatedSince")
    if since is None:
        raise ChatError('The required param "updatedSince" is missing.', "error-updatedSince-param-invalid")
    return since


def _news(call: Call, changed: list[Message], gone: list[tuple[str, str]]) -> Answer:
    """What a client that was away has missed: messages to show anew, and messages to drop."""
    return {
        "update": shapes.messages(call.store, changed),
        "remove": [{"_id": id, "_deletedAt": at} for id, at in gone],
    }


@endpoint("GET", "chat.getThreadMessages", takes="tmid count:int offset:int sort")
def thread(call: Call) -> Answer:
    root = call.the_message("tmid")
    page = call.page({"ts": "at"})
    found, total = call.store.history.thread(root, page)
    return listed("messages", shapes.messages(call.store, found), total, page.offset)


@endpoint("GET", "chat.syncThreadMessages", takes="tmid updatedSince")
def sync_thread(call: Call) -> Answer:
    root = call.the_message("tmid")
    return {"messages": _news(call, *call.store.history.thread_since(root, _since(call)))}


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
                "updated": shapes.messages(call.store, found),
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
    return {"result": {"updated": shapes.messages(call.store, found), "deleted": [], "cursor": cursor}}


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
                "user": shapes.person(user),
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
