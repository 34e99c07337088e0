"""A message as a page shows it: text as HTML, reactions, files, who may do what with it, and where a day begins."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from dayjob.company.chat.pages import emoji
from dayjob.company.chat.pages.page import picture, room_path
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Store
from dayjob.company.clock import moment
from dayjob.company.pages import markdown

_MENTION = re.compile(r"(?<![\w@/])@([0-9a-zA-Z][0-9a-zA-Z._-]*[0-9a-zA-Z_]|[0-9a-zA-Z])")
_CHANNEL = re.compile(r"(?<![\w#/&])#([0-9a-zA-Z][0-9a-zA-Z._-]*[0-9a-zA-Z_]|[0-9a-zA-Z])")
_GROUPED = timedelta(minutes=5)
_LINES = {
    "uj": "joined the channel", "ul": "left the channel", "au": "added {text}", "ru": "removed {text}",
    "r": "renamed the room to {text}", "room_changed_topic": "changed the topic to “{text}”",
    "room_changed_announcement": "changed the announcement to “{text}”",
    "room_changed_description": "changed the description to “{text}”", "room_changed_privacy": "made the room {text}",
    "room-archived": "archived the room", "room-unarchived": "opened the room again",
    "room-set-read-only": "made the room read-only", "room-removed-read-only": "let everybody write here again",
    "message_pinned": "pinned a message", "discussion-created": "started the discussion “{text}”",
    "user-muted": "muted {text}", "user-unmuted": "let {text} speak again",
    "subscription-role-added": "made {text} {role}", "subscription-role-removed": "took the role {role} from {text}",
}  # fmt: skip


@dataclass(slots=True)
class Attachment:
    """A file, a quotation or a card that belongs to a message."""

    title: str = ""
    link: str = ""
    image: str = ""
    author: str = ""
    text: str = ""
    size: int = 0


@dataclass(slots=True)
class Shown:
    """One message, ready for the template."""

    id: str
    room_id: str
    thread_id: str | None
    at: datetime
    author: str
    username: str
    picture: str | None
    html: str
    line: str
    grouped: bool
    day: str
    new_day: bool
    first_unread: bool
    edited: bool
    pinned: bool
    starred: bool
    replies: int
    last_reply_at: str | None
    discussion: str
    here: str
    reactions: list[tuple[str, str, str, int, bool]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


class Showing:
    """Shows messages of one room to one person."""

    def __init__(self, store: Store, user: User, room: Room) -> None:
        self.store, self.user, self.room = store, user, room
        self.here = room_path(store, room, user)
        self.today = store.clock.now().date()

    def all(self, messages: Sequence[Message], unread_from: str | None = None, *, days: bool = True) -> list[Shown]:
        """In the order given, oldest first; those that follow each other closely are grouped."""
        stars = self.store.history.stargazers(messages)
        found: list[Shown] = []
        before: Message | None = None
        marked = unread_from is None
        for message in messages:
            one = self.one(message, starred=self.user.id in stars.get(message.seq, ()))
            one.new_day = days and (before is None or moment(before.at).date() != one.at.date())
            if not marked and unread_from is not None and message.at > unread_from and message.user_id != self.user.id:
                one.first_unread = marked = True
            one.grouped = (
                before is not None
                and not one.new_day
                and not one.first_unread
                and not one.line
                and before.type is None
                and before.user_id == message.user_id
                and before.alias == message.alias
                and one.at - moment(before.at) < _GROUPED
            )
            found.append(one)
            before = message
        return found

    def one(self, message: Message, *, starred: bool | None = None) -> Shown:
        if starred is None:
            starred = self.user.id in self.store.history.stargazers([message]).get(message.seq, ())
        author = self.store.accounts.get(message.user_id)
        at = moment(message.at)
        discussion = self.store.rooms.get(message.discussion_id) if message.discussion_id else None
        return Shown(
            id=message.id,
            room_id=message.room_id,
            thread_id=message.thread_id,
            at=at,
            author=message.alias or message.user_name,
            username=message.username,
            picture=picture(author) if author else None,
            html=text_html(self.store, self.user, message.text) if message.text and not message.type else "",
            line=_line(message),
            grouped=False,
            day=day_name(at, self.store.clock.now()),
            new_day=False,
            first_unread=False,
            edited=message.edited_at is not None,
            pinned=bool(message.pinned),
            starred=starred,
            replies=message.replies,
            last_reply_at=message.last_reply_at,
            discussion=room_path(self.store, discussion, self.user) if discussion else "",
            here=self.here,
            reactions=self._reactions(message),
            attachments=[self._attachment(one) for one in _list(message.attachments)],
        )

    def _reactions(self, message: Message) -> list[tuple[str, str, str, int, bool]]:
        """(code, sign, who, how many, whether I am among them)"""
        found = []
        for code, given in json.loads(message.reactions).items():
            names = given.get("usernames", [])
            shown = ", ".join("you" if name == self.user.username else self._name(name) for name in names)
            found.append((code.strip(":"), emoji.glyph(code), shown, len(names), self.user.username in names))
        return found

    def _name(self, username: str) -> str:
        user = self.store.accounts.named(username)
        return user.name if user else username

    def _attachment(self, facts: dict[str, Any]) -> Attachment:
        text = str(facts.get("text") or facts.get("description") or "")
        return Attachment(
            title=str(facts.get("title") or ""),
            link=_own(facts.get("title_link")),
            image=_local(facts.get("image_url")),
            author=str(facts.get("author_name") or ""),
            text=text_html(self.store, self.user, text) if text else "",
            size=int(facts["image_size"]) if isinstance(facts.get("image_size"), int) else 0,
        )


def text_html(store: Store, user: User, text: str) -> str:
    """What people wrote, as HTML: Markdown as in chat, with people and channels as links."""

    def person(found: re.Match[str]) -> str | None:
        named = store.accounts.named(found[1])
        return f"/user/{quote(named.username)}" if named is not None else None

    def channel(found: re.Match[str]) -> str | None:
        room = store.rooms.named(found[1])
        known = room is not None and room.type == "c" and store.access.may_read(user, room)
        return f"/channel/{quote(found[1])}" if known else None

    return markdown.render(
        text, breaks=True, star_is_bold=True, references=[(_MENTION, person), (_CHANNEL, channel)],
        words=emoji.replaced,
    )  # fmt: skip


def day_name(at: datetime, now: datetime) -> str:
    days = (now.date() - at.date()).days
    if days in (0, 1):
        return ("Today", "Yesterday")[days]
    return at.strftime("%A, %-d %B %Y")


def _line(message: Message) -> str:
    if message.type is None:
        return ""
    role = json.loads(message.custom_fields).get("role", "") if message.custom_fields else ""
    return _LINES.get(message.type, message.type.replace("_", " ").replace("-", " ")).format(
        text=message.text, role=role
    )


def _list(text: str | None) -> list[dict[str, Any]]:
    found = json.loads(text) if text else []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _own(address: Any) -> str:
    """An address that is safe to link to."""
    if not isinstance(address, str):
        return ""
    try:
        return address if urlsplit(address).scheme in ("", "http", "https") else ""
    except ValueError:
        return ""


def _local(address: Any) -> str:
    """An address on this server, for pictures: nothing is fetched from elsewhere."""
    text = _own(address)
    return text if text.startswith("/") and not text.startswith("//") else ""
