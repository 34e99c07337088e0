"""Users, alone and as members of a workspace or a project."""

from __future__ import annotations

from dayjob.company.board.rows import User
from dayjob.company.board.shapes.base import Shape, picked
from dayjob.company.board.store.accounts import ROLE_SLUGS, Member


def user(user: User) -> Shape:
    shown = picked(user, "id", "first_name", "last_name", "email", "avatar", "display_name")
    return {**shown, "avatar_url": user.avatar or None}


def member(member: Member) -> Shape:
    return {
        **user(member.user),
        "role": member.role,
        "role_slug": ROLE_SLUGS.get(member.role),
        "is_active": member.is_active,
        "is_bot": member.user.is_bot,
    }
