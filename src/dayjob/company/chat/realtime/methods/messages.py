"""Methods: writing, changing and reading messages."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import as_stamp
from dayjob.company.chat.api.messages import attachments_of, send
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.realtime.methods.calling import (
    Caller,
    mapping_of,
    message_of,
    method,
    names_of,
    room_of,
    text_of,
)
from dayjob.company.chat.store import Page


@method("sendMessage")
def send_message(caller: Caller, message: Any, previews: Any = None) -> Any:
    return shapes.message(caller.store, send(caller.store, caller.user, mapping_of(message)))


@method("updateMessage")
def update_message(caller: Caller, message: Any, previews: Any = None) -> None:
    found = message_of(caller, mapping_of(message))
    text = message.get("msg")
    if not isinstance(text, str):
        raise ChatError("Match failed", "400")
    attachments = attachments_of(message.get("attachments"))
    caller.store.messages.edit(found, caller.user, text, attachments)


@method("deleteMessage")
def delete_message(caller: Caller, message: Any) -> None:
    caller.store.messages.delete(message_of(caller, mapping_of(message)), caller.user)


@method("setReaction")
def set_reaction(caller: Caller, emoji: Any, id: Any, should: Any = None) -> None:
    found = message_of(caller, id)
    caller.store.messages.react(found, caller.user, text_of(emoji), should if isinstance(should, bool) else None)


@method("pinMessage")
def pin_message(caller: Caller, message: Any) -> Any:
    return shapes.message(caller.store, caller.store.messages.pin(message_of(caller, message), caller.user))


@method("unpinMessage")
def unpin_message(caller: Caller, message: Any) -> Any:
    caller.store.messages.unpin(message_of(caller, message), caller.user)
    return True


@method("starMessage")
def star_message(caller: Caller, message: Any) -> Any:
    starred = mapping_of(message).get("starred", True)
    caller.store.messages.star(message_of(caller, message), caller.user, bool(starred))
    return True


@method("followMessage")
def follow_message(caller: Caller, wanted: Any) -> Any:
    caller.store.messages.follow(message_of(caller, mapping_of(wanted).get("mid")), caller.user, True)
    return True


@method("unfollowMessage")
def unfollow_message(caller: Caller, wanted: Any) -> Any:
    caller.store.messages.follow(message_of(caller, mapping_of(wanted).get("mid")), caller.user, False)
    return True


@method("getSingleMessage")
def single_message(caller: Caller, id: Any) -> Any:
    return shapes.message(caller.store, message_of(caller, id))


@method("getMessages")
def get_messages(caller: Caller, ids: Any) -> Any:
    return [shapes.message(caller.store, message_of(caller, id)) for id in names_of(ids)]


@method("getThreadMessages")
def thread_messages(caller: Caller, wanted: Any) -> Any:
    root = message_of(caller, mapping_of(wanted).get("tmid"))
    found, _ = caller.store.history.thread(root, Page(count=50))
    return shapes.messages(caller.store, [root, *found])


@method("loadHistory")
def load_history(caller: Caller, id: Any, before: Any = None, count: Any = 20, last_seen: Any = None) -> Any:
    room = room_of(caller, id)
    latest = as_stamp(before, "end") if before else None
    limit = count if isinstance(count, int) and not isinstance(count, bool) and 0 < count <= 1000 else 20
    found = caller.store.history.between(room, latest=latest, count=limit, threads=False)
    seen = as_stamp(last_seen, "ls") if last_seen else None
    first, unread = caller.store.history.unread_from(room, caller.user, oldest=seen)
    answer: dict[str, Any] = {
        "messages": shapes.messages(caller.store, found),
        "unreadNotLoaded": max(unread - len(found), 0),
    }
    if first is not None:
        answer["firstUnread"] = shapes.message(caller.store, first)
    return answer


@method("loadMissedMessages")
def load_missed(caller: Caller, id: Any, since: Any) -> Any:
    room = room_of(caller, id)
    found = caller.store.history.between(room, oldest=as_stamp(since, "start"), count=0, threads=False)
    return shapes.messages(caller.store, found)


@method("loadNextMessages")
def load_next(caller: Caller, id: Any, since: Any = None, limit: Any = 20) -> Any:
    room = room_of(caller, id)
    found = caller.store.history.between(room, oldest=as_stamp(since, "end") if since else None, count=0, threads=False)
    count = limit if isinstance(limit, int) and limit > 0 else 20
    return {"messages": shapes.messages(caller.store, found[::-1][:count])}


@method("messages/get")
def messages_get(caller: Caller, id: Any, wanted: Any) -> Any:
    room = room_of(caller, id)
    since = as_stamp(mapping_of(wanted).get("lastUpdate"), "lastUpdate")
    gone = caller.store.history.deleted(room, since, Page(count=0))
    return {
        "updated": shapes.messages(caller.store, caller.store.history.updated(room, since)),
        "deleted": [{"_id": id, "_deletedAt": at} for id, at in gone],
    }


@method("messageSearch")
def message_search(caller: Caller, text: Any, id: Any, limit: Any = 20) -> Any:
    found = caller.store.history.search(room_of(caller, id), text_of(text), Page(count=20))
    return {"message": {"docs": shapes.messages(caller.store, found)}}


@method("readMessages")
def read_messages(caller: Caller, id: Any, threads: Any = False) -> None:
    caller.store.unread.mark_read(room_of(caller, id), caller.user)


@method("unreadMessages")
def unread_messages(caller: Caller, first: Any = None, id: Any = None) -> None:
    if isinstance(first, dict) and first:
        caller.store.unread.mark_unread(caller.user, message=message_of(caller, first))
    else:
        caller.store.unread.mark_unread(caller.user, room_id=room_of(caller, id).id)
