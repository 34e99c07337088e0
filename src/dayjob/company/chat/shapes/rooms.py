"""Rooms, and what a room is to one of its members."""

from __future__ import annotations

import json
from collections.abc import Iterable

from dayjob.company.chat.rows import Membership, Room, User
from dayjob.company.chat.shapes.base import Json, given
from dayjob.company.chat.shapes.messages import message
from dayjob.company.chat.shapes.people import person, reference
from dayjob.company.chat.store import Store


def room(store: Store, found: Room, *, last: bool = True) -> Json:
    written = given(
        {
            "_id": found.id,
            "t": found.type,
            "name": found.name,
            "fname": found.fname,
            "msgs": found.messages,
            "usersCount": found.members,
            "u": reference(store, found.owner_id),
            "topic": found.topic,
            "announcement": found.announcement,
            "description": found.description,
            "customFields": json.loads(found.custom_fields) if found.custom_fields else {},
            "broadcast": bool(found.broadcast),
            "encrypted": bool(found.encrypted),
            "ts": found.created_at,
            "ro": bool(found.read_only),
            "reactWhenReadOnly": True if found.react_read_only else None,
            "default": bool(found.is_default),
            "featured": True if found.featured else None,
            "archived": True if found.archived else None,
            "joinCodeRequired": True if found.join_code else None,
            "sysMes": True if found.hidden_lines is None else json.loads(found.hidden_lines),
            "prid": found.parent_id,
            "teamId": found.team_id,
            "teamMain": True if found.team_main else None,
            "teamDefault": True if found.team_default else None,
            "muted": json.loads(found.muted) or None,
            "lm": found.last_at,
            "_updatedAt": found.updated_at,
        }
    )
    if found.type == "d":
        uids = json.loads(found.uids or "[]")
        people = [user for user in map(store.accounts.get, uids) if user is not None]
        written |= {"uids": uids, "usernames": [user.username for user in people]}
    if last and found.last_message is not None:
        newest = store.messages.get(found.last_message)
        if newest is not None:
            written["lastMessage"] = message(store, newest, [])
    return written


def rooms(store: Store, found: Iterable[Room]) -> list[Json]:
    return [room(store, one) for one in found]


def direct(store: Store, found: Room, viewer: User) -> Json:
    """A new or opened direct room, as its creation answers."""
    written = room(store, found)
    return written | {"rid": found.id}


def subscription(store: Store, found: Membership, place: Room | None = None) -> Json:
    """What a room is to one of its members."""
    place = place or store.rooms.get(found.room_id)
    user = store.accounts.get(found.user_id)
    name, fname = (place.name, place.fname) if place else (None, None)
    if place is not None and place.type == "d" and user is not None:
        others = [store.accounts.get(one) for one in json.loads(place.uids or "[]") if one != user.id]
        people = [one for one in others if one is not None] or [user]
        name = ", ".join(one.username for one in people)
        fname = ", ".join(one.name for one in people)
    unread_threads = json.loads(found.unread_threads)
    ignored = json.loads(found.ignored)
    return given(
        {
            "_id": found.id,
            "rid": found.room_id,
            "t": found.room_type,
            "name": name,
            "fname": fname,
            "u": person(user) if user else None,
            "open": bool(found.open),
            "alert": bool(found.alert),
            "unread": found.unread,
            "userMentions": found.user_mentions,
            "groupMentions": found.group_mentions,
            "tunread": unread_threads or None,
            "ignored": ignored or None,
            "f": True if found.favorite else None,
            "roles": found.role_list() or None,
            "ls": found.last_seen,
            "ts": found.created_at,
            "lr": found.last_seen,
            "blocked": True if found.blocked else None,
            "blocker": True if found.blocker else None,
            "prid": place.parent_id if place else None,
            "teamId": place.team_id if place else None,
            "teamMain": True if place and place.team_main else None,
            "archived": True if place and place.archived else None,
            "_updatedAt": found.updated_at,
            **json.loads(found.notifications),
        }
    )


def role_holder(found: Membership, user: User) -> Json:
    return {"_id": found.id, "rid": found.room_id, "u": person(user), "roles": found.role_list()}
