"""Rows as Rocket.Chat writes them in JSON. Absent values are left out, as Rocket.Chat does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from dayjob.company.chat.defaults import PREFERENCES
from dayjob.company.chat.rows import (
    Emoji,
    Inquiry,
    Integration,
    Invite,
    Membership,
    Message,
    Report,
    Role,
    Room,
    Setting,
    Team,
    TeamMember,
    Upload,
    User,
    Visitor,
)
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.uploads import path as upload_path

Json = dict[str, Any]


def given(found: Json) -> Json:
    """Without the values that are None."""
    return {key: value for key, value in found.items() if value is not None}


# -- people ------------------------------------------------------------------------------------------------------


def person(user: User) -> Json:
    """The few facts that stand for a person inside other things."""
    return {"_id": user.id, "username": user.username, "name": user.name}


def reference(store: Store, user_id: str | None) -> Json | None:
    found = store.rows("SELECT id, username, name FROM users WHERE id = ?", user_id) if user_id else None
    return {"_id": found[0][0], "username": found[0][1], "name": found[0][2]} if found else None


def profile(user: User) -> Json:
    """What anyone may know of an account."""
    return given(
        {
            "_id": user.id,
            "username": user.username,
            "name": user.name,
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
        {
            "_id": user.id,
            "username": user.username,
            "name": user.name,
            "status": user.status,
            "statusText": user.status_text or None,
            "utcOffset": 0,
            "avatarETag": user.avatar_etag,
            "_updatedAt": user.updated_at,
        }
    )


# -- rooms -------------------------------------------------------------------------------------------------------


def room(store: Store, found: Room, *, last: bool = True) -> Json:
    written = given(
        {
            "_id": found.id,
            "t": found.type,
            "name": found.name,
            "fname": found.fname,
            "msgs": found.messages,
            "usersCount": found.members,
            "u": reference(store, found.owner_id),
            "topic": found.topic,
            "announcement": found.announcement,
            "description": found.description,
            "customFields": json.loads(found.custom_fields) if found.custom_fields else {},
            "broadcast": bool(found.broadcast),
            "encrypted": bool(found.encrypted),
            "ts": found.created_at,
            "ro": bool(found.read_only),
            "reactWhenReadOnly": True if found.react_read_only else None,
            "default": bool(found.is_default),
            "featured": True if found.featured else None,
            "archived": True if found.archived else None,
            "joinCodeRequired": True if found.join_code else None,
            "sysMes": True,
            "prid": found.parent_id,
            "teamId": found.team_id,
            "teamMain": True if found.team_main else None,
            "teamDefault": True if found.team_default else None,
            "muted": json.loads(found.muted) or None,
            "lm": found.last_at,
            "_updatedAt": found.updated_at,
        }
    )
    if found.type == "d":
        uids = json.loads(found.uids or "[]")
        people = [user for user in map(store.accounts.get, uids) if user is not None]
        written |= {"uids": uids, "usernames": [user.username for user in people]}
    if last and found.last_message is not None:
        newest = store.messages.get(found.last_message)
        if newest is not None:
            written["lastMessage"] = message(store, newest, [])
    return written


def rooms(store: Store, found: Iterable[Room]) -> list[Json]:
    return [room(store, one) for one in found]


def direct(store: Store, found: Room, viewer: User) -> Json:
    """A new or opened direct room, as its creation answers."""
    written = room(store, found)
    return written | {"rid": found.id}


def subscription(store: Store, found: Membership, place: Room | None = None) -> Json:
    """What a room is to one of its members."""
    place = place or store.rooms.get(found.room_id)
    user = store.accounts.get(found.user_id)
    name, fname = (place.name, place.fname) if place else (None, None)
    if place is not None and place.type == "d" and user is not None:
        others = [store.accounts.get(one) for one in json.loads(place.uids or "[]") if one != user.id]
        people = [one for one in others if one is not None] or [user]
        name = ", ".join(one.username for one in people)
        fname = ", ".join(one.name for one in people)
    unread_threads = json.loads(found.unread_threads)
    ignored = json.loads(found.ignored)
    return given(
        {
            "_id": found.id,
            "rid": found.room_id,
            "t": found.room_type,
            "name": name,
            "fname": fname,
            "u": person(user) if user else None,
            "open": bool(found.open),
            "alert": bool(found.alert),
            "unread": found.unread,
            "userMentions": found.user_mentions,
            "groupMentions": found.group_mentions,
            "tunread": unread_threads or None,
            "ignored": ignored or None,
            "f": True if found.favorite else None,
            "roles": found.role_list() or None,
            "ls": found.last_seen,
            "ts": found.created_at,
            "lr": found.last_seen,
            "blocked": True if found.blocked else None,
            "blocker": True if found.blocker else None,
            "prid": place.parent_id if place else None,
            "teamId": place.team_id if place else None,
            "teamMain": True if place and place.team_main else None,
            "archived": True if place and place.archived else None,
            "_updatedAt": found.updated_at,
            **json.loads(found.notifications),
        }
    )


def role_holder(found: Membership, user: User) -> Json:
    return {"_id": found.id, "rid": found.room_id, "u": person(user), "roles": found.role_list()}


# -- messages ----------------------------------------------------------------------------------------------------


def message(store: Store, found: Message, stars: list[str] | None = None) -> Json:
    """`stars` are the ids of those who starred it, when the caller knows them already."""
    custom = json.loads(found.custom_fields) if found.custom_fields else None
    written: Json = {
        "_id": found.id,
        "rid": found.room_id,
        "msg": found.text,
        "ts": found.at,
        "u": {"_id": found.user_id, "username": found.username, "name": found.user_name},
        "_updatedAt": found.updated_at,
        "urls": _parsed(found.urls),
        "mentions": _parsed(found.mentions),
        "channels": _parsed(found.channels),
    }
    if found.type is not None:
        written["t"] = found.type
        if custom and "role" in custom:
            written["role"] = custom["role"]
    elif custom is not None:
        written["customFields"] = custom
    for key, value in (("alias", found.alias), ("avatar", found.avatar), ("emoji", found.emoji)):
        if value is not None:
            written[key] = value
    if not found.groupable:
        written["groupable"] = False
    if found.bot is not None:
        written["bot"] = json.loads(found.bot)
    if found.thread_id is not None:
        written["tmid"] = found.thread_id
        if found.thread_shown:
            written["tshow"] = True
    if found.replies:
        written |= {"tcount": found.replies, "tlm": found.last_reply_at}
    if found.followers != "[]":
        written["replies"] = json.loads(found.followers)
    if found.edited_at is not None:
        written |= {"editedAt": found.edited_at, "editedBy": json.loads(found.edited_by or "{}")}
    if found.pinned_at is not None:
        written["pinned"] = bool(found.pinned)
        if found.pinned:
            written |= {"pinnedAt": found.pinned_at, "pinnedBy": json.loads(found.pinned_by or "{}")}
    if found.reactions != "{}":
        written["reactions"] = json.loads(found.reactions)
    if found.attachments is not None:
        written["attachments"] = json.loads(found.attachments)
    if found.files is not None:
        files = json.loads(found.files)
        written |= {"file": files[0], "files": files}
    if found.discussion_id is not None:
        place = store.rooms.get(found.discussion_id)
        written |= {"drid": found.discussion_id, "dcount": place.messages if place else 0}
        if place is not None and place.last_at:
            written["dlm"] = place.last_at
    if stars is None:
        stars = store.history.stargazers([found]).get(found.seq)
    if stars:
        written["starred"] = [{"_id": one} for one in stars]
    return written


def messages(store: Store, found: Sequence[Message]) -> list[Json]:
    stars = store.history.stargazers(found) if found else {}
    return [message(store, one, stars.get(one.seq, [])) for one in found]


def _parsed(text: str) -> list[Any]:
    """A list kept as text; most are empty, and those need no parser."""
    if text == "[]":
        return []
    found: list[Any] = json.loads(text)
    return found


def upload(store: Store, found: Upload, base: str) -> Json:
    link = upload_path(found)
    return given(
        {
            "_id": found.id,
            "name": found.name,
            "size": found.size,
            "type": found.type,
            "typeGroup": found.type.partition("/")[0],
            "rid": found.room_id,
            "userId": found.user_id,
            "description": found.description,
            "store": "FileSystem:Uploads",
            "complete": bool(found.complete),
            "uploading": False,
            "progress": 1,
            "extension": found.name.rpartition(".")[2] if "." in found.name else "",
            "etag": found.blob[:17],
            "path": link,
            "url": f"{base}{link}",
            "uploadedAt": found.uploaded_at,
            "_updatedAt": found.uploaded_at,
            "user": reference(store, found.user_id),
        }
    )


# -- what administrators keep --------------------------------------------------------------------------------------


def role(found: Role) -> Json:
    return {
        "_id": found.id,
        "name": found.name,
        "scope": found.scope,
        "description": found.description,
        "protected": bool(found.protected),
        "mandatory2fa": bool(found.mandatory_2fa),
        "_updatedAt": found.updated_at,
    }


def setting(found: Setting) -> Json:
    value = json.loads(found.value)
    return {"_id": found.id, "value": value, "enterprise": False, "type": found.type, "section": found.section}


def permission(found: tuple[str, list[str], str]) -> Json:
    return {"_id": found[0], "roles": found[1], "_updatedAt": found[2]}


def team(store: Store, found: Team) -> Json:
    return {
        "_id": found.id,
        "name": found.name,
        "type": found.type,
        "roomId": found.room_id,
        "createdAt": found.created_at,
        "createdBy": reference(store, found.created_by) or {"_id": found.created_by},
        "_updatedAt": found.updated_at,
    }


def team_member(store: Store, found: TeamMember, user: User) -> Json:
    return {
        "user": given({"_id": user.id, "username": user.username, "name": user.name, "status": user.status}),
        "roles": json.loads(found.roles),
        "createdBy": reference(store, found.created_by) or {"_id": found.created_by},
        "createdAt": found.created_at,
    }


def invite(found: Invite, base: str) -> Json:
    return {
        "_id": found.id,
        "rid": found.room_id,
        "userId": found.user_id,
        "days": found.days,
        "maxUses": found.max_uses,
        "uses": found.uses,
        "createdAt": found.created_at,
        "expires": found.expires,
        "url": f"{base}/invite/{found.id}",
        "inviteToken": found.id,
        "_updatedAt": found.updated_at,
    }


def integration(store: Store, found: Integration) -> Json:
    written: Json = {
        "_id": found.id,
        "type": found.type,
        "name": found.name,
        "enabled": bool(found.enabled),
        "username": found.username,
        "userId": found.user_id,
        "channel": json.loads(found.channels),
        "token": found.token,
        "_createdAt": found.created_at,
        "_createdBy": reference(store, found.created_by) or {"_id": found.created_by},
        "_updatedAt": found.updated_at,
    }
    return {**json.loads(found.facts), **written}


def report(store: Store, found: Report) -> Json:
    place = store.rooms.get(found.room_id) if found.room_id else None
    return given(
        {
            "_id": found.id,
            "description": found.description,
            "ts": found.at,
            "reportedBy": reference(store, found.reported_by) or {"_id": found.reported_by},
            "message": json.loads(found.message) if found.message else None,
            "room": {"_id": place.id, "name": place.name, "t": place.type, "fname": place.fname} if place else None,
            "reportedUser": (reference(store, found.user_id) or {"_id": found.user_id})
            if found.kind == "user"
            else None,
        }
    )


def emoji(found: Emoji) -> Json:
    return {
        "_id": found.id,
        "name": found.name,
        "aliases": json.loads(found.aliases),
        "extension": found.extension,
        "etag": found.blob[:12],
        "_updatedAt": found.updated_at,
    }


def visitor(found: Visitor) -> Json:
    about = {"_id": found.id, "token": found.token, "username": found.username, "name": found.name, "ts": found.at}
    return {**json.loads(found.facts), **given(about)}


def inquiry(store: Store, found: Inquiry) -> Json:
    who = store.one(Visitor, "visitors WHERE id = ?", found.visitor_id)
    return given(
        {
            "_id": found.id,
            "rid": found.room_id,
            "name": found.name,
            "ts": found.at,
            "status": found.status,
            "t": "l",
            "v": {"_id": who.id, "username": who.username, "token": who.token} if who else None,
            "agents": [found.agent_id] if found.agent_id else None,
            "_updatedAt": found.updated_at,
        }
    )
