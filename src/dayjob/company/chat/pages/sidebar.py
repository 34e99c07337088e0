"""The rooms a person is in, as the list at the side shows them: by kind, with what is unread."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote

from dayjob.company.chat.pages.page import picture
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.rooms import SidebarRoom


@dataclass(slots=True)
class Entry:
    """One room in the list. `count` is the number beside it: messages meant for this person."""

    id: str
    kind: str
    title: str
    href: str
    count: int
    unread: bool
    favorite: bool
    person: User | None = None
    picture: str | None = None


def rooms_of(store: Store, user: User) -> list[tuple[str, list[Entry]]]:
    """(heading, rooms) in the order they are shown; empty sections are left out."""
    found = [_entry(store, user, room) for room in store.rooms.beside(user)]
    rest = [one for one in found if not one.favorite]
    directs = sorted((one for one in rest if one.kind == "direct"), key=lambda one: (not one.unread, one.title.lower()))
    sections = [
        ("Favorites", [one for one in found if one.favorite]),
        ("Channels", [one for one in rest if one.kind in ("channel", "group")]),
        ("Discussions", [one for one in rest if one.kind == "discussion"]),
        ("Direct messages", directs),
    ]
    return [(heading, rooms) for heading, rooms in sections if rooms]


def _entry(store: Store, user: User, room: SidebarRoom) -> Entry:
    title = room.fname or room.name or room.id
    unread = bool(room.alert or room.unread)
    entry = Entry(room.id, "channel", title, "", room.unread, unread, bool(room.favorite))
    if room.type == "d":
        people = [one for one in map(store.accounts.get, json.loads(room.uids or "[]")) if one is not None]
        others = [one for one in people if one.id != user.id] or people[:1]
        entry.kind, entry.title = "direct", ", ".join(one.name for one in others) or "Nobody"
        if len(others) == 1:
            entry.person, entry.picture = others[0], picture(others[0])
            entry.href = f"/direct/{quote(others[0].username)}"
        else:
            entry.href = f"/direct/{quote(room.id)}"
        return entry
    entry.kind = "discussion" if room.parent_id else "channel" if room.type == "c" else "group"
    entry.href = f"/{'channel' if room.type == 'c' else 'group'}/{quote(room.name or room.id)}"
    return entry
