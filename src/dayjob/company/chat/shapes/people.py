"""Accounts: as little as stands for a person inside other things, and as much as a viewer may know."""

from __future__ import annotations

import json

from dayjob.company.chat.defaults import PREFERENCES
from dayjob.company.chat.rows import User
from dayjob.company.chat.shapes.base import Json, given
from dayjob.company.chat.store import Store


def person(user: User) -> Json:
    """The few facts that stand for a person inside other things."""
    return {"_id": user.id, "username": user.username, "name": user.name}


def reference(store: Store, user_id: str | None) -> Json | None:
    """The same, by id; None when nobody has it."""
    names = store.accounts.names(user_id) if user_id else None
    return {"_id": user_id, "username": names[0], "name": names[1]} if names else None


def profile(user: User) -> Json:
    """What anyone may know of an account."""
    return given(
        person(user)
        | {
            "nameInsensitive": user.name.lower(),
            "type": user.type,
            "status": user.status,
            "statusText": user.status_text or None,
            "active": bool(user.active),
            "bio": user.bio,
            "nickname": user.nickname,
            "avatarETag": user.avatar_etag,
            "utcOffset": 0,
        }
    )


def account(user: User) -> Json:
    """What its owner and administrators may know of an account."""
    return profile(user) | given(
        {
            "createdAt": user.created_at,
            "_updatedAt": user.updated_at,
            "emails": [{"address": user.email, "verified": bool(user.email_verified)}] if user.email else None,
            "roles": user.role_list(),
            "lastLogin": user.last_login,
            "statusConnection": user.status,
            "statusDefault": user.status_default,
            "language": user.language,
            "customFields": json.loads(user.custom_fields) if user.custom_fields else None,
            "requirePasswordChange": True if user.must_change_password else None,
        }
    )


def me(user: User, base: str) -> Json:
    """The signed-in person's own account."""
    return account(user) | {
        "settings": {"profile": {}, "preferences": PREFERENCES | json.loads(user.preferences)},
        "avatarUrl": f"{base}/avatar/{user.username}",
        "isOAuthUser": False,
        "services": {"password": {"exists": True}, "email2fa": {"enabled": False}},
    }


def seen_by(store: Store, viewer: User | None, user: User) -> Json:
    """An account as far as `viewer` may see it."""
    if viewer is not None and (viewer.id == user.id or store.access.can(viewer, "view-full-other-user-info")):
        return account(user)
    return profile(user)


def member(user: User) -> Json:
    return given(
        person(user)
        | {
            "status": user.status,
            "statusText": user.status_text or None,
            "utcOffset": 0,
            "avatarETag": user.avatar_etag,
            "_updatedAt": user.updated_at,
        }
    )
