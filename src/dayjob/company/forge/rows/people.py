"""Accounts and what lets them in: addresses, keys, tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import Parsed


@dataclass(slots=True)
class User(ForgeRow, table="users"):
    """An account of the forge."""

    username: str
    name: str
    email: str
    state: str
    admin: int
    bot: int
    external: int
    profile: str
    avatar: str | None
    created_at: str
    confirmed_at: str | None
    last_activity_on: str | None
    sign_in_count: int

    facts = Parsed[dict[str, Any]]("profile")


@dataclass(slots=True)
class Email(ForgeRow, table="emails"):
    """A further address of an account."""

    user_id: int
    email: str
    confirmed_at: str | None


@dataclass(slots=True)
class SshKey(ForgeRow, table="ssh_keys"):
    """A public key: a person's, or a deploy key of projects."""

    user_id: int | None
    kind: str
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    expires_at: str | None
    usage_type: str


@dataclass(slots=True)
class Token(ForgeRow, table="tokens"):
    """An access token; the secret itself is only known as a hash."""

    kind: str  # personal, impersonation, oauth, project, group, deploy_project, deploy_group
    user_id: int | None
    name: str
    description: str | None
    scopes: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked: int
    source_id: int | None
    access_level: int | None
    username: str | None

    scope_names = Parsed[list[str]]("scopes")
