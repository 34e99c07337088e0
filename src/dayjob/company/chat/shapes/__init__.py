"""Rows as Rocket.Chat writes them in JSON."""

from dayjob.company.chat.shapes.administration import (
    emoji,
    inquiry,
    integration,
    invite,
    permission,
    report,
    role,
    setting,
    team,
    team_member,
    visitor,
)
from dayjob.company.chat.shapes.base import Json, given
from dayjob.company.chat.shapes.messages import message, messages, upload
from dayjob.company.chat.shapes.people import account, me, member, person, profile, reference, seen_by
from dayjob.company.chat.shapes.rooms import direct, role_holder, room, rooms, subscription

__all__ = [
    "Json",
    "account",
    "direct",
    "emoji",
    "given",
    "inquiry",
    "integration",
    "invite",
    "me",
    "member",
    "message",
    "messages",
    "permission",
    "person",
    "profile",
    "reference",
    "report",
    "role",
    "role_holder",
    "room",
    "rooms",
    "seen_by",
    "setting",
    "subscription",
    "team",
    "team_member",
    "upload",
    "visitor",
]
