"""Users, alone and as members of a workspace or a project."""

from __future__ import annotations

from dayjob.company.board.rows import User
from dayjob.company.board.shapes.base import Shape
from dayjob.company.board.store.accounts import ROLE_SLUGS, Member


def user(user: User) -> Shape:
    return {
        "id": user.id,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "avatar": user.avatar,
        "avatar_url": user.avatar or None,
        "display_name": user.display_name,
    }


def member(member: Member) -> Shape:
    return {
        **user(member.user),
        "role": member.role,
        "role_slug": ROLE_SLUGS.get(member.role),
        "is_active": member.is_active,
        "is_bot": member.user.is_bot,
    }
