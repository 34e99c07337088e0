"""What administrators keep: roles, settings, teams, invitations, integrations, reports, customers' inquiries."""

from __future__ import annotations

import json

from dayjob.company.chat.rows import (
    Emoji,
    Inquiry,
    Integration,
    Invite,
    Report,
    Role,
    Setting,
    Team,
    TeamMember,
    User,
    Visitor,
)
from dayjob.company.chat.shapes.base import Json, given
from dayjob.company.chat.shapes.people import reference
from dayjob.company.chat.store import Store


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
    who = store.livechat.visitor_by_id(found.visitor_id)
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
