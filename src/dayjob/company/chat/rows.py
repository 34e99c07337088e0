"""The rows of chat's tables as typed values. Field order is column order, so a row becomes a value without looking."""

from __future__ import annotations

import json
from dataclasses import dataclass


class HasRoles:
    """Somebody in the workspace, or in a room, with roles there."""

    __slots__ = ()
    roles: str

    def role_list(self) -> list[str]:
        found: list[str] = json.loads(self.roles)
        return found


@dataclass(slots=True)
class User(HasRoles):
    """An account. `roles`, `preferences` and `custom_fields` are JSON text."""

    id: str
    username: str
    name: str
    email: str | None
    email_verified: int
    type: str
    roles: str
    active: int
    bio: str | None
    nickname: str | None
    status: str
    status_default: str
    status_text: str
    avatar: str | None
    avatar_type: str | None
    avatar_etag: str | None
    language: str | None
    preferences: str
    custom_fields: str | None
    must_change_password: int
    created_at: str
    updated_at: str
    last_login: str | None


@dataclass(slots=True)
class Room:
    """A channel (`c`), a private group (`p`), a direct room (`d`) or a customer's conversation (`l`)."""

    id: str
    type: str
    name: str | None
    fname: str | None
    owner_id: str | None
    topic: str | None
    announcement: str | None
    description: str | None
    read_only: int
    react_read_only: int
    archived: int
    is_default: int
    featured: int
    broadcast: int
    encrypted: int
    join_code: str | None
    custom_fields: str | None
    muted: str
    uids: str | None
    parent_id: str | None
    team_id: str | None
    team_main: int
    team_default: int
    created_at: str
    updated_at: str
    last_at: str | None
    last_message: str | None
    messages: int
    members: int
    hidden_lines: str | None = None  # JSON: the types of system messages not shown; None leaves it to the workspace


@dataclass(slots=True)
class Membership(HasRoles):
    """One person in one room, with what they have not read there."""

    id: str
    room_id: str
    user_id: str
    room_type: str
    roles: str
    open: int
    alert: int
    favorite: int
    unread: int
    user_mentions: int
    group_mentions: int
    unread_threads: str
    last_seen: str | None
    ignored: str
    notifications: str
    blocked: int
    blocker: int
    created_at: str
    updated_at: str


@dataclass(slots=True)
class Message:
    """A message. `type` is set on those the service writes itself (`uj`: somebody joined)."""

    seq: int
    id: str
    room_id: str
    user_id: str
    username: str
    user_name: str
    at: str
    text: str
    type: str | None
    alias: str | None
    avatar: str | None
    emoji: str | None
    groupable: int
    thread_id: str | None
    thread_shown: int
    replies: int
    last_reply_at: str | None
    followers: str
    edited_at: str | None
    edited_by: str | None
    pinned: int
    pinned_at: str | None
    pinned_by: str | None
    reactions: str
    attachments: str | None
    files: str | None
    urls: str
    mentions: str
    channels: str
    discussion_id: str | None
    custom_fields: str | None
    bot: str | None
    updated_at: str


@dataclass(slots=True)
class Upload:
    """A file somebody put into a room; its bytes are the blob."""

    id: str
    room_id: str
    user_id: str
    name: str
    type: str
    size: int
    blob: str
    description: str | None
    complete: int
    uploaded_at: str


@dataclass(slots=True)
class Role:
    id: str
    name: str
    scope: str
    description: str
    protected: int
    mandatory_2fa: int
    updated_at: str


@dataclass(slots=True)
class Setting:
    id: str
    value: str
    type: str
    public: int
    section: str
    updated_at: str


@dataclass(slots=True)
class Team:
    id: str
    name: str
    type: int
    room_id: str
    created_by: str
    created_at: str
    updated_at: str


@dataclass(slots=True)
class TeamMember:
    team_id: str
    user_id: str
    roles: str
    created_by: str
    created_at: str


@dataclass(slots=True)
class Invite:
    id: str
    room_id: str
    user_id: str
    days: int
    max_uses: int
    uses: int
    expires: str | None
    created_at: str
    updated_at: str


@dataclass(slots=True)
class Integration:
    id: str
    type: str
    name: str
    enabled: int
    username: str
    user_id: str
    channels: str
    facts: str
    token: str
    created_by: str
    created_at: str
    updated_at: str


@dataclass(slots=True)
class Report:
    id: str
    kind: str
    message: str | None
    message_id: str | None
    room_id: str | None
    user_id: str
    description: str
    reported_by: str
    at: str
    hidden: int


@dataclass(slots=True)
class Emoji:
    id: str
    name: str
    aliases: str
    extension: str
    blob: str
    type: str
    updated_at: str


@dataclass(slots=True)
class Visitor:
    """A customer who writes from outside (livechat)."""

    id: str
    token: str
    username: str
    name: str | None
    facts: str
    at: str


@dataclass(slots=True)
class Inquiry:
    """A customer's conversation waiting for, or taken by, an agent."""

    id: str
    room_id: str
    visitor_id: str
    name: str
    status: str
    agent_id: str | None
    at: str
    updated_at: str
