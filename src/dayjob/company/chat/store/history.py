"""Reading what was said: history between two moments, threads, search, mentions, stars, pins and what changed since."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.chat.store.conditions import ALL, Condition, among, holding
from dayjob.company.rows import like, placeholders

_WORD = re.compile(r"\w+", re.UNICODE)


class History(Part):
    """Every list of messages; each page costs the same whatever the room's size."""

    def between(
        self,
        room: Room,
        *,
        latest: str | None = None,
        oldest: str | None = None,
        inclusive: bool = False,
        count: int = 20,
        offset: int = 0,
        threads: bool = True,
    ) -> list[Message]:
        """Newest first."""
        where, arguments = "room_id = ?", [room.id]
        if latest:
            where += f" AND at {'<=' if inclusive else '<'} ?"
            arguments.append(latest)
        if oldest:
            where += f" AND at {'>=' if inclusive else '>'} ?"
            arguments.append(oldest)
        if not threads:
            where += " AND (thread_id IS NULL OR thread_shown)"
        if hidden := self.store.rooms.hidden_types(room):
            where += f" AND (type IS NULL OR type NOT IN ({placeholders(hidden)}))"
            arguments += hidden
        return self.store.many(
            Message,
            f"messages WHERE {where} ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?",
            *arguments,
            count or -1,
            offset,
        )

    def unread_from(self, room: Room, user: User, *, oldest: str | None) -> tuple[Message | None, int]:
        """The first message a person has not read, and how many there are."""
        member = self.store.members.find(room.id, user.id)
        since = max(filter(None, (member.last_seen if member else None, oldest)), default="")
        first = self.store.one(
            Message,
            "messages WHERE room_id = ? AND at > ? AND user_id != ? ORDER BY at, seq LIMIT 1",
            room.id,
            since,
            user.id,
        )
        total = self.store.value(
            "SELECT count(*) FROM messages WHERE room_id = ? AND at > ? AND user_id != ?", room.id, since, user.id
        )
        return first, total

    def listing(self, room: Room, page: Page, condition: Condition = ALL) -> tuple[list[Message], int]:
        """The messages of a room, newest first unless the page says otherwise."""
        where, arguments = condition.sql, condition.arguments
        inside = f"messages WHERE room_id = ? AND ({where})"
        total = (
            room.messages
            if condition == ALL
            else self.store.value(f"SELECT count(*) FROM {inside}", room.id, *arguments)
        )
        found = self.store.many(
            Message, f"{inside} ORDER BY {page.order or 'at DESC, seq DESC'} LIMIT ? OFFSET ?",
            room.id, *arguments, page.limit, page.offset,
        )  # fmt: skip
        return found, total

    @staticmethod
    def marked(
        *, pinned: bool | None = None, mentioning: Sequence[str] = (), starred_by: Sequence[str] = ()
    ) -> Condition:
        """Messages that are pinned or not, that mention one of these people, that one of these people starred."""
        condition = ALL if pinned is None else Condition("pinned = ?", (pinned,))
        for table, ids in (("mentions", mentioning), ("stars", starred_by)):
            if ids:
                condition &= Condition(
                    f"seq IN (SELECT message_seq FROM {table} WHERE user_id IN ({placeholders(ids)}))", tuple(ids)
                )
        return condition

    def after(self, room: Room, moment: str, count: int) -> list[Message]:
        """The first messages of a room after a moment, without those that stand in threads only."""
        return self.store.many(
            Message,
            "messages WHERE room_id = ? AND at > ? AND (thread_id IS NULL OR thread_shown) ORDER BY at, seq LIMIT ?",
            room.id, moment, count,
        )  # fmt: skip

    def search(self, room: Room, text: str, page: Page) -> list[Message]:
        """Messages that hold every word; a `/pattern/` or anything without words is looked for as it stands."""
        words = _WORD.findall(text)
        if words and not text.startswith("/"):
            wanted = " ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
            return self.store.many(
                Message,
                "messages m JOIN messages_text t ON t.rowid = m.seq WHERE t.messages_text MATCH ? AND m.room_id = ? "
                "AND m.type IS NULL ORDER BY t.rowid DESC LIMIT ? OFFSET ?",
                f'room_id : "{room.id}" AND text : ({wanted})', room.id, page.limit, page.offset,
            )  # fmt: skip
        return self.store.many(
            Message,
            "messages WHERE room_id = ? AND type IS NULL AND text LIKE ? ESCAPE '\\' ORDER BY at DESC, seq DESC LIMIT "
            "? OFFSET ?",
            room.id,
            like(text.strip("/")),
            page.limit,
            page.offset,
        )

    def search_all(self, user: User, text: str, page: Page) -> list[Message]:
        """Messages with every word in any room the person is in, and in public channels they may read; newest first."""
        words = _WORD.findall(text)
        if not words:
            return []
        wanted = " ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
        channels = self.store.access.channels_of(user)
        return self.store.many(
            Message,
            "messages m JOIN messages_text t ON t.rowid = m.seq "
            "WHERE t.messages_text MATCH ? AND m.type IS NULL AND (EXISTS (SELECT 1 FROM memberships x WHERE "
            f"x.room_id = m.room_id AND x.user_id = ?) OR m.room_id IN (SELECT id FROM rooms WHERE {channels.sql})) "
            "ORDER BY t.rowid DESC LIMIT ? OFFSET ?",
            f"text : ({wanted})", user.id, *channels.arguments, page.limit, page.offset,
        )  # fmt: skip

    # -- threads -------------------------------------------------------------------------------------------------

    def threads(
        self, room: Room, page: Page, *, following: User | None = None, unread: list[str] | None = None, text: str = ""
    ) -> tuple[list[Message], int]:
        condition = Condition("room_id = ? AND replies > 0", (room.id,))
        if following is not None:
            condition &= Condition("EXISTS (SELECT 1 FROM json_each(followers) f WHERE f.value = ?)", (following.id,))
        if unread is not None:
            condition &= among("id", unread)
        if text:
            condition &= holding(text, "text")
        inside, order = f"messages WHERE {condition.sql}", page.order or "last_reply_at DESC"
        return self.store.page(Message, inside, page, order, *condition.arguments)

    def thread(self, root: Message, page: Page) -> tuple[list[Message], int]:
        """The replies, oldest first."""
        found = self.store.many(
            Message, f"messages WHERE thread_id = ? ORDER BY {page.order or 'at, seq'} LIMIT ? OFFSET ?",
            root.id, page.limit, page.offset,
        )  # fmt: skip
        return found, root.replies

    def threads_since(self, room: Room, since: str) -> tuple[list[Message], list[tuple[str, str]]]:
        found = self.store.many(
            Message,
            "messages WHERE room_id = ? AND replies > 0 AND updated_at > ? ORDER BY last_reply_at DESC",
            room.id,
            since,
        )
        return found, self.deleted(room, since, Page(count=0))

    def thread_since(self, root: Message, since: str) -> tuple[list[Message], list[tuple[str, str]]]:
        found = self.store.many(
            Message, "messages WHERE thread_id = ? AND updated_at > ? ORDER BY at, seq", root.id, since
        )
        return found, self.deleted(self.store.rooms.must(root.room_id), since, Page(count=0))

    # -- what a person marked ------------------------------------------------------------------------------------

    def pinned(self, room: Room, page: Page) -> tuple[list[Message], int]:
        return self.store.page(Message, "messages WHERE room_id = ? AND pinned", page, "at DESC, seq DESC", room.id)

    def starred(self, room: Room, user: User, page: Page) -> tuple[list[Message], int]:
        return self._marked("stars", room, user, page)

    def mentioning(self, room: Room, user: User, page: Page) -> tuple[list[Message], int]:
        return self._marked("mentions", room, user, page)

    def _marked(self, table: str, room: Room, user: User, page: Page) -> tuple[list[Message], int]:
        total = self.store.value(f"SELECT count(*) FROM {table} WHERE user_id = ? AND room_id = ?", user.id, room.id)
        found = self.store.many(
            Message,
            f"messages m JOIN {table} x ON x.message_seq = m.seq WHERE x.user_id = ? AND x.room_id = ? "
            f"ORDER BY x.message_seq DESC LIMIT ? OFFSET ?",
            user.id, room.id, page.limit, page.offset,
        )  # fmt: skip
        return found, total

    def stargazers(self, messages: Sequence[Message]) -> dict[int, list[str]]:
        """Who starred each of these, by the message's sequence number."""
        found: dict[int, list[str]] = {}
        for start in range(0, len(messages), 500):
            seqs = [message.seq for message in messages[start : start + 500]]
            for seq, user_id in self.store.rows(
                f"SELECT message_seq, user_id FROM stars WHERE message_seq IN ({placeholders(seqs)})", *seqs
            ):
                found.setdefault(seq, []).append(user_id)
        return found

    def discussions(self, room: Room, page: Page, text: str = "") -> tuple[list[Message], int]:
        found = Condition("room_id = ? AND discussion_id IS NOT NULL", (room.id,))
        if text:
            found &= holding(text, "text")
        return self.store.page(Message, f"messages WHERE {found.sql}", page, "at DESC, seq DESC", *found.arguments)

    # -- what changed --------------------------------------------------------------------------------------------

    def updated(self, room: Room, since: str, *, before: str | None = None, limit: int = -1) -> list[Message]:
        return self.store.many(
            Message,
            "messages WHERE room_id = ? AND updated_at > ? AND updated_at < ? ORDER BY updated_at DESC, seq DESC "
            "LIMIT ?",
            room.id,
            since,
            before or "9999",
            limit,
        )

    def deleted(self, room: Room, since: str, page: Page) -> list[tuple[str, str]]:
        """(id, when) of messages removed since a moment."""
        return [
            (str(id), str(at))
            for id, at in self.store.rows(
                "SELECT id, at FROM deleted_messages WHERE room_id = ? AND at > ? ORDER BY at DESC, id LIMIT ? OFFSET "
                "?",
                room.id,
                since,
                page.limit,
                page.offset,
            )
        ]

    def deleted_count(self, room: Room, since: str) -> int:
        return int(
            self.store.value("SELECT count(*) FROM deleted_messages WHERE room_id = ? AND at > ?", room.id, since)
        )

    def clean(
        self, room: Room, *, latest: str, oldest: str, inclusive: bool, users: list[str], limit: int, keep_pinned: bool,
        files_only: bool, keep_threads: bool, keep_discussions: bool,
    ) -> int:  # fmt: skip
        """Remove messages of a stretch of time; how many went."""
        low, high = (">=", "<=") if inclusive else (">", "<")
        where, arguments = f"room_id = ? AND at {low} ? AND at {high} ?", [room.id, oldest, latest]
        if users:
            where += f" AND username IN ({placeholders(users)})"
            arguments += users
        for wanted, clause in (
            (keep_pinned, "NOT pinned"),
            (files_only, "files IS NOT NULL"),
            (keep_threads, "thread_id IS NULL AND replies = 0"),
            (keep_discussions, "discussion_id IS NULL"),
        ):
            if wanted:
                where += f" AND {clause}"
        found = self.store.many(Message, f"messages WHERE {where} ORDER BY at LIMIT ?", *arguments, limit or -1)
        with self.store.change():
            for message in found:
                self.store.messages.erase(message)
        return len(found)

    def readers(self, message: Message) -> list[tuple[User, str]]:
        """Those who have seen a room since a message was written in it, and when they last looked."""
        rows = self.store.rows(
            "SELECT user_id, last_seen FROM memberships WHERE room_id = ? AND last_seen >= ? ORDER BY last_seen, "
            "user_id",
            message.room_id,
            message.at,
        )
        pairs = [(self.store.accounts.get(user_id), str(seen)) for user_id, seen in rows]
        return [(user, seen) for user, seen in pairs if user is not None]
