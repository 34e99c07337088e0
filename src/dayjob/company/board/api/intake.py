"""The intake, under both of Plane's names for it."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_lite
from dayjob.company.board.api.lists import paged
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import IntakeItem
from dayjob.company.board.shapes.payloads import Choice, Form, Id, Moment, Text, read_form
from dayjob.company.board.store import accounts, intake, items

_SUGGESTED: Form = {
    "name": Text(limit=255),
    "description_html": Text(blank=True),
    "priority": Choice(of=items.PRIORITIES),
}
_DECISION: Form = {
    "status": Choice(of=intake.STATUSES),
    "snoozed_till": Moment(null=True),
    "duplicate_to": Id(table="items", null=True),
    "source": Text(limit=255, blank=True, null=True),
    "source_email": Text(blank=True, null=True),
}


def _paths(tail: str = "") -> list[str]:
    return [f"{PROJECT}/{name}{tail}" for name in ("intake-issues", "inbox-issues", "intake-work-items")]


def _waiting(call: Call) -> IntakeItem:
    return intake.intake_item(call.db, call.project().id, call.params["issue_id"])


def _shape(call: Call, one: IntakeItem) -> shapes.Shape:
    return shapes.trimmed(call.db, shapes.intake_item(call.db, one), call.words("fields"), call.words("expand"))


@endpoint("GET", *_paths(), permission=project_lite)
def list_intake(call: Call) -> Reply:
    status = call.query.get("status")
    if status is not None:
        status = read_form({"status": _DECISION["status"]}, {"status": status}, call.db)["status"]
    listing = intake.listing(call.project().id, call.store.now, status)
    return paged(call, listing, lambda rows: [shapes.intake_item(call.db, one) for one in rows])


@endpoint("POST", *_paths(), permission=project_lite)
def suggest(call: Call) -> Reply:
    wanted = call.payload().get("issue")
    if not isinstance(wanted, dict) or not wanted.get("name"):
        raise BadRequest("Name is required")
    project = call.project()
    intake.enabled(call.store, project)
    if wanted.get("priority", "none") not in items.PRIORITIES:
        raise BadRequest("Invalid priority")
    facts = read_form(_SUGGESTED, {name: value for name, value in wanted.items() if value is not None}, call.db)
    return Reply(200, _shape(call, intake.suggest(call.store, project, facts)))


@endpoint("GET", *_paths("/{issue_id}"), permission=project_lite)
def read_intake(call: Call) -> Reply:
    return Reply(200, _shape(call, _waiting(call)))


@endpoint("PATCH", *_paths("/{issue_id}"), *_paths("/{issue_id}/status"), permission=project_lite)
def decide(call: Call) -> Reply:
    project = call.project()
    intake.enabled(call.store, project)
    waiting, role = _waiting(call), call.project_role()
    if role <= accounts.GUEST and waiting.created_by != call.user.id:
        raise BadRequest("You cannot edit intake work items")
    wanted = call.payload().get("issue")
    if wanted:
        # Guests may put what they suggested in other words, and no more.
        form = _SUGGESTED if role > accounts.GUEST else {key: _SUGGESTED[key] for key in ("name", "description_html")}
        items.edit(call.store, project, call.item(), read_form(form, wanted, call.db))
    if role == accounts.ADMIN:  # as in Plane, members see the queue and administrators decide
        intake.decide(call.store, project, waiting, read_form(_DECISION, call.payload(), call.db))
    return Reply(200, _shape(call, _waiting(call)))


@endpoint("DELETE", *_paths("/{issue_id}"), permission=project_lite)
def withdraw(call: Call) -> Reply:
    intake.enabled(call.store, call.project())
    intake.withdraw(call.store, _waiting(call))
    return Reply(204)
