"""Accounts, members, keys and tokens on the wire."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.rows.namespaces import Member
from dayjob.company.forge.rows.people import Email, SshKey, Token, User
from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.tokens import has_expired


def avatar(call: Call, kind: str, row_id: int, value: str | None) -> str | None:
    if not value:
        return None
    return f"{call.base}/uploads/-/system/{kind}/avatar/{row_id}/{value.partition(':')[2]}"


def basic(call: Call, user: User | None) -> dict[str, Any] | None:
    """The short form that stands in every other entity."""
    if user is None:
        return None
    return {
        "id": user.id,
        "username": user.username,
        "public_email": user.facts.get("public_email") if user.profile != "{}" else None,
        "name": user.name,
        "state": user.state,
        "locked": False,
        "avatar_url": avatar(call, "user", user.id, user.avatar),
        "web_url": f"{call.base}/{user.username}",
    }


def people(call: Call, ids: list[int | None]) -> dict[int, dict[str, Any]]:
    """Short forms of several accounts at once."""
    return {key: basic(call, user) or {} for key, user in call.store.by_ids(User, ids).items()}


def full(call: Call, user: User) -> dict[str, Any]:
    facts = user.facts
    return {
        **(basic(call, user) or {}),
        "created_at": user.created_at,
        "bio": facts.get("bio", ""),
        "location": facts.get("location", ""),
        "linkedin": facts.get("linkedin", ""),
        "twitter": facts.get("twitter", ""),
        "discord": facts.get("discord", ""),
        "website_url": facts.get("website_url", ""),
        "github": facts.get("github", ""),
        "organization": facts.get("organization", ""),
        "job_title": facts.get("job_title", ""),
        "pronouns": facts.get("pronouns"),
        "bot": bool(user.bot),
        "work_information": facts.get("job_title") or None,
        "followers": 0,
        "following": 0,
        "is_followed": False,
        "local_time": None,
    }


def private(call: Call, user: User) -> dict[str, Any]:
    """What an account sees of itself, and an administrator of anyone."""
    facts = user.facts
    space = namespaces.own(call.store, user)
    return {
        **full(call, user),
        "last_sign_in_at": user.confirmed_at,
        "confirmed_at": user.confirmed_at,
        "last_activity_on": user.last_activity_on,
        "email": user.email,
        "theme_id": facts.get("theme_id", 3),
        "color_scheme_id": facts.get("color_scheme_id", 1),
        "projects_limit": facts.get("projects_limit", 100000),
        "current_sign_in_at": user.confirmed_at,
        "identities": facts.get("identities", []),
        "can_create_group": facts.get("can_create_group", True),
        "can_create_project": facts.get("projects_limit", 1) > 0,
        "two_factor_enabled": False,
        "external": bool(user.external),
        "private_profile": bool(facts.get("private_profile", False)),
        "commit_email": facts.get("commit_email") or user.email,
        "preferred_language": "en",
        "shared_runners_minutes_limit": None,
        "extra_shared_runners_minutes_limit": None,
        "scim_identities": [],
        "is_admin": bool(user.admin),
        "note": facts.get("note"),
        "namespace_id": space.id if space else None,
        "created_by": None,
        "email_reset_offered_at": None,
        "using_license_seat": not user.bot,
        "is_auditor": False,
        "provisioned_by_group_id": None,
        "enterprise_group_id": None,
        "enterprise_group_associated_at": None,
    }


def member(call: Call, row: Member, user: User, by: User | None) -> dict[str, Any]:
    return {
        **(basic(call, user) or {}),
        "access_level": row.access_level,
        "created_at": row.created_at,
        "created_by": basic(call, by),
        "expires_at": row.expires_at,
        "membership_state": "active",
        "group_saml_identity": None,
        "group_scim_identity": None,
        "is_using_seat": not user.bot,
        "override": False,
        **({"email": user.email} if call.user is not None and call.user.admin else {}),
    }


def members(call: Call, rows: list[Member]) -> list[dict[str, Any]]:
    known = call.store.by_ids(User, [user_id for row in rows for user_id in (row.user_id, row.created_by)])
    return [member(call, row, known[row.user_id], known.get(row.created_by or 0)) for row in rows]


def key(call: Call, row: SshKey) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "last_used_at": None,
        "key": row.key,
        "usage_type": row.usage_type,
    }


def deploy_key(call: Call, row: SshKey, can_push: bool = False) -> dict[str, Any]:
    return {
        **key(call, row),
        "fingerprint": row.fingerprint,
        "fingerprint_sha256": row.fingerprint_sha256,
        "can_push": can_push,
    }


def email(row: Email) -> dict[str, Any]:
    return {"id": row.id, "email": row.email, "confirmed_at": row.confirmed_at}


def token(call: Call, row: Token) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "revoked": bool(row.revoked),
        "created_at": row.created_at,
        "description": row.description,
        "scopes": row.scope_names,
        "user_id": row.user_id,
        "last_used_at": row.last_used_at,
        "active": not row.revoked and not has_expired(call.store, row),
        "expires_at": row.expires_at,
    }
    if row.kind in ("project", "group"):
        found["access_level"] = row.access_level
        found["resource_type"] = row.kind
        found["resource_id"] = row.source_id
    if row.kind == "impersonation":
        found["impersonation"] = True
    return found


def deploy_token(call: Call, row: Token) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "username": row.username,
        "expires_at": f"{row.expires_at}T00:00:00.000Z" if row.expires_at else None,
        "scopes": row.scope_names,
        "revoked": bool(row.revoked),
        "expired": has_expired(call.store, row),
    }
