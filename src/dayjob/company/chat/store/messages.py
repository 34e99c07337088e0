"""Writing messages and what people do with them: edit, delete, react, pin, star, follow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from dayjob.company.chat.defaults import BOT_ID
from dayjob.company.chat.errors import ChatError, no_message, not_allowed
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store.base import Part
from dayjob.company.clock import moment, stamp
from dayjob.company.rows import packed

_MENTION = re.compile(r"(?:^|(?<=[\s(\[>:,;!?*_~\"']))@([0-9a-zA-Z-_.]+)")
_CHANNEL = re.compile(r"(?:^|(?<=[\s(\[>:,;!?*_~\"']))#([0-9a-zA-Z-_.]+)")
_URL = re.compile(r"https?://[^\s<>\"'`|]+")
_EMOJI = re.compile(r":[0-9a-zA-Z_+.-]{1,100}:")


class Messages(Part):
    """Everything that adds, changes or removes a message."""

    def get(self, id: str) -> Message | None:
        return self.store.one(Message, "messages WHERE id = ?", id)

    def must(self, id: str) -> Message:
        found = self.get(id)
        if found is None:
            raise no_message()
        return found

    # -- writing -------------------------------------------------------------------------------------------------

    def post(self, room: Room, user: User, text: str, *, thread_id: str | None = None, **facts: Any) -> Message:
        """Say something in a room, as a person would."""
        self.store.access.require_writing(user, room)
        self._check_text(room, user, text)
        if thread_id is not None:
            root = self.get(thread_id)
            if root is None or root.room_id != room.id:
                raise ChatError("The thread's first message is not in this room", "error-invalid-message")
            thread_id = root.thread_id or root.id
        id = facts.get("id")
        if id is not None and self.get(id) is not None:
            raise ChatError("A message with this id already exists", "error-message-id-in-use")
        return self.write(room, user, text, thread_id=thread_id, **facts)

    def _check_text(self, room: Room, user: User, text: str) -> None:
        """Refuse what is too long, and a call to everybody by somebody who may not."""
        limit = self.store.settings.number("Message_MaxAllowedSize")
        if limit and len(text) > limit:
            raise ChatError(f"The message is longer than {limit} characters", "error-message-size-exceeded")
        called = {name.rstrip(".-_") for name in _MENTION.findall(text)}
        for word in ("all", "here"):
            if word in called and not self.store.access.can(user, f"mention-{word}", room):
                raise ChatError(f"Notify {word} in this room not allowed", "error-action-not-allowed")

    def _too_late(self, message: Message, user: User, room: Room, setting: str) -> bool:
        """Whether a message is older than the minutes in which it can be changed; 0 minutes are no limit."""
        minutes = self.store.settings.number(setting)
        if minutes <= 0 or self.store.access.can(user, "bypass-time-limit-edit-and-delete", room):
            return False
        return self.store.clock.now() - moment(message.at) > timedelta(minutes=minutes)

    def write(
        self,
        room: Room,
        user: User,
        text: str,
        *,
        id: str | None = None,
        type: str | None = None,
        thread_id: str | None = None,
        thread_shown: bool = False,
        alias: str | None = None,
        avatar: str | None = None,
        emoji: str | None = None,
        groupable: bool = True,
        attachments: list[Any] | None = None,
        files: list[Any] | None = None,
        discussion_id: str | None = None,
        custom_fields: dict[str, Any] | None = None,
        bot: dict[str, Any] | None = None,
        quote: Message | None = None,
        quiet: bool = False,
    ) -> Message:
        """Put a message into a room and tell everyone there; checks nothing."""
        now = self.store.now()
        id = id or self.store.ids.short()
        if quote is not None:
            attachments = [quoted(quote), *(attachments or [])]
        mentions, channels = ([], []) if type else self._named_in(text)
        with self.store.change():
            seq = self.store.insert(
                "messages", id=id, room_id=room.id, user_id=user.id, username=user.username, user_name=user.name,
                at=self._moment(room, now), text=text, type=type, alias=alias, avatar=avatar, emoji=emoji,
                groupable=groupable, thread_id=thread_id, thread_shown=thread_shown,
                attachments=packed(attachments) if attachments is not None else None,
                files=packed(files) if files else None, urls=packed(links_in(text)),
                mentions=packed(mentions), channels=packed(channels), discussion_id=discussion_id,
                custom_fields=packed(custom_fields) if custom_fields is not None else None,
                bot=packed(bot) if bot else None, updated_at=now,
            )  # fmt: skip
            message = self.must(id)
            named = {one["_id"] for one in mentions if one["_id"] not in ("all", "here")}
            for user_id in sorted(named):
                self.store.run(
                    "INSERT OR IGNORE INTO mentions (user_id, room_id, message_seq) VALUES (?, ?, ?)",
                    user_id, room.id, seq,
                )  # fmt: skip
            if thread_id is not None:
                self._count_reply(thread_id, message, named)
            if thread_id is None or thread_shown:
                self.store.run(
                    "UPDATE rooms SET messages = messages + 1, last_at = ?, updated_at = ?, "
                    "last_message = CASE WHEN ? THEN ? ELSE last_message END WHERE id = ?",
                    message.at, now, type is None, id, room.id,
                )  # fmt: skip
            else:
                self.store.run("UPDATE rooms SET messages = messages + 1, updated_at = ? WHERE id = ?", now, room.id)
            if type is None and not quiet:
                everybody = any(one["_id"] in ("all", "here") for one in mentions)
                self.store.unread.note_message(room, message, named, everybody)
            self.store.announce("message", message=message, new=True)
        return message

    def _moment(self, room: Room, now: str) -> str:
        """Now, but after the room's last message: clients look for what came after the message they know."""
        if room.last_at is None or now > room.last_at:
            return now
        return stamp(moment(room.last_at) + timedelta(milliseconds=1))

    def system(
        self,
        room: Room,
        user: User,
        type: str,
        text: str,
        *,
        role: str | None = None,
        discussion_id: str | None = None,
        attachments: list[Any] | None = None,
    ) -> Message:
        """A line the service writes itself, such as `uj`: somebody joined."""
        return self.write(
            room, user, text, type=type, groupable=False, discussion_id=discussion_id, attachments=attachments,
            custom_fields={"role": role} if role else None,
        )  # fmt: skip

    def _named_in(self, text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return named_in(text, self.store.accounts.named, self.store.rooms.named)

    def _count_reply(self, thread_id: str, reply: Message, mentioned: set[str]) -> None:
        root = self.must(thread_id)
        followers = json.loads(root.followers)
        for user_id in (root.user_id, reply.user_id, *sorted(mentioned)):
            if user_id not in followers:
                followers.append(user_id)
        self.store.run(
            "UPDATE messages SET replies = replies + 1, last_reply_at = ?, followers = ?, updated_at = ? WHERE seq = ?",
            reply.at, packed(followers), reply.updated_at, root.seq,
        )  # fmt: skip
        self.store.announce("message", message=self.must(thread_id), new=False)

    def link_discussion(self, origin: Message, room: Room) -> None:
        self._change(origin, discussion_id=room.id)

    # -- changing ------------------------------------------------------------------------------------------------

    def _change(self, message: Message, **values: Any) -> Message:
        with self.store.change():
            self.store.update("messages", message.id, **values, updated_at=self.store.now())
            changed = self.must(message.id)
            self.store.announce("message", message=changed, new=False)
        return changed

    def offered(self, message: Message, user: User) -> dict[str, bool]:
        """What somebody who may read a message could do with it."""
        checks: dict[str, Callable[[Message, User], object]] = {
            "edit": self._for_editing,
            "delete": self._for_deleting,
            "pin": self._for_pinning,
            "star": self._for_starring,
        }
        found = {}
        for action, check in checks.items():
            try:
                check(message, user)
                found[action] = True
            except ChatError:
                found[action] = False
        return found

    def _for_editing(self, message: Message, user: User) -> Room:
        room = self.store.rooms.must(message.room_id)
        own = message.user_id == user.id
        if not self.store.access.can(user, "edit-message", room) and not (
            own and self.store.settings.get("Message_AllowEditing")
        ):
            raise ChatError("Message editing not allowed", "error-action-not-allowed")
        if message.type is not None:
            raise ChatError("Message editing not allowed", "error-action-not-allowed")
        if self._too_late(message, user, room, "Message_AllowEditing_BlockEditInMinutes"):
            raise ChatError("Message editing is blocked", "error-message-editing-blocked")
        self.store.access.require_writing(user, room)
        return room

    def edit(self, message: Message, user: User, text: str, attachments: list[Any] | None = None) -> Message:
        room = self._for_editing(message, user)
        self._check_text(room, user, text)
        mentions, channels = self._named_in(text)
        values: dict[str, Any] = {}
        if attachments is not None:
            values["attachments"] = packed(attachments)
        with self.store.change():
            self.store.run("DELETE FROM mentions WHERE message_seq = ?", message.seq)
            for one in mentions:
                if one["_id"] not in ("all", "here"):
                    self.store.run(
                        "INSERT OR IGNORE INTO mentions (user_id, room_id, message_seq) VALUES (?, ?, ?)",
                        one["_id"], room.id, message.seq,
                    )  # fmt: skip
            return self._change(
                message,
                text=text,
                edited_at=self.store.now(),
                edited_by=packed({"_id": user.id, "username": user.username}),
                mentions=packed(mentions),
                channels=packed(channels),
                urls=packed(links_in(text)),
                **values,
            )

    def delete(self, message: Message, user: User) -> None:
        self._for_deleting(message, user)
        self.erase(message)

    def _for_deleting(self, message: Message, user: User) -> None:
        room = self.store.rooms.must(message.room_id)
        access = self.store.access
        allowed = access.can(user, "force-delete-message", room)
        if not allowed and self.store.settings.get("Message_AllowDeleting"):
            own = message.user_id == user.id and access.can(user, "delete-own-message", room)
            late = self._too_late(message, user, room, "Message_AllowDeleting_BlockDeleteInMinutes")
            allowed = (own or access.can(user, "delete-message", room)) and not late
        if not allowed or (self.store.members.find(room.id, user.id) is None and not access.may_read(user, room)):
            raise ChatError("Not allowed", "error-action-not-allowed")

    def erase(self, message: Message) -> None:
        """Remove a message; checks nothing."""
        with self.store.change():
            now = self.store.now()
            if message.thread_id is not None:
                self.store.run(
                    "UPDATE messages SET replies = max(replies - 1, 0), updated_at = ? WHERE id = ?",
                    now,
                    message.thread_id,
                )
            self.store.run("DELETE FROM messages WHERE seq = ?", message.seq)
            self.store.run(
                "INSERT OR REPLACE INTO deleted_messages (id, room_id, at) VALUES (?, ?, ?)",
                message.id,
                message.room_id,
                now,
            )
            last = self.store.rows(
                "SELECT id, at FROM messages WHERE room_id = ? AND type IS NULL AND (thread_id IS NULL OR "
                "thread_shown) "
                "ORDER BY at DESC, seq DESC LIMIT 1",
                message.room_id,
            )
            self.store.run(
                "UPDATE rooms SET messages = max(messages - 1, 0), last_message = ?, updated_at = ? WHERE id = ?",
                last[0][0] if last else None,
                now,
                message.room_id,
            )
            self.store.announce("message-deleted", room_id=message.room_id, message_id=message.id)

    def leave_behind(self, user: User) -> None:
        """What becomes of the messages of an account that goes: they are erased, kept, or given to the bot."""
        kind = self.store.settings.get("Message_ErasureType")
        if kind == "Keep":
            return
        for message in self.store.many(Message, "messages WHERE user_id = ?", user.id):
            if kind == "Unlink":
                self._change(message, user_id=BOT_ID, username=BOT_ID, user_name=BOT_ID, alias="Removed User")
            else:
                self.erase(message)

    # -- reacting ------------------------------------------------------------------------------------------------

    def react(self, message: Message, user: User, emoji: str, should: bool | None = None) -> Message:
        """Add or take back one's reaction; without `should` it is toggled."""
        emoji = f":{emoji.strip(':')}:"
        if not _EMOJI.fullmatch(emoji):
            raise ChatError("Invalid emoji provided.", "error-not-allowed")
        room = self.store.rooms.must(message.room_id)
        self.store.access.require_reacting(user, room)
        reactions: dict[str, dict[str, list[str]]] = json.loads(message.reactions)
        names = reactions.get(emoji, {}).get("usernames", [])
        reacted = user.username in names
        if should is None:
            should = not reacted
        if should == reacted:
            return message
        names = [*names, user.username] if should else [name for name in names if name != user.username]
        if names:
            reactions[emoji] = {"usernames": names}
        else:
            reactions.pop(emoji, None)
        return self._change(message, reactions=packed(reactions))

    def pin(self, message: Message, user: User) -> Message:
        """Pin a message; answers the line in the room that says so."""
        room = self._for_pinning(message, user)
        if message.pinned:
            raise ChatError("Message is already pinned", "error-message-already-pinned")
        with self.store.change():
            self._change(
                message,
                pinned=1,
                pinned_at=self.store.now(),
                pinned_by=packed({"_id": user.id, "username": user.username}),
            )
            return self.system(room, user, "message_pinned", "", attachments=[quoted(message)])

    def unpin(self, message: Message, user: User) -> Message:
        self._for_pinning(message, user)
        return self._change(message, pinned=0, pinned_at=self.store.now(), pinned_by=None)

    def _for_pinning(self, message: Message, user: User) -> Room:
        room = self.store.rooms.must(message.room_id)
        if not self.store.settings.get("Message_AllowPinning"):
            raise ChatError("Message pinning not allowed", "error-action-not-allowed")
        if not self.store.access.may_read(user, room):
            raise not_allowed()
        if room.type != "d" and not self.store.access.can(user, "pin-message", room):
            raise ChatError("Pinning not allowed", "not_authorized")
        return room

    def _for_starring(self, message: Message, user: User) -> Room:
        if not self.store.settings.get("Message_AllowStarring"):
            raise ChatError("Message starring not allowed", "error-action-not-allowed")
        room = self.store.rooms.must(message.room_id)
        if not self.store.access.may_read(user, room):
            raise not_allowed()
        return room

    def star(self, message: Message, user: User, starred: bool) -> None:
        room = self._for_starring(message, user)
        with self.store.change():
            if starred:
                self.store.run(
                    "INSERT OR IGNORE INTO stars (user_id, room_id, message_seq) VALUES (?, ?, ?)",
                    user.id, room.id, message.seq,
                )  # fmt: skip
            else:
                self.store.run("DELETE FROM stars WHERE user_id = ? AND message_seq = ?", user.id, message.seq)
            self._change(message)

    def follow(self, message: Message, user: User, following: bool) -> None:
        if not self.store.settings.get("Threads_enabled"):
            raise ChatError("not-allowed", "error-not-allowed")
        root = self.must(message.thread_id) if message.thread_id else message
        if not self.store.access.may_read(user, self.store.rooms.must(root.room_id)):
            raise not_allowed()
        followers: list[str] = json.loads(root.followers)
        if following == (user.id in followers):
            return
        followers = [*followers, user.id] if following else [one for one in followers if one != user.id]
        self._change(root, followers=packed(followers))


def named_in(
    text: str, user_named: Callable[[str], User | None], room_named: Callable[[str], Room | None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The people and channels a text names with @ and #."""
    mentions: dict[str, dict[str, Any]] = {}
    for name in _MENTION.findall(text):
        if (word := name.rstrip(".-_")) in ("all", "here"):
            mentions[word] = {"_id": word, "username": word}
            continue
        user = user_named(name) or (user_named(word) if word else None)
        if user is not None:
            mentions[user.id] = {"_id": user.id, "username": user.username, "name": user.name, "type": "user"}
    channels: dict[str, dict[str, Any]] = {}
    for name in _CHANNEL.findall(text):
        word = name.rstrip(".-_")
        room = room_named(name) or (room_named(word) if word else None)
        if room is not None and room.type == "c":
            channels[room.id] = {"_id": room.id, "name": room.name}
    return list(mentions.values()), list(channels.values())


def links_in(text: str) -> list[dict[str, str]]:
    return [{"url": url} for url in _URL.findall(text)]


def quoted(message: Message) -> dict[str, Any]:
    """A message as an attachment of another."""
    return {
        "text": message.text,
        "author_name": message.username,
        "author_icon": f"/avatar/{message.username}",
        "ts": message.at,
        "attachments": json.loads(message.attachments) if message.attachments else [],
    }
