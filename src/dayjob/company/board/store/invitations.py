"""Invitations to a workspace: one an address, of another role until it is accepted, then no longer to be withdrawn."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.errors import BadRequest, Invalid
from dayjob.company.board.rows import Invitation
from dayjob.company.board.store import accounts, plain
from dayjob.company.board.store.base import Store
from dayjob.company.rows import find, first

_NEWEST = "ORDER BY created_at DESC, rowid DESC"


def of_workspace(db: sqlite3.Connection, workspace: str) -> list[Invitation]:
    return find(db, Invitation, f"WHERE workspace = ? {_NEWEST}", (workspace,))


def waiting(db: sqlite3.Connection, workspace: str) -> list[Invitation]:
    """Those that nobody accepted yet."""
    return find(db, Invitation, f"WHERE workspace = ? AND NOT accepted {_NEWEST}", (workspace,))


def invitation(store: Store, workspace: str, id: str) -> Invitation:
    return plain.one(store, Invitation, id, workspace=workspace)


def invite(store: Store, workspace: str, facts: dict[str, Any]) -> Invitation:
    """Ask an address in, as a guest unless `role` says otherwise."""
    if first(store.db, Invitation, "WHERE workspace = ? AND email = ?", (workspace, facts["email"])) is not None:
        raise Invalid.whole("Email already invited")
    return plain.add(store, Invitation, {"workspace": workspace, "role": accounts.GUEST, **facts})


def withdraw(store: Store, invitation: Invitation) -> None:
    if invitation.accepted:
        raise BadRequest("Invite already accepted", code="INVITE_ALREADY_ACCEPTED")
    plain.remove(store, invitation)
