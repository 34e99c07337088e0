"""The rooms a person is in, as the list at the side shows them: by kind, with what is unread."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote

from dayjob.company.chat.pages.page import picture
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Store

_SQL = """
SELECT r.id, r.type, r.name, r.fname, r.uids, r.parent_id, m.unread, m.alert, m.user_mentions, m.favorite
FROM memberships m JOIN rooms r ON r.id = m.room_id
WHERE m.user_id = ? AND m.open AND r.type IN ('c', 'p', 'd') AND NOT r.archived
ORDER BY coalesce(r.fname, r.name) COLLATE NOCASE
"""


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
    found = [_entry(store, user, *row) for row in store.rows(_SQL, user.id)]
    rest = [one for one in found if not one.favorite]
    directs = sorted((one for one in rest if one.kind == "direct"), key=lambda one: (not one.unread, one.title.lower()))
    sections = [
        ("Favorites", [one for one in found if one.favorite]),
        ("Channels", [one for one in rest if one.kind in ("channel", "group")]),
        ("Discussions", [one for one in rest if one.kind == "discussion"]),
        ("Direct messages", directs),
    ]
    return [(heading, rooms) for heading, rooms in sections if rooms]


def _entry(
    store: Store, user: User, id: str, type: str, name: str | None, fname: str | None, uids: str | None,
    parent: str | None, unread: int, alert: int, mentions: int, favorite: int,
) -> Entry:  # fmt: skip
    count = unread
    entry = Entry(id, "channel", fname or name or id, "", count, bool(alert or unread), bool(favorite))
    if type == "d":
        people = [one for one in map(store.accounts.get, json.loads(uids or "[]")) if one is not None]
        others = [one for one in people if one.id != user.id] or people[:1]
        entry.kind, entry.title = "direct", ", ".join(one.name for one in others) or "Nobody"
        if len(others) == 1:
            entry.person, entry.picture = others[0], picture(others[0])
            entry.href = f"/direct/{quote(others[0].username)}"
        else:
            entry.href = f"/direct/{quote(id)}"
        return entry
    entry.kind = "discussion" if parent else "channel" if type == "c" else "group"
    entry.href = f"/{'channel' if type == 'c' else 'group'}/{quote(name or id)}"
    return entry
