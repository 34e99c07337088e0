"""What is new to whom: unread messages and mentions, what was read, and how a room stands for a person."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.chat.errors import ChatError, no_room
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store.base import Part
from dayjob.company.rows import packed

_COUNTED = {
    "all_messages": frozenset({"all", "name", "call"}),
    "user_mentions_only": frozenset({"name"}),
    "group_mentions_only": frozenset({"call"}),
    "user_and_group_mentions_only": frozenset({"name", "call"}),
    "mentions_only": frozenset({"name", "call"}),
}


class Unread(Part):
    """Counts kept with each membership."""

    def note_message(self, room: Room, message: Message, mentioned: set[str], everybody: bool) -> None:
        """Mark a new message as unread for everyone else in the room."""
        now = message.updated_at
        counted = self._counted(room)
        counts_all, counts_call = "all" in counted, everybody and "call" in counted
        if message.thread_id is not None and not message.thread_shown:
            self._note_reply(room, message, mentioned)
            return
        if counts_all or everybody:
            self.store.run(
                "UPDATE memberships SET alert = 1, open = 1, unread = unread + ?, group_mentions = group_mentions + ?, "
                "updated_at = ? WHERE room_id = ? AND user_id != ?",
                int(counts_all or counts_call), int(everybody), now, room.id, message.user_id,
            )  # fmt: skip
        else:
            # Most members of a busy channel are marked already; those rows stay untouched.
            self.store.run(
                "UPDATE memberships SET alert = 1, open = 1, updated_at = ? "
                "WHERE room_id = ? AND user_id != ? AND NOT (alert AND open)",
                now, room.id, message.user_id,
            )  # fmt: skip
        for user_id in mentioned:
            self.store.run(
                "UPDATE memberships SET unread = unread + ?, user_mentions = user_mentions + 1, updated_at = ? "
                "WHERE room_id = ? AND user_id = ? AND user_id != ?",
                int("name" in counted and not (counts_all or counts_call)), now, room.id, user_id, message.user_id,
            )  # fmt: skip
        self.store.run(
            "UPDATE memberships SET open = 1, last_seen = ?, alert = 0, unread = 0, user_mentions = 0, "
            "group_mentions = 0, updated_at = ? WHERE room_id = ? AND user_id = ?",
            now, now, room.id, message.user_id,
        )  # fmt: skip

    def _counted(self, room: Room) -> frozenset[str]:
        """Which messages a room's number counts: all, those that name somebody, those that call everybody."""
        if room.type == "l":
            return _COUNTED["all_messages"]
        chosen = self.store.settings.get("Unread_Count_DM" if room.type == "d" else "Unread_Count")
        return _COUNTED.get(chosen, _COUNTED["user_and_group_mentions_only"])

    def _note_reply(self, room: Room, message: Message, mentioned: set[str]) -> None:
        root = self.store.messages.get(message.thread_id or "")
        followers = set(json.loads(root.followers)) if root else set()
        for user_id in sorted((followers | mentioned) - {message.user_id}):
            member = self.store.members.find(room.id, user_id)
            if member is None:
                continue
            threads = json.loads(member.unread_threads)
            if message.thread_id not in threads:
                threads.append(message.thread_id)
            mention = int(user_id in mentioned)
            self.store.run(
                "UPDATE memberships SET unread_threads = ?, alert = 1, unread = unread + ?, "
                "user_mentions = user_mentions + ?, updated_at = ? WHERE id = ?",
                packed(threads), int(mention and "name" in self._counted(room)), mention, message.updated_at, member.id,
            )  # fmt: skip

    def mark_read(self, room: Room, user: User) -> None:
        member = self.store.members.must(room.id, user.id)
        now = self.store.now()
        with self.store.change():
            self.store.update(
                "memberships", member.id, alert=0, open=1, unread=0, user_mentions=0, group_mentions=0,
                unread_threads="[]", last_seen=now, updated_at=now,
            )  # fmt: skip
            self.store.announce("membership", kind="updated", room_id=room.id, user_id=user.id)

    def mark_unread(self, user: User, *, room_id: str | None = None, message: Message | None = None) -> None:
        """From a message on, or from the newest message of a room."""
        if message is None:
            message = self.store.one(
                Message,
                "messages WHERE room_id = ? AND user_id != ? ORDER BY at DESC, seq DESC LIMIT 1",
                room_id,
                user.id,
            )
            if message is None:
                if room_id is None or self.store.members.find(room_id, user.id) is None:
                    raise ChatError("Not allowed", "error-action-not-allowed")
                return
        elif message.user_id == user.id:
            raise ChatError("Not allowed", "error-action-not-allowed")
        member = self.store.members.must(message.room_id, user.id)
        before = self.store.value(
            "SELECT max(at) FROM messages WHERE room_id = ? AND at < ?", message.room_id, message.at
        )
        with self.store.change():
            self.store.update(
                "memberships", member.id, alert=1, open=1, last_seen=before or member.created_at,
                unread=max(member.unread, 1), updated_at=self.store.now(),
            )  # fmt: skip
            self.store.announce("membership", kind="updated", room_id=message.room_id, user_id=user.id)

    def counters(self, room: Room, user: User) -> dict[str, Any]:
        """How a room stands for a person."""
        member = self.store.members.find(room.id, user.id)
        joined = member is not None
        unread = 0
        unread_from = None
        if member is not None:
            unread_from = member.last_seen or member.created_at
            unread = self.store.value(
                "SELECT count(*) FROM messages WHERE room_id = ? AND at > ? AND user_id != ? AND thread_id IS NULL",
                room.id, unread_from, user.id,
            )  # fmt: skip
        if not joined and not self.store.access.may_read(user, room):
            raise no_room()
        return {
            "joined": joined,
            "members": room.members,
            "unreads": unread,
            "unreadsFrom": unread_from,
            "msgs": room.messages,
            "latest": room.last_at,
            "userMentions": member.user_mentions if member else 0,
        }
