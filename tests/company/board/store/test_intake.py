"""Suggestions: waiting in triage, decided, withdrawn."""

from __future__ import annotations

import pytest

from dayjob.company.board.store import intake, items
from tests.company.board.offices import ADMIN, MEMBER, Office, listed, refused, states, told

DECIDED = [
    (intake.ACCEPTED, "Backlog", "Accepted"), (intake.REJECTED, "Cancelled", "Rejected"),
    (intake.DUPLICATE, "Cancelled", "Duplicate"), (intake.SNOOZED, "Triage", "Snoozed"),
    (intake.PENDING, "Triage", None),
]  # fmt: skip


@pytest.mark.parametrize(("status", "state", "word"), DECIDED)
def test_a_suggestion_waits_in_triage_until_it_is_decided(
    office: Office, status: int, state: str, word: str | None
) -> None:
    project = office.project(intake_view=True)
    waiting = intake.suggest(office.store, project, {"name": "Fence"})
    intake.decide(office.store, project, waiting, {"status": status})
    item = items.item(office.db, project.id, waiting.issue)
    assert states(office, project)[state].id == item.state
    assert listed(office, item) is (state != "Triage")
    lines = [one for one in told(office, item) if one[0] == "intake"]
    assert lines == ([("intake", "Pending", word)] if word else [])


def test_a_suggestion_is_withdrawn_with_its_item_unless_it_was_accepted(office: Office) -> None:
    project = office.project(intake_view=True)
    assert refused(intake.suggest, office.store, office.project("Other"), {"name": "x"})
    maker, admin, member = (office.person(name, MEMBER) for name in ("maker", "admin", "member"))
    office.join(project, admin, ADMIN)
    office.join(project, member, MEMBER)
    waiting = intake.suggest(office.call(maker).store, project, {"name": "Fence"})
    for user, may in ((maker, True), (admin, True), (member, False)):
        assert office.may(intake.withdraw, office.call(user).store, waiting) is may, user.username
    intake.decide(office.store, project, waiting, {"status": intake.ACCEPTED})
    intake.withdraw(office.call(member).store, intake.intake_item(office.db, project.id, waiting.issue))
    assert items.item(office.db, project.id, waiting.issue)
    assert refused(intake.intake_item, office.db, project.id, waiting.issue)
    again = intake.suggest(office.store, project, {"name": "Gate"})
    intake.withdraw(office.store, again)
    assert refused(items.item, office.db, project.id, again.issue)
