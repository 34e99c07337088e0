"""What changed, in a sentence a person would say: `sam.reed posted "Done." in #launch`."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.changes import Difference
from dayjob.company.chat.store import Store

_LINES = {
    "uj": "joined {room}", "ul": "left {room}", "au": "added {text} to {room}", "ru": "removed {text} from {room}",
    "r": "renamed a room to {text}", "room_changed_topic": "set the topic of {room} to \"{text}\"",
    "room_changed_announcement": "set the announcement of {room} to \"{text}\"",
    "room_changed_description": "set the description of {room} to \"{text}\"", "room-archived": "archived {room}",
    "room-unarchived": "unarchived {room}", "message_pinned": "pinned a message in {room}",
    "discussion-created": "started the discussion \"{text}\" in {room}",
}  # fmt: skip


_KINDS = {
    "uploads": "file", "roles": "role", "permissions": "permission", "settings": "setting", "teams": "team",
    "invites": "invite", "statuses": "custom status", "emojis": "emoji", "integrations": "integration",
    "sounds": "sound", "assets": "asset", "reports": "report", "visitors": "visitor", "inquiries": "inquiry",
}  # fmt: skip


def describe(store: Store, difference: Difference) -> str:
    """One sentence: who did what to what."""
    who = difference.by or "somebody"
    row = difference.after or difference.before or {}
    tell = {"messages": _message, "rooms": _room, "memberships": _membership, "users": _user}.get(difference.table)
    if tell is not None:
        return f"{who} {tell(store, difference, row)}"
    name = row.get("name") or row.get("id") or difference.key
    kind = _KINDS.get(difference.table, difference.table)
    return f'{who} {difference.op} the {kind} "{name}"{_fields(difference)}'


def place(store: Store, room_id: str | None) -> str:
    """A room as people call it."""
    room = store.rooms.get(room_id) if room_id else None
    if room is None:
        return "a room that is gone"
    if room.type == "d":
        people = [user.username for user in map(store.accounts.get, json.loads(room.uids or "[]")) if user]
        return f"the direct messages of {' and '.join(people)}"
    return f"#{room.name}"


def _message(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    room, text = place(store, row.get("room_id")), _short(row.get("text"))
    if difference.op == "added":
        if row.get("type") is not None:
            return _LINES.get(str(row["type"]), f"left a line ({row['type']}) in {{room}}").format(room=room, text=text)
        if row.get("files"):
            names = ", ".join(one["name"] for one in json.loads(row["files"]))
            return f"sent the file {names} to {room}"
        return f'replied "{text}" in a thread in {room}' if row.get("thread_id") else f'posted "{text}" in {room}'
    if difference.op == "removed":
        return f'deleted "{text}" from {room}'
    changed = difference.changed_columns()
    before = _short((difference.before or {}).get("text"))
    if "text" in changed:
        return f'changed "{before}" to "{text}" in {room}'
    if "reactions" in changed:
        return f'changed the reactions to "{text}" in {room}'
    if "pinned" in changed:
        return f'{"pinned" if row.get("pinned") else "unpinned"} "{text}" in {room}'
    return f'changed "{text}" in {room}{_fields(difference)}'


def _room(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    name = place(store, row.get("id")) if row.get("type") == "d" else f"#{row.get('name')}"
    kind = {"c": "the channel ", "p": "the private group "}.get(str(row.get("type")), "")
    verb = {"added": "created", "removed": "deleted", "changed": "changed"}[difference.op]
    return f"{verb} {kind}{name}{_fields(difference)}"


def _membership(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    user = store.accounts.get(str(row.get("user_id")))
    name, room = user.username if user else "somebody", place(store, row.get("room_id"))
    if difference.op == "added":
        return f"made {name} a member of {room}"
    if difference.op == "removed":
        return f"ended the membership of {name} in {room}"
    return f"changed the membership of {name} in {room}{_fields(difference)}"


def _user(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    verb = {"added": "created", "removed": "deleted", "changed": "changed"}[difference.op]
    return f"{verb} the account {row.get('username')}{_fields(difference)}"


def _fields(difference: Difference) -> str:
    return f" ({', '.join(difference.changed_columns())})" if difference.op == "changed" else ""


def _short(text: object) -> str:
    words = " ".join(str(text or "").split())
    return words if len(words) <= 120 else words[:119] + "…"
