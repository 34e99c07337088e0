"""Invitations to the workspace, which its administrators write and withdraw."""

from __future__ import annotations

from typing import Any

from dayjob.company.board.api.call import WORKSPACE, Call, Reply, endpoint
from dayjob.company.board.payloads import Choice, Form, Text, Wrong, read_form
from dayjob.company.board.records import Invitation
from dayjob.company.board.refusals import BadRequest, Invalid
from dayjob.company.board.rows import find, first, wire
from dayjob.company.board.store import accounts, plain

_PLACE = WORKSPACE + "/invitations"


class _Email(Text):
    def clean(self, value: Any, db: Any) -> str:
        text = super().clean(value, db)
        name, at, host = text.rpartition("@")
        if not at or not name or "." not in host.strip(".") or any(sign.isspace() for sign in text):
            raise Wrong("Invalid email address")
        return text


_INVITATION: Form = {
    "email": _Email(limit=255),
    "role": Choice(of=(accounts.ADMIN, accounts.MEMBER, accounts.GUEST)),
}


def _owner(call: Call) -> bool:
    return accounts.workspace_role(call.db, call.slug, call.user.id) == accounts.ADMIN


def _workspace(call: Call) -> str:
    found = accounts.workspace(call.db, call.slug)
    assert found is not None  # the permission found the caller in it
    return found.id


def _invitation(call: Call) -> Invitation:
    return plain.one(call.ledger, Invitation, call.params["invitation_id"], workspace=_workspace(call))


@endpoint("GET", _PLACE, permission=_owner)
def list_invitations(call: Call) -> Reply:
    rows = find(call.db, Invitation, "WHERE workspace = ? ORDER BY created_at DESC, rowid DESC", (_workspace(call),))
    return Reply(200, [wire(one) for one in rows])


@endpoint("POST", _PLACE, permission=_owner)
def invite(call: Call) -> Reply:
    facts = read_form(_INVITATION, call.payload(), call.db, required=("email",))
    workspace = _workspace(call)
    if first(call.db, Invitation, "WHERE workspace = ? AND email = ?", (workspace, facts["email"])) is not None:
        raise Invalid.whole("Email already invited")
    facts.setdefault("role", accounts.GUEST)
    return Reply(201, wire(plain.add(call.ledger, Invitation, {"workspace": workspace, **facts})))


@endpoint("GET", _PLACE + "/{invitation_id}", permission=_owner)
def read_invitation(call: Call) -> Reply:
    return Reply(200, wire(_invitation(call)))


@endpoint("PATCH", _PLACE + "/{invitation_id}", permission=_owner)
def edit_invitation(call: Call) -> Reply:
    found = _invitation(call)
    if call.payload().get("email"):
        raise BadRequest("Email cannot be updated after invite is created.", code="EMAIL_CANNOT_BE_UPDATED")
    facts = read_form({"role": _INVITATION["role"]}, call.payload(), call.db)
    return Reply(200, wire(plain.change(call.ledger, found, facts)))


@endpoint("DELETE", _PLACE + "/{invitation_id}", permission=_owner)
def withdraw_invitation(call: Call) -> Reply:
    found = _invitation(call)
    if found.accepted:
        raise BadRequest("Invite already accepted", code="INVITE_ALREADY_ACCEPTED")
    plain.remove(call.ledger, found)
    return Reply(204)
