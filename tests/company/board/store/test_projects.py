"""Projects, their states and labels: what is given once, and what stays."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.rows import Estimate, EstimatePoint, Item, Label, Project
from dayjob.company.board.store import accounts, estimates, items, outside, plain, projects
from dayjob.company.rows import by_id
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, now, refused, states


def test_a_project_begins_with_its_states_and_its_maker_and_lead_as_administrators(office: Office) -> None:
    lead = office.person("lead", MEMBER)
    project = office.project(project_lead=lead.id)
    found = sorted(states(office, project).values(), key=lambda one: one.sequence)
    assert [(one.name, one.group, one.sequence, one.color, one.default) for one in found] == [
        ("Backlog", "backlog", 15000.0, "#60646C", True), ("Todo", "unstarted", 25000.0, "#60646C", False),
        ("In Progress", "started", 35000.0, "#F59E0B", False), ("Done", "completed", 45000.0, "#46A758", False),
        ("Cancelled", "cancelled", 55000.0, "#9AA4BC", False),
    ]  # fmt: skip
    assert [accounts.project_role(office.db, project.id, one.id) for one in (office.root, lead)] == [ADMIN, ADMIN]


@pytest.mark.parametrize("field", ["project_lead", "default_assignee"])
def test_only_those_in_the_workspace_lead_a_project(office: Office, field: str) -> None:
    inside, outside, gone = office.person("in", GUEST), office.person("out"), office.person("gone", ADMIN)
    office.db.execute("UPDATE workspace_members SET is_active = 0 WHERE member = ?", (gone.id,))
    project = office.project()
    for user, may in ((inside, True), (outside, False), (gone, False)):
        assert office.may(lambda who=user: office.project("Other", **{field: who.id})) is may
        assert office.may(projects.edit, office.store, project, {field: user.id}) is may


def test_names_and_identifiers_of_projects_are_given_once(office: Office, project: Project) -> None:
    other = office.project("Other")
    assert (project.identifier, other.identifier) == ("GARDE", "OTHER")
    make = projects.create
    for facts in ({"name": "Garden", "identifier": "NEW"}, {"name": "New", "identifier": "garde "},
                  {"name": "New", "identifier": " "}):  # fmt: skip
        assert refused(make, office.store, "w", facts), facts
    edit = projects.edit
    assert refused(edit, office.store, other, {"name": "Garden"})
    assert refused(edit, office.store, other, {"identifier": "garde"})
    assert not refused(edit, office.store, other, {"name": "Other", "identifier": "other"})
    projects.archive(office.store, other, on=True)
    archived = projects.project(office.db, "w", other.id)
    assert refused(edit, office.store, archived, {"name": "Third"})
    projects.archive(office.store, archived, on=False)
    assert projects.project(office.db, "w", other.id).archived_at is None
    assert refused(projects.project, office.db, "v", other.id)


def test_a_project_takes_only_its_own_state_as_default(office: Office, project: Project) -> None:
    other = office.project("Other")
    assert refused(projects.edit, office.store, project, {"default_state": states(office, other)["Done"].id})
    assert not refused(projects.edit, office.store, project, {"default_state": states(office, project)["Done"].id})


def test_one_state_is_the_default_and_it_and_full_ones_stay(office: Office, project: Project) -> None:
    before = states(office, project)
    projects.add_state(
        office.store, "w", project.id, {"name": "Next  Up", "color": "#000", "default": True, "group": "started"}
    )
    after = states(office, project)
    assert [one.name for one in after.values() if one.default] == ["Next  Up"]
    assert (after["Next  Up"].slug, after["Next  Up"].sequence) == ("next-up", 70000.0)
    assert refused(
        projects.add_state, office.store, "w", project.id, {"name": "Done", "color": "#000", "group": "started"}
    )
    projects.edit_state(office.store, before["Todo"], {"default": True, "name": "Todo"})
    assert [one.name for one in states(office, project).values() if one.default] == ["Todo"]
    assert refused(projects.edit_state, office.store, before["Todo"], {"name": "Done"})
    office.item(project, state=before["Done"].id)
    for name, may in (("Todo", False), ("Done", False), ("Backlog", True)):
        assert office.may(projects.remove_state, office.store, states(office, project)[name]) is may, name


def test_labels_are_named_once_in_a_project(office: Office, project: Project) -> None:
    other = office.project("Other")
    first = projects.add_label(office.store, "w", project.id, {"name": "bug"})
    projects.add_label(office.store, "w", other.id, {"name": "bug"})
    second = projects.add_label(office.store, "w", project.id, {"name": "task"})
    assert refused(projects.add_label, office.store, "w", project.id, {"name": "bug"})
    order = dict(office.db.execute("SELECT id, sort_order FROM labels WHERE project = ?", (project.id,)).fetchall())
    assert (order[first], order[second]) == (65535.0, 75535.0)
    projects.edit_label(office.store, _label(office, second), {"name": "task", "color": "#fff"})
    assert refused(projects.edit_label, office.store, _label(office, second), {"name": "bug"})
    projects.edit_label(office.store, _label(office, second), {"name": "chore"})
    kept = _label(office, second)
    assert (kept.name, kept.color, _label(office, first).name) == ("chore", "#fff", "bug")
    given = projects.add_label(office.store, "w", project.id, {"name": "early", "sort_order": 1.0})
    assert _label(office, given).sort_order == 1.0


def _label(office: Office, id: str) -> Label:
    found = by_id(office.db, Label, id)
    assert found is not None
    return found


def test_whoever_makes_a_project_for_others_need_not_join_it_nor_give_it_states(office: Office) -> None:
    lead = office.person("lead", MEMBER)
    facts = {"name": "Bare", "identifier": "BARE", "project_lead": lead.id}
    made = projects.create(office.store, "w", facts, states=False, lead_joins=False)
    project = projects.project(office.db, "w", made)
    assert (states(office, project), accounts.members(office.db, "project", made, {})) == ({}, ([], 0))
    assert projects.default_state(office.db, made) is None
    first = projects.add_state(office.store, "w", made, {"name": "First", "color": "#000", "group": "started"})
    second = projects.add_state(office.store, "w", made, {"name": "Second", "color": "#000", "group": "started"})
    assert {one.id: one.sequence for one in states(office, project).values()} == {first: 65535.0, second: 80535.0}
    stands = projects.default_state(office.db, made)
    assert stands is not None
    assert stands.id == first


def test_a_project_begins_with_an_intake_if_it_shows_one_and_has_one_at_most(office: Office) -> None:
    def intakes() -> list[tuple[str, str, str]]:
        return office.db.execute("SELECT workspace, project, name FROM intakes ORDER BY rowid").fetchall()

    plain, shown = office.project("Plain"), office.project("Shown", intake_view=True)
    assert intakes() == [("w", shown.id, "Shown Intake")]
    projects.edit(office.store, plain, {"intake_view": True, "name": "Open"})
    projects.edit(office.store, shown, {"intake_view": True})
    assert intakes() == [("w", shown.id, "Shown Intake"), ("w", plain.id, "Open Intake")]
    first = projects.ensure_intake(office.store, "w", shown.id, "Again")
    assert office.db.execute("SELECT id FROM intakes WHERE project = ?", (shown.id,)).fetchall() == [(first,)]


def test_triage_is_one_hidden_state_where_no_new_item_stands(office: Office, project: Project) -> None:
    other = office.project("Other")
    made = projects.triage_state(office.store, "w", project.id)
    assert projects.triage_state(office.store, "w", project.id) == made
    assert projects.triage_state(office.store, "w", other.id) != made
    found = states(office, project)["Triage"]
    assert (found.id, found.group, found.is_triage, found.sequence, found.color, found.default) == (
        made, "triage", True, 65000.0, "#4E5355", False,
    )  # fmt: skip
    office.db.execute('UPDATE states SET "default" = 0')
    office.db.execute("UPDATE states SET sequence = 1 WHERE is_triage")
    stands = projects.default_state(office.db, project.id)
    assert stands is not None
    assert stands.name == "Backlog"


def test_a_project_goes_with_what_is_in_it_and_no_other_does(office: Office, project: Project) -> None:
    other = office.project("Other")
    for place in (project, other):
        office.item(place)
    projects.delete(office.store, project)
    assert refused(projects.project, office.db, "w", project.id)
    assert office.db.execute("SELECT DISTINCT project FROM items").fetchall() == [(other.id,)]
    assert office.db.execute("SELECT DISTINCT project FROM states").fetchall() == [(other.id,)]


class Sizes:
    """Two projects with an estimate of two points each, and an item of each point."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.estimates, self.points, self.items = [], [], []
        for name in ("Here", "There"):
            project = office.project(name)
            place = {"workspace": "w", "project": project.id}
            estimate = plain.add(office.store, Estimate, {**place, "name": "Size"})
            self.estimates.append(estimate)
            for key, value in ((2, "M"), (1, "S")):
                facts = {**place, "estimate": estimate.id, "key": key, "value": value}
                self.points.append(plain.add(office.store, EstimatePoint, facts))
                self.items.append(office.item(project, estimate_point=self.points[-1].id))
            projects.edit(office.store, project, {"estimate": estimate.id})

    def given(self) -> list[bool]:
        """Which of the items still have their point."""
        return [items.item(self.office.db, one.project, one.id).estimate_point is not None for one in self.items]


def test_a_point_goes_from_its_items_alone(office: Office) -> None:
    sizes = Sizes(office)
    assert [one.value for one in estimates.points_of(office.db, sizes.estimates[0].id)] == ["S", "M"]
    assert sizes.given() == [True] * 4
    estimates.remove_point(office.store, sizes.points[0])
    assert sizes.given() == [False, True, True, True]
    assert [len(estimates.points_of(office.db, one.id)) for one in sizes.estimates] == [1, 2]


def test_an_estimate_goes_with_its_points_and_its_project_forgets_it(office: Office) -> None:
    sizes = Sizes(office)
    here, there = (one.project for one in sizes.estimates)
    assert estimates.of_project(office.db, here) == sizes.estimates[0]
    estimates.remove(office.store, sizes.estimates[0])
    assert sizes.given() == [False, False, True, True]
    assert estimates.of_project(office.db, here) is None
    assert estimates.of_project(office.db, there) == sizes.estimates[1]
    assert projects.project(office.db, "w", here).estimate is None
    assert projects.project(office.db, "w", there).estimate == sizes.estimates[1].id
    assert estimates.points_of(office.db, sizes.estimates[0].id) == []


def test_a_project_takes_only_its_own_estimate_and_the_newest_counts(office: Office) -> None:
    sizes = Sizes(office)
    here = projects.project(office.db, "w", sizes.estimates[0].project)
    assert refused(projects.edit, office.store, here, {"estimate": sizes.estimates[1].id})
    assert refused(projects.edit, office.store, here, {"estimate": "nothing"})
    assert not refused(projects.edit, office.store, here, {"estimate": None})
    newer = plain.add(office.store, Estimate, {"workspace": "w", "project": here.id, "name": "Newer"})
    assert estimates.of_project(office.db, here.id) == newer


def test_projects_brought_from_outside_are_brought_once_into_a_workspace(office: Office) -> None:
    facts = {"external_source": "jira", "external_id": "1"}
    first, second = office.project("First", **facts), office.project("Second", **{**facts, "external_id": "2"})
    assert not office.may(lambda: office.project("Third", **facts))
    assert refused(projects.edit, office.store, second, {"external_id": "1"})
    assert not refused(projects.edit, office.store, first, {"external_id": "1"})
    assert not refused(projects.edit, office.store, second, {"external_id": "1", "external_source": "hub"})


def test_what_was_brought_from_outside_is_found_where_it_was_brought_to(office: Office) -> None:
    facts = {"external_source": "jira", "external_id": "1"}
    here, there = office.project("Here", **facts), office.project("There")
    others = [{**facts, "external_id": "2"}, {**facts, "external_source": "hub"}]
    for place, changes in ((there, [facts]), (here, [*others, facts])):
        for one in changes:
            office.item(place, f"{place.name} {one['external_source']} {one['external_id']}", **one)
    for of, source, id, name in (
        (here, "jira", "1", "Here jira 1"), (here, "jira", "2", "Here jira 2"), (here, "hub", "1", "Here hub 1"),
        (there, "jira", "1", "There jira 1"),
    ):  # fmt: skip
        assert outside.brought(office.db, Item, of.id, source, id).name == name
    assert outside.brought(office.db, Project, "w", "jira", "1") == here
    for record, within, source, id in (
        (Item, there.id, "jira", "2"), (Item, here.id, "hub", "2"), (Project, "v", "jira", "1"),
        (Project, here.id, "jira", "1"),
    ):  # fmt: skip
        assert refused(outside.brought, office.db, record, within, source, id)


@pytest.mark.parametrize(
    ("source", "id", "taken"),
    [("jira", "1", True), ("jira", "2", False), ("hub", "1", False), ("", "1", False), ("jira", "", False),
     (None, "1", False), ("jira", None, False), ("jira", 1, False), (1, "1", False)],
)  # fmt: skip
def test_what_came_from_nowhere_or_without_an_id_is_never_there_already(
    office: Office, source: Any, id: Any, taken: bool
) -> None:
    project = office.project("Here")
    for one, number in (("jira", "1"), ("", "1"), ("jira", "")):
        office.item(project, external_source=one, external_id=number)
    found = outside.taken(office.db, "items", "project", project.id, source, id)
    assert (found is not None) is taken


def test_projects_are_known_by_what_their_items_are_numbered_with(office: Office) -> None:
    made = [office.project(name) for name in ("Garden", "House", "Shed")]
    assert projects.identifiers(office.db, [one.id for one in made[:2]]) == {made[0].id: "GARDE", made[1].id: "HOUSE"}
    assert projects.identifiers(office.db, []) == {}


def test_plain_rows_are_made_changed_found_and_removed_one_at_a_time(office: Office, project: Project) -> None:
    place = {"workspace": "w", "project": project.id}
    first, second = (plain.add(office.store, Estimate, {**place, "name": name}) for name in ("One", "Two"))
    assert (first.name, first.created_by, first.created_at) == ("One", office.root.id, second.created_at)
    office.company.clock.forward(days=1)
    changed = plain.change(now(office), first, {"name": "Uno"})
    assert (changed.id, changed.name) == (first.id, "Uno")
    assert changed.updated_at > first.updated_at
    assert plain.one(office.store, Estimate, second.id, project=project.id) == second
    for id, where in ((second.id, {"project": "another"}), ("nothing", {"project": project.id})):
        assert refused(plain.one, office.store, Estimate, id, **where)
    plain.remove(office.store, changed)
    assert refused(plain.one, office.store, Estimate, first.id)
    assert plain.one(office.store, Estimate, second.id) == second
