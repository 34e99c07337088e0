"""Messages and the files that belong to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dayjob.company.chat.rows import Message, Upload
from dayjob.company.chat.shapes.base import Json, given
from dayjob.company.chat.shapes.people import reference
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.uploads import path as upload_path


def message(store: Store, found: Message, stars: list[str] | None = None) -> Json:
    """`stars` are the ids of those who starred it, when the caller knows them already."""
    custom = json.loads(found.custom_fields) if found.custom_fields else None
    written: Json = {
        "_id": found.id,
        "rid": found.room_id,
        "msg": found.text,
        "ts": found.at,
        "u": {"_id": found.user_id, "username": found.username, "name": found.user_name},
        "_updatedAt": found.updated_at,
        "urls": _parsed(found.urls),
        "mentions": _parsed(found.mentions),
        "channels": _parsed(found.channels),
    }
    if found.type is not None:
        written["t"] = found.type
        if custom and "role" in custom:
            written["role"] = custom["role"]
    elif custom is not None:
        written["customFields"] = custom
    for key, value in (("alias", found.alias), ("avatar", found.avatar), ("emoji", found.emoji)):
        if value is not None:
            written[key] = value
    if not found.groupable:
        written["groupable"] = False
    if found.bot is not None:
        written["bot"] = json.loads(found.bot)
    if found.thread_id is not None:
        written["tmid"] = found.thread_id
        if found.thread_shown:
            written["tshow"] = True
    if found.replies:
        written |= {"tcount": found.replies, "tlm": found.last_reply_at}
    if found.followers != "[]":
        written["replies"] = json.loads(found.followers)
    if found.edited_at is not None:
        written |= {"editedAt": found.edited_at, "editedBy": json.loads(found.edited_by or "{}")}
    if found.pinned_at is not None:
        written["pinned"] = bool(found.pinned)
        if found.pinned:
            written |= {"pinnedAt": found.pinned_at, "pinnedBy": json.loads(found.pinned_by or "{}")}
    if found.reactions != "{}":
        written["reactions"] = json.loads(found.reactions)
    if found.attachments is not None:
        written["attachments"] = json.loads(found.attachments)
    if found.files is not None:
        files = json.loads(found.files)
        written |= {"file": files[0], "files": files}
    if found.discussion_id is not None:
        place = store.rooms.get(found.discussion_id)
        written |= {"drid": found.discussion_id, "dcount": place.messages if place else 0}
        if place is not None and place.last_at:
            written["dlm"] = place.last_at
    if stars is None:
        stars = store.history.stargazers([found]).get(found.seq)
    if stars:
        written["starred"] = [{"_id": one} for one in stars]
    return written


def messages(store: Store, found: Sequence[Message]) -> list[Json]:
    stars = store.history.stargazers(found) if found else {}
    return [message(store, one, stars.get(one.seq, [])) for one in found]


def _parsed(text: str) -> list[Any]:
    """A list kept as text; most are empty, and those need no parser."""
    if text == "[]":
        return []
    found: list[Any] = json.loads(text)
    return found


def upload(store: Store, found: Upload, base: str) -> Json:
    link = upload_path(found)
    return given(
        {
            "_id": found.id,
            "name": found.name,
            "size": found.size,
            "type": found.type,
            "typeGroup": found.type.partition("/")[0],
            "rid": found.room_id,
            "userId": found.user_id,
            "description": found.description,
            "store": "FileSystem:Uploads",
            "complete": bool(found.complete),
            "uploading": False,
            "progress": 1,
            "extension": found.name.rpartition(".")[2] if "." in found.name else "",
            "etag": found.blob[:17],
            "path": link,
            "url": f"{base}{link}",
            "uploadedAt": found.uploaded_at,
            "_updatedAt": found.uploaded_at,
            "user": reference(store, found.user_id),
        }
    )
