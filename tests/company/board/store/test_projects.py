"""Projects, their states and labels: what is given once, and what stays."""

from __future__ import annotations

import pytest

from dayjob.company.board.records import Project
from dayjob.company.board.store import accounts, projects
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, refused, states


def test_a_project_begins_with_its_states_and_its_maker_and_lead_as_administrators(office: Office) -> None:
    lead = office.person("lead", MEMBER)
    project = office.project(project_lead=lead.id)
    found = sorted(states(office, project).values(), key=lambda one: one.sequence)
    assert [(one.name, one.group, bool(one.default)) for one in found] == [
        ("Backlog", "backlog", True), ("Todo", "unstarted", False), ("In Progress", "started", False),
        ("Done", "completed", False), ("Cancelled", "cancelled", False),
    ]  # fmt: skip
    assert [accounts.project_role(office.db, project.id, one.id) for one in (office.root, lead)] == [ADMIN, ADMIN]


@pytest.mark.parametrize("field", ["project_lead", "default_assignee"])
def test_only_those_in_the_workspace_lead_a_project(office: Office, field: str) -> None:
    inside, outside, gone = office.person("in", GUEST), office.person("out"), office.person("gone", ADMIN)
    office.db.execute("UPDATE workspace_members SET is_active = 0 WHERE member = ?", (gone.id,))
    project = office.project()
    for user, may in ((inside, True), (outside, False), (gone, False)):
        assert office.may(lambda who=user: office.project("Other", **{field: who.id})) is may
        assert office.may(projects.edit, office.ledger, project, {field: user.id}) is may


def test_names_and_identifiers_of_projects_are_given_once(office: Office, project: Project) -> None:
    other = office.project("Other")
    assert (project.identifier, other.identifier) == ("GARDE", "OTHER")
    make = projects.create
    for facts in ({"name": "Garden", "identifier": "NEW"}, {"name": "New", "identifier": "garde "},
                  {"name": "New", "identifier": " "}):  # fmt: skip
        assert refused(make, office.ledger, "w", facts), facts
    edit = projects.edit
    assert refused(edit, office.ledger, other, {"name": "Garden"})
    assert refused(edit, office.ledger, other, {"identifier": "garde"})
    assert not refused(edit, office.ledger, other, {"name": "Other", "identifier": "other"})
    projects.archive(office.ledger, other, on=True)
    archived = projects.project(office.db, "w", other.id)
    assert refused(edit, office.ledger, archived, {"name": "Third"})
    projects.archive(office.ledger, archived, on=False)
    assert projects.project(office.db, "w", other.id).archived_at is None
    assert refused(projects.project, office.db, "v", other.id)


def test_a_project_takes_only_its_own_state_as_default(office: Office, project: Project) -> None:
    other = office.project("Other")
    assert refused(projects.edit, office.ledger, project, {"default_state": states(office, other)["Done"].id})
    assert not refused(projects.edit, office.ledger, project, {"default_state": states(office, project)["Done"].id})


def test_one_state_is_the_default_and_it_and_full_ones_stay(office: Office, project: Project) -> None:
    before = states(office, project)
    projects.add_state(
        office.ledger, "w", project.id, {"name": "Next  Up", "color": "#000", "default": True, "group": "started"}
    )
    after = states(office, project)
    assert [one.name for one in after.values() if one.default] == ["Next  Up"]
    assert (after["Next  Up"].slug, after["Next  Up"].sequence) == ("next-up", 70000.0)
    assert refused(
        projects.add_state, office.ledger, "w", project.id, {"name": "Done", "color": "#000", "group": "started"}
    )
    projects.edit_state(office.ledger, before["Todo"], {"default": True, "name": "Todo"})
    assert [one.name for one in states(office, project).values() if one.default] == ["Todo"]
    assert refused(projects.edit_state, office.ledger, before["Todo"], {"name": "Done"})
    office.item(project, state=before["Done"].id)
    for name, may in (("Todo", False), ("Done", False), ("Backlog", True)):
        assert office.may(projects.remove_state, office.ledger, states(office, project)[name]) is may, name


def test_labels_are_named_once_in_a_project(office: Office, project: Project) -> None:
    other = office.project("Other")
    first = projects.add_label(office.ledger, "w", project.id, {"name": "bug"})
    projects.add_label(office.ledger, "w", other.id, {"name": "bug"})
    second = projects.add_label(office.ledger, "w", project.id, {"name": "task"})
    assert refused(projects.add_label, office.ledger, "w", project.id, {"name": "bug"})
    order = dict(office.db.execute("SELECT id, sort_order FROM labels WHERE project = ?", (project.id,)).fetchall())
    assert (order[first], order[second]) == (65535.0, 75535.0)
