"""What things are called where a change is told: by their names, and in words once they are gone."""

from __future__ import annotations

from dayjob.company.board.store import milestones, names
from tests.company.board.offices import Office


def test_a_thing_is_called_by_its_name_and_told_to_be_gone_when_it_is(office: Office) -> None:
    project = office.project("Garden", identifier="GARD")
    item = office.item(project, "Weeds")
    assert names.item(office.db, item.id) == f'GARD-{item.sequence_id} "Weeds"'
    assert names.item(office.db, "nothing") == names.item(office.db, None) == "a deleted work item"
    made = milestones.create(office.store, project, {"title": "Spring"})
    assert names.milestone(office.db, made.id) == "Spring"
    assert names.milestone(office.db, "nothing") == "one that is gone"
    assert names.named(office.db, "states", item.state) == "Backlog"
    assert names.named(office.db, "states", None) == "none"
    assert names.named(office.db, "labels", "nothing") == "one that is gone"
    assert names.relation(office.db, "nothing") == "is related to"
