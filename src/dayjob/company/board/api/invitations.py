"""Invitations to the workspace, which its administrators write and withdraw."""

from __future__ import annotations

from typing import Any

from dayjob.company.board.api.call import WORKSPACE, Call, Reply, endpoint
from dayjob.company.board.api.single import register_single
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import Invitation
from dayjob.company.board.shapes import wire
from dayjob.company.board.shapes.payloads import Choice, Form, Text, Wrong, read_form
from dayjob.company.board.store import accounts, invitations

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


def _invitation(call: Call) -> Invitation:
    return invitations.invitation(call.store, call.workspace().id, call.params["invitation_id"])


@endpoint("GET", _PLACE, permission=_owner)
def list_invitations(call: Call) -> Reply:
    return Reply(200, [wire(one) for one in invitations.of_workspace(call.db, call.workspace().id)])


@endpoint("POST", _PLACE, permission=_owner)
def invite(call: Call) -> Reply:
    facts = read_form(_INVITATION, call.payload(), call.db, required=("email",))
    return Reply(201, wire(invitations.invite(call.store, call.workspace().id, facts)))


def _new_role(call: Call) -> dict[str, Any]:
    if call.payload().get("email"):
        raise BadRequest("Email cannot be updated after invite is created.", code="EMAIL_CANNOT_BE_UPDATED")
    return read_form({"role": _INVITATION["role"]}, call.payload(), call.db)


register_single(
    _PLACE + "/{invitation_id}",
    permission=_owner,
    named=_invitation,
    facts=_new_role,
    shape=lambda _, row: wire(row),
    remove=invitations.withdraw,
)
