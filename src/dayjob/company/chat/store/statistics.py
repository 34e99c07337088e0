"""How much there is in a workspace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dayjob.company.chat.store.base import Part


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of a workspace; rooms and messages by the type of room."""

    installed_at: str
    users: int
    active_users: int
    statuses: Counter[str]
    rooms: dict[str, int]
    messages: dict[str, int]
    discussions: int
    threads: int
    uploads: int
    uploaded_bytes: int
    teams: int


class Statistics(Part):
    """Counting, for those who administer a workspace."""

    def figures(self) -> Figures:
        store = self.store
        users, active = store.rows("SELECT count(*), coalesce(sum(active != 0), 0) FROM users")[0]
        uploads, size = store.rows("SELECT count(*), coalesce(sum(size), 0) FROM uploads")[0]
        return Figures(
            installed_at=store.value("SELECT created_at FROM rooms WHERE id = 'GENERAL'") or store.now(),
            users=users,
            active_users=active,
            statuses=Counter(dict(store.rows("SELECT status, count(*) FROM users GROUP BY status"))),
            rooms=dict(store.rows("SELECT type, count(*) FROM rooms GROUP BY type")),
            messages=dict(store.rows("SELECT type, sum(messages) FROM rooms GROUP BY type")),
            discussions=store.value("SELECT count(*) FROM rooms WHERE parent_id IS NOT NULL"),
            threads=store.value("SELECT count(*) FROM messages WHERE replies > 0"),
            uploads=uploads,
            uploaded_bytes=size,
            teams=store.value("SELECT count(*) FROM teams"),
        )
