"""What a project or a workspace is set up with: types, relations, estimates, milestones, invitations, features."""

from __future__ import annotations

from dayjob.company.board.rows import ItemType, Project
from dayjob.company.board.store import (
    accounts,
    definitions,
    estimates,
    invitations,
    item_lists,
    items,
    kinds,
    milestones,
    notes,
    plain,
    worklogs,
    workspaces,
)
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, refused


def test_a_type_has_a_name_of_its_own_and_its_items_outlive_it(office: Office, project: Project) -> None:
    task = kinds.create(office.store, project, {"name": "Task"})
    bug = kinds.create(office.store, project, {"name": "Bug"})
    assert refused(kinds.create, office.store, project, {"name": "Task"})
    assert refused(kinds.edit, office.store, bug, {"name": "Task"})
    assert not refused(kinds.edit, office.store, bug, {"name": "Bug"})
    assert not refused(kinds.create, office.store, office.project("Other"), {"name": "Task"})
    item = office.item(project, type=task.id)
    kinds.remove(office.store, task)
    assert items.item(office.db, project.id, item.id).type is None
    assert [one.name for one in kinds.of_project(office.db, project.id)] == ["Bug"]
    default = kinds.edit(office.store, bug, {"is_default": True})
    assert refused(kinds.remove, office.store, default)


def _kind(office: Office, project: Project) -> ItemType:
    return kinds.create(office.store, project, {"name": "Task"})


def test_properties_and_options_come_after_those_that_are_there(office: Office, project: Project) -> None:
    kind = _kind(office, project)
    facts = {"display_name": "Bed Size", "property_type": "OPTION"}
    first = kinds.add_property(office.store, kind, facts)
    assert first.name == "bed-size"
    assert refused(kinds.add_property, office.store, kind, {**facts, "display_name": "BED  size"})
    second = kinds.add_property(office.store, kind, {**facts, "display_name": "Depth"})
    zeroth = kinds.add_property(office.store, kind, {**facts, "display_name": "Top", "sort_order": 1.0})
    assert (first.sort_order, second.sort_order) == (65535.0, 75535.0)
    assert [one.id for one in kinds.properties(office.db, kind)] == [zeroth.id, first.id, second.id]
    made = [kinds.add_option(office.store, first, {"name": name}) for name in ("S", "M")]
    assert [one.name for one in kinds.options(office.db, first.id)] == ["S", "M"]
    assert refused(kinds.option, office.store, second, made[0].id)
    other = kinds.create(office.store, project, {"name": "Other"})
    assert refused(kinds.type_property, office.store, project.id, first.id, other)
    assert kinds.type_property(office.store, project.id, first.id) == first


def test_values_stand_in_place_of_those_before(office: Office, project: Project) -> None:
    item = office.item(project)
    depth = kinds.add_property(
        office.store, _kind(office, project), {"display_name": "Depth", "property_type": "DECIMAL"}
    )
    assert refused(kinds.remove_values, office.store, item, depth)
    kinds.set_values(office.store, item, depth, [1, 2], {})
    kinds.set_values(office.store, item, depth, [3.5], {"external_id": "x"})
    assert [(one.value, one.external_id) for one in kinds.values(office.db, item.id, depth)] == [(3.5, "x")]
    kinds.remove_values(office.store, item, depth)
    assert kinds.values(office.db, item.id, depth) == []


def test_a_relation_reads_from_both_sides_and_is_made_once(office: Office, project: Project) -> None:
    tests = definitions.create(office.store, "w", {"name": "Tests", "outward": "tests", "inward": "tested by"})
    same = definitions.create(office.store, "w", {"name": "like"})
    assert (same.outward, same.inward) == ("like", "like")
    assert refused(definitions.create, office.store, "w", {"name": "Tests"})
    one, other = office.item(project, "a"), office.item(project, "b")
    assert refused(definitions.relate, office.store, one, tests, "eats", [other])
    for _ in range(2):
        assert definitions.relate(office.store, one, tests, "tests", [other, one]) == [other]
    labels = definitions.labels(office.db, "w")
    assert list(definitions.relations(office.db, one, labels)) == [("tests", other.id)]
    assert list(definitions.relations(office.db, other, labels)) == [("tested by", one.id)]
    assert definitions.relate(office.store, other, tests, "tested by", [one]) == [one]
    assert len(list(definitions.relations(office.db, one, labels))) == 1
    plain.change(office.store, tests, {"is_active": False})
    assert list(definitions.relations(office.db, one, definitions.labels(office.db, "w"))) == []
    listed = definitions.listing("w", is_default=None, is_active=True).rows(office.db)
    assert [row.name for row in listed] == ["like"]
    definitions.unrelate(office.store, other.id, one.id)
    assert refused(definitions.unrelate, office.store, one.id, other.id)


def test_a_project_has_one_estimate(office: Office, project: Project) -> None:
    assert refused(estimates.the_one, office.db, project.id)
    made = estimates.create(office.store, project, {"name": "Size", "description": None})
    assert (made.description, estimates.the_one(office.db, project.id)) == ("", made)
    assert refused(estimates.refuse_second, office.db, project.id)
    assert estimates.edit(office.store, made, {"description": None}).description == ""
    point = estimates.add_point(office.store, made, {"key": 0, "value": "S"})
    assert estimates.edit_point(office.store, point, {"value": "M"}).value == "M"
    assert estimates.point_of(office.store, made, point.id).description == ""


def test_milestones_take_items_of_their_project_once(office: Office, project: Project) -> None:
    goal = milestones.create(office.store, project, {"title": "Harvest"})
    mine, other = office.item(project), office.item(office.project("Other"))
    for _ in range(2):
        milestones.put(office.store, goal, [mine.id, other.id, "nothing"])
    assert [one.issue for one in milestones.items_of(goal).rows(office.db)] == [mine.id]
    milestones.take_out(office.store, goal, [other.id, mine.id])
    assert milestones.items_of(goal).count(office.db) == 0


def test_epics_share_one_type_and_hold_items(office: Office, project: Project) -> None:
    first, second, child = (office.item(project, name) for name in "abc")
    assert refused(milestones.epic, office.store, project.id, first.id)
    made = [milestones.make_epic(office.store, project, one.id) for one in (first, second)]
    assert made[0].type == made[1].type
    assert milestones.epic(office.store, project.id, first.id).id == first.id
    assert item_lists.epics(project).count(office.db) == 2
    [under] = milestones.put_under(office.store, project, made[0], [child.id, child.id])
    assert under.parent == first.id


def test_a_worklog_is_changed_by_whoever_wrote_it(office: Office, project: Project) -> None:
    ann, item = office.person("ann", MEMBER), office.item(project)
    log = worklogs.add(office.store, item, {"duration": 5})
    worklogs.add(office.call(ann).store, item, {"duration": 7})
    assert refused(worklogs.own_worklog, office.call(ann).store, item.id, log.id)
    assert worklogs.own_worklog(office.store, item.id, log.id) == log
    assert worklogs.totals(office.db, project.id) == [(item.id, 12)]
    assert {one.logged_by for one in worklogs.of_item(office.db, item.id)} == {ann.id, office.root.id}


def test_an_address_is_invited_once_and_as_a_guest(office: Office) -> None:
    made = invitations.invite(office.store, "w", {"email": "zoe@bare.test"})
    assert made.role == GUEST
    assert refused(invitations.invite, office.store, "w", {"email": "zoe@bare.test", "role": ADMIN})
    taken = invitations.invite(office.store, "w", {"email": "max@bare.test", "role": ADMIN})
    office.db.execute("UPDATE invitations SET accepted = 1 WHERE id = ?", (taken.id,))
    assert refused(invitations.withdraw, office.store, invitations.invitation(office.store, "w", taken.id))
    assert [one.email for one in invitations.waiting(office.db, "w")] == ["zoe@bare.test"]
    invitations.withdraw(office.store, made)
    assert [one.email for one in invitations.of_workspace(office.db, "w")] == ["max@bare.test"]


def test_people_come_into_a_project_by_address_and_leave_the_workspace_whole(office: Office, project: Project) -> None:
    def invite(email: str) -> str:
        return accounts.invite_to_project(
            office.store, "w", project, MEMBER, email=email, display_name="zoe", name="Zoe Z"
        ).id

    zoe = accounts.user(office.db, invite("zoe@bare.test"))
    assert zoe is not None
    assert (zoe.display_name, zoe.first_name, zoe.is_active) == ("zoe", "Zoe", False)
    assert accounts.project_role(office.db, project.id, zoe.id) == MEMBER
    assert refused(invite, "zoe@bare.test")
    member = accounts.project_member(office.db, project.id, zoe.id)
    assert accounts.project_member(office.db, project.id, member.membership) == member
    accounts.edit_project_member(office.db, member, {"role": GUEST})
    assert accounts.project_role(office.db, project.id, zoe.id) == GUEST
    counts, people = accounts.role_counts(office.db, "w")
    assert [(one.role, one.memberships, one.people) for one in counts] == [(ADMIN, 1, 1), (GUEST, 1, 1)]
    assert people == 2
    accounts.remove_from_workspace(office.db, "w", "w", "zoe@bare.test")
    assert refused(accounts.project_member, office.db, project.id, zoe.id)
    assert refused(accounts.remove_from_workspace, office.db, "w", "w", "zoe@bare.test")
    assert refused(accounts.remove_from_workspace, office.db, "w", "w", office.root.email)  # the only administrator


def test_a_workspace_keeps_what_was_switched_before(office: Office) -> None:
    workspace = workspaces.workspace(office.db, "w")
    workspaces.switch(office.db, workspace, {"wiki": True})
    again = workspaces.switch(office.db, workspaces.workspace(office.db, "w"), {"teams": True, "wiki": True})
    assert (again.features["wiki"], again.features["teams"]) == (True, True)
    assert refused(workspaces.workspace, office.db, "v")
    assert workspaces.member_count(office.db, "w") == 1
    home = workspaces.home_of(office.db, office.root.id)
    assert home is not None
    assert home.id == "w"
    assert workspaces.home_of(office.db, "nobody") is None
    assert workspaces.rate_limit(office.db) is None
    workspaces.set_rate_limit(office.db, "60/minute")
    assert workspaces.rate_limit(office.db) == "60/minute"


def test_stickies_are_ones_own_and_the_newest_stands_first(office: Office) -> None:
    ann = office.person("ann", MEMBER)
    first = notes.add_sticky(office.store, "w", {"description_html": "<p>Water</p>"})
    second = notes.add_sticky(office.store, "w", {})
    assert [one.id for one in notes.sticky_listing("w", office.root.id, None).rows(office.db)] == [second.id, first.id]
    assert [one.id for one in notes.sticky_listing("w", office.root.id, "WATER").rows(office.db)] == [first.id]
    assert notes.sticky_listing("w", ann.id, None).count(office.db) == 0
    assert refused(notes.sticky, office.call(ann).store, "w", first.id)
