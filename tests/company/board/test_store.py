"""What the board's store keeps: projects, states, items, cycles, modules, intake and comments, at their edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Comment, Cycle, Item, Link, Project, State, User
from dayjob.company.board.refusals import Refused
from dayjob.company.board.rows import by_id, find
from dayjob.company.board.store import accounts, counting, cycles, intake, items, modules, projects, talk
from tests.company.bare import day
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.company.close()


@pytest.fixture
def project(office: Office) -> Project:
    return office.project(cycle_view=True)


def refused(what: Any, *args: Any, **more: Any) -> bool:
    try:
        what(*args, **more)
    except Refused:
        return True
    return False


def states(office: Office, project: Project) -> dict[str, State]:
    return {one.name: one for one in find(office.db, State, "WHERE project = ?", (project.id,))}


def now(office: Office) -> Ledger:
    """A ledger of this moment: each keeps the moment it first read."""
    return Ledger(office.db, office.company.ids, office.company.clock.stamp, office.root.id)


def told(office: Office, item: Item) -> list[tuple[str | None, str | None, str | None]]:
    """An item's history: field, old and new value."""
    return office.db.execute(
        "SELECT field, old_value, new_value FROM activities WHERE issue = ? ORDER BY rowid", (item.id,)
    ).fetchall()


def listed(office: Office, item: Item) -> bool:
    return bool(office.db.execute("SELECT listed FROM items WHERE id = ?", (item.id,)).fetchone()[0])


# -- projects ----------------------------------------------------------------------------------------------------


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


# -- items -------------------------------------------------------------------------------------------------------


def test_an_items_history_tells_each_change_of_it(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    office.join(project, ann, MEMBER)
    label = projects.add_label(office.ledger, "w", project.id, {"name": "bug"})
    parent, item = office.item(project, "Parent"), office.item(project)
    done = states(office, project)["Done"]
    changed = items.edit(
        office.ledger, project, item,
        {"name": "Roots", "priority": "high", "state": done.id, "parent": parent.id, "assignees": [ann.id],
         "labels": [label], "start_date": day(0), "target_date": day(0)},
    )  # fmt: skip
    assert told(office, item) == [
        (None, None, None), ("name", "Weeds", "Roots"), ("priority", "none", "high"), ("start_date", "", day(0)),
        ("target_date", "", day(0)), ("state", "Backlog", "Done"), ("parent", "", "GARDE-1"), ("assignees", "", "ann"),
        ("labels", "", "bug"),
    ]  # fmt: skip
    assert changed.completed_at is not None
    items.edit(office.ledger, project, changed, {"name": "Roots", "state": done.id, "assignees": [], "labels": []})
    assert told(office, item)[9:] == [("assignees", "ann", ""), ("labels", "bug", "")]
    back = items.edit(office.ledger, project, changed, {"state": states(office, project)["Todo"].id})
    assert back.completed_at is None


WRONG = [
    ("dates the wrong way round", {"start_date": day(1), "target_date": day(0)}),
    ("a state of another project", {"state": "their state"}),
    ("a state that is not there", {"state": "nothing"}),
    ("a parent of another project", {"parent": "their item"}),
    ("a parent that is not there", {"parent": "nothing"}),
    ("itself as parent", {"parent": "itself"}),
    ("its own child as parent", {"parent": "its child"}),
    ("an empty description", {"description_html": ""}),
    ("an estimate that is not there", {"estimate_point": "nothing"}),
    ("a type that is not there", {"type": "nothing"}),
]


@pytest.mark.parametrize("facts", [one[1] for one in WRONG], ids=[one[0] for one in WRONG])
def test_what_an_item_cannot_be_given(office: Office, project: Project, facts: dict[str, str]) -> None:
    other = office.project("Other")
    item = office.item(project)
    child = office.item(project, parent=item.id)
    words = {
        "their state": states(office, other)["Done"].id, "their item": office.item(other).id, "itself": item.id,
        "its child": child.id,
    }  # fmt: skip
    wanted = {name: words.get(value, value) for name, value in facts.items()}
    assert refused(items.edit, office.ledger, project, item, wanted)
    if facts.get("parent") not in ("itself", "its child"):
        assert refused(items.create, office.ledger, project, {"name": "New", **wanted})


def test_dates_are_compared_with_those_an_item_has(office: Office, project: Project) -> None:
    item = office.item(project, start_date=day(2), target_date=day(4))
    for facts, may in (
        ({"target_date": day(1)}, False), ({"target_date": day(2)}, True), ({"start_date": day(5)}, False),
        ({"start_date": day(4)}, True), ({"target_date": None}, True), ({"name": "x"}, True),
    ):  # fmt: skip
        assert office.may(items.edit, office.ledger, project, item, facts) is may, facts


ASSIGNED = [("admin", ADMIN, True), ("member", MEMBER, True), ("guest", GUEST, False), ("outsider", 0, False)]


def test_work_is_given_to_members_and_labels_are_the_projects(office: Office, project: Project) -> None:
    people = {}
    for name, role, _ in ASSIGNED:
        people[name] = office.person(name, MEMBER)
        if role:
            office.join(project, people[name], role)
    left = office.person("left", MEMBER)
    office.join(project, left, ADMIN)
    office.db.execute("UPDATE project_members SET is_active = 0 WHERE member = ?", (left.id,))
    foreign = projects.add_label(office.ledger, "w", office.project("Other").id, {"name": "bug"})
    own = projects.add_label(office.ledger, "w", project.id, {"name": "bug"})
    everyone = [one.id for one in (*people.values(), left, people["member"])]
    item = office.item(project, assignees=everyone, labels=[foreign, own, own, "nothing"])
    found, labels = items.people_and_labels(office.db, [item.id])
    assert (
        found
        == items.assignees(office.db, [item.id])
        == {item.id: [people[name].id for name, _, may in ASSIGNED if may]}
    )
    assert labels == items.labels(office.db, [item.id]) == {item.id: [own]}
    assert [one.name for one in items.labels_of(office.db, item.id)] == ["bug"]
    assert items.people_and_labels(office.db, []) == ({}, {})


@pytest.mark.parametrize(("role", "given"), [(MEMBER, True), (GUEST, False)])
def test_an_item_nobody_is_given_goes_to_the_default_assignee(office: Office, role: int, given: bool) -> None:
    ann = office.person("ann", MEMBER)
    project = office.project(default_assignee=ann.id)
    office.join(project, ann, role)
    item = office.item(project)
    assert items.assignees(office.db, [item.id])[item.id] == ([ann.id] if given else [])
    other = office.item(project, assignees=[office.root.id])
    assert items.assignees(office.db, [other.id])[other.id] == [office.root.id]


def test_lists_show_what_is_neither_archived_nor_a_draft_nor_in_triage(office: Office, project: Project) -> None:
    plain, draft = office.item(project), office.item(project, is_draft=True)
    done = office.item(project, state=states(office, project)["Done"].id)
    waiting = by_id(
        office.db, Item, intake.suggest(office.ledger, office.project("In", intake_view=True), {"name": "x"}).issue
    )
    assert waiting is not None
    assert [listed(office, one) for one in (plain, draft, done, waiting)] == [True, False, True, False]
    assert refused(items.archive, office.ledger, plain, on=True)
    items.archive(office.ledger, done, on=True)
    put_away = items.item(office.db, project.id, done.id)
    assert (listed(office, put_away), put_away.archived_at) == (False, day(0))
    for ask in (lambda one: items.listed_item(office.db, "w", project.id, one.id),
                lambda one: items.item_by_number(office.db, "w", "GARDE", one.sequence_id)):  # fmt: skip
        assert [refused(ask, one) for one in (plain, draft, put_away)] == [False, True, True]
    items.archive(office.ledger, put_away, on=False)
    assert items.listed_item(office.db, "w", project.id, done.id).archived_at is None
    assert refused(items.listed_item, office.db, "v", project.id, plain.id)
    assert refused(items.item_by_number, office.db, "v", "GARDE", 1)
    projects.archive(office.ledger, project, on=True)
    assert refused(items.listed_item, office.db, "w", project.id, plain.id)
    assert refused(items.item_by_number, office.db, "w", "GARDE", 1)


@pytest.mark.parametrize("thing", ["item", "cycle"])
def test_who_deletes_an_item_or_a_cycle(office: Office, project: Project, thing: str) -> None:
    maker, admin, member, boss = (office.person(name, MEMBER) for name in ("maker", "admin", "member", "boss"))
    accounts.set_workspace_role(office.db, "w", boss.id, ADMIN)
    for user, role in ((maker, GUEST), (admin, ADMIN), (member, MEMBER)):
        office.join(project, user, role)
    if thing == "item":
        made: Any = items.item(office.db, project.id, items.create(office.call(maker).ledger, project, {"name": "x"}))
        delete: Any = items.delete
    else:
        made = cycles.cycle(office.db, project.id, cycles.create(office.call(maker).ledger, project, {"name": "x"}))
        delete = cycles.delete
    for user, may in ((maker, True), (admin, True), (member, False), (boss, False)):
        assert office.may(delete, office.call(user).ledger, made) is may, user.username


def test_items_are_ordered_as_asked(office: Office, project: Project) -> None:
    names = {}
    for name, facts in (
        ("a", {"priority": "low", "target_date": day(2)}), ("c", {"priority": "urgent"}),
        ("b", {"priority": "none", "target_date": day(1), "state": states(office, project)["Done"].id}),
    ):  # fmt: skip
        names[name] = office.item(project, name, **facts)
        office.ledger.now = f"{day(len(names))}T00:00:00.000Z"

    def order(asked: str | None) -> str:
        found = items.page(office.db, "project = ?", (project.id,), items.order(asked), 10, 0)
        return "".join(one.name for one in found)

    asked = (None, "created_at", "name", "-name", "priority", "-priority", "target_date")
    assert [order(one) for one in asked] == [
        "bca", "acb", "abc", "cba", "cab", "bac", "bac",
    ]  # fmt: skip
    assert (order("-target_date"), order("state__group"), order("sequence_id"), order("nonsense")) == (
        "abc", "cab", "acb", "bca",
    )  # fmt: skip


# -- cycles and modules ------------------------------------------------------------------------------------------


def cycle(office: Office, project: Project, start: int | None, end: int | None, **facts: Any) -> Cycle:
    dates = {"start_date": None if start is None else f"{day(start)}T00:00:00.000000Z",
             "end_date": None if end is None else f"{day(end)}T00:00:00.000000Z"}  # fmt: skip
    made = cycles.create(now(office), project, {"name": "x", **dates, **facts})
    return cycles.cycle(office.db, project.id, made)


OVERLAPS = [(1, 2, True), (2, 3, True), (3, 4, False), (4, 5, False), (5, 6, False), (6, 7, True), (1, 9, False)]
"""With a cycle of the days 4 and 5."""


@pytest.mark.parametrize(("start", "end", "may"), OVERLAPS)
def test_cycles_do_not_share_a_day(office: Office, project: Project, start: int, end: int, may: bool) -> None:
    cycle(office, project, 4, 5)
    assert office.may(cycle, office, project, start, end) is may
    own = cycle(office, project, 20, 21)
    dates = {"start_date": f"{day(start)}T00:00:00.000000Z", "end_date": f"{day(end)}T00:00:00.000000Z"}
    assert office.may(cycles.edit, now(office), project, own, dates) is may
    assert office.may(cycles.edit, now(office), project, own, {"start_date": own.start_date, "end_date": own.end_date})
    elsewhere = office.project("Other", cycle_view=True)
    assert office.may(cycle, office, elsewhere, start, end)


def test_a_cycle_has_both_dates_or_none_in_order_in_a_project_that_has_cycles(office: Office, project: Project) -> None:
    for start, end, may in ((None, None, True), (1, None, False), (None, 1, False), (2, 1, False), (1, 1, True)):
        assert office.may(cycle, office, project, start, end) is may, (start, end)
    assert not office.may(cycle, office, office.project("Other", cycle_view=False), 1, 2)


def test_a_cycle_begins_at_the_start_of_its_day_there_or_now_if_that_is_today(office: Office) -> None:
    assert cycles.day_bounds("2026-03-10", "2026-03-11", "UTC", None) == (
        "2026-03-10T00:00:01.000000Z", "2026-03-11T23:59:00.000000Z",
    )  # fmt: skip
    begins, ends = cycles.day_bounds("2026-03-10", "2026-03-10", "Europe/Berlin", "2026-03-10T12:00:00Z")
    assert (begins[:16], ends[:16]) == ("2026-03-10T12:00", "2026-03-10T22:59")
    assert (
        cycles.day_bounds("2026-03-10", "2026-03-10", "Europe/Berlin", "2026-03-09T12:00:00Z")[0][:16]
        == "2026-03-09T23:00"
    )
    assert cycles.day_bounds("2026-03-10", "2026-03-10", "No/Where", None)[0][:13] == "2026-03-10T00"


def test_a_cycle_that_is_over_takes_nothing_and_can_be_archived(office: Office, project: Project) -> None:
    old, item = cycle(office, project, 0, 0), office.item(project)
    following = cycle(office, project, 5, 6)
    assert refused(cycles.put, now(office), old, [])
    cycles.put(now(office), old, [item.id])
    assert refused(cycles.archive, now(office), old, on=True)
    office.company.clock.forward(days=1)
    assert refused(cycles.put, now(office), old, [item.id])
    assert refused(cycles.edit, now(office), project, old, {"name": "y"})
    cycles.edit(now(office), project, old, {"name": "y", "sort_order": 7.0})
    over = cycles.cycle(office.db, project.id, old.id)
    assert (over.name, over.sort_order) == ("x", 7.0)
    assert refused(cycles.transfer, now(office), following, old)
    cycles.archive(now(office), over, on=True)
    assert refused(cycles.edit, now(office), project, cycles.cycle(office.db, project.id, old.id), {"sort_order": 8.0})


def test_what_is_unfinished_moves_on_and_how_far_a_cycle_came_is_kept(office: Office, project: Project) -> None:
    here, there = cycle(office, project, 1, 2), cycle(office, project, 3, 4)
    found = states(office, project)
    made = {name: office.item(project, name, state=found[name].id) for name in found}
    foreign = office.item(office.project("Other"))
    cycles.put(now(office), here, [*(one.id for one in made.values()), foreign.id])
    cycles.transfer(now(office), here, there)
    placed = dict(office.db.execute("SELECT issue, cycle FROM cycle_items").fetchall())
    assert {name: placed[one.id] == there.id for name, one in made.items()} == {
        "Backlog": True, "Todo": True, "In Progress": True, "Done": False, "Cancelled": False,
    }  # fmt: skip
    assert foreign.id not in placed
    kept = cycles.cycle(office.db, project.id, here.id).progress_snapshot
    assert kept == {"total_issues": 5, **{f"{group}_issues": 1 for group in
                    ("cancelled", "completed", "started", "unstarted", "backlog")}}  # fmt: skip
    assert refused(cycles.take_out, now(office), here, made["Todo"].id)
    cycles.take_out(now(office), there, made["Todo"].id)
    assert told(office, made["Todo"])[1:] == [("cycles", "", "x"), ("cycles", "x", "x"), ("cycles", "x", "")]


def test_a_module_is_named_once_and_archived_when_it_is_finished(office: Office, project: Project) -> None:
    made = modules.module(
        office.db, project.id, modules.create(office.ledger, project, {"name": "Beds", "status": "planned"})
    )
    other = modules.module(office.db, project.id, modules.create(office.ledger, project, {"name": "Paths"}))
    assert other.sort_order == made.sort_order - 10000
    assert refused(modules.create, office.ledger, project, {"name": "Beds"})
    assert refused(modules.create, office.ledger, project, {"name": "x", "start_date": day(1), "target_date": day(0)})
    assert refused(modules.edit, office.ledger, project, other, {"name": "Beds"})
    assert not refused(modules.edit, office.ledger, project, other, {"name": "Paths", "start_date": day(1)})
    other = modules.module(office.db, project.id, other.id)
    assert refused(modules.edit, office.ledger, project, other, {"target_date": day(0)})
    assert refused(modules.archive, office.ledger, made, on=True)
    modules.edit(office.ledger, project, made, {"status": "completed"})
    modules.archive(office.ledger, modules.module(office.db, project.id, made.id), on=True)
    assert refused(modules.edit, office.ledger, project, modules.module(office.db, project.id, made.id), {"name": "x"})
    assert refused(modules.put, office.ledger, other, [])
    assert refused(modules.module, office.db, "another project", made.id)


# -- intake ------------------------------------------------------------------------------------------------------

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
    waiting = intake.suggest(office.ledger, project, {"name": "Fence"})
    intake.decide(office.ledger, project, waiting, {"status": status})
    item = items.item(office.db, project.id, waiting.issue)
    assert states(office, project)[state].id == item.state
    assert listed(office, item) is (state != "Triage")
    lines = [one for one in told(office, item) if one[0] == "intake"]
    assert lines == ([("intake", "Pending", word)] if word else [])


def test_a_suggestion_is_withdrawn_with_its_item_unless_it_was_accepted(office: Office) -> None:
    project = office.project(intake_view=True)
    assert refused(intake.suggest, office.ledger, office.project("Other"), {"name": "x"})
    maker, admin, member = (office.person(name, MEMBER) for name in ("maker", "admin", "member"))
    office.join(project, admin, ADMIN)
    office.join(project, member, MEMBER)
    waiting = intake.suggest(office.call(maker).ledger, project, {"name": "Fence"})
    for user, may in ((maker, True), (admin, True), (member, False)):
        assert office.may(intake.withdraw, office.call(user).ledger, waiting) is may, user.username
    intake.decide(office.ledger, project, waiting, {"status": intake.ACCEPTED})
    intake.withdraw(office.call(member).ledger, intake.intake_item(office.db, project.id, waiting.issue))
    assert items.item(office.db, project.id, waiting.issue)
    assert refused(intake.intake_item, office.db, project.id, waiting.issue)
    again = intake.suggest(office.ledger, project, {"name": "Gate"})
    intake.withdraw(office.ledger, again)
    assert refused(items.item, office.db, project.id, again.issue)


# -- what gathers around an item ---------------------------------------------------------------------------------


def test_comments_and_links_leave_their_lines(office: Office, project: Project) -> None:
    item, other = office.item(project), office.item(project)
    made = talk.add_comment(office.ledger, item, {"comment_html": "<p>hi <script>x</script></p>"})
    comment = talk.comment(office.db, item.id, made)
    assert isinstance(comment, Comment)
    assert "script" not in comment.comment_html
    assert office.db.execute("SELECT trim(comment_stripped) FROM comments").fetchone() == ("hi",)
    assert refused(talk.comment, office.db, other.id, made)
    talk.edit_comment(office.ledger, item, comment, {"comment_html": comment.comment_html})
    talk.edit_comment(office.ledger, item, comment, {"comment_html": "<p>ho</p>"})
    talk.remove_comment(office.ledger, item, comment)
    link = talk.link(office.db, item.id, talk.add_link(office.ledger, item, {"url": "http://a.test"}))
    assert isinstance(link, Link)
    assert refused(talk.add_link, office.ledger, item, {"url": "http://a.test"})
    talk.add_link(office.ledger, other, {"url": "http://a.test"})
    second = talk.link(office.db, item.id, talk.add_link(office.ledger, item, {"url": "http://b.test"}))
    assert refused(talk.edit_link, office.ledger, item, second, {"url": "http://a.test"})
    talk.edit_link(office.ledger, item, second, {"url": "http://b.test", "title": "B"})
    talk.edit_link(office.ledger, item, second, {"url": "http://c.test"})
    talk.remove_link(office.ledger, item, link)
    assert [one[0] for one in told(office, item)] == [None, *["comment"] * 3, *["link"] * 4]
    assert refused(talk.link, office.db, item.id, link.id)


@pytest.mark.parametrize(("kind", "inverse"), sorted(talk.INVERSE.items()))
def test_a_relation_reads_the_other_way_round_from_the_other_side(
    office: Office, project: Project, kind: str, inverse: str
) -> None:
    item, other = office.item(project), office.item(project)
    assert [one.id for one in talk.relate(office.ledger, item, kind, [other.id, other.id, item.id, "none"])] == [
        other.id
    ]
    talk.relate(office.ledger, other, "relates_to", [item.id])
    assert {name: ids for name, ids in talk.relations(office.db, item.id).items() if ids} == {kind: [other.id]}
    assert {name: ids for name, ids in talk.relations(office.db, other.id).items() if ids} == {inverse: [item.id]}
    assert told(office, item)[1:] == [(kind, "", "GARDE-2")]
    assert told(office, other)[1:] == [(inverse, "", "GARDE-1")]
    talk.unrelate(office.ledger, other, item.id)
    assert told(office, item)[2:] == [(kind, "GARDE-2", "")]
    assert told(office, other)[2:] == [(inverse, "GARDE-1", "")]
    assert refused(talk.unrelate, office.ledger, other, item.id)


@pytest.mark.parametrize("table", ["comments", "cycles", "modules"])
def test_what_was_brought_from_outside_is_brought_once(office: Office, project: Project, table: str) -> None:
    item = office.item(project)
    other = office.project("Other", cycle_view=True)
    elsewhere = office.item(other)
    make: Any = {
        "comments": lambda place, facts: talk.add_comment(office.ledger, elsewhere if place is other else item, facts),
        "cycles": lambda place, facts: cycles.create(office.ledger, place, {"name": "x", **facts}),
        "modules": lambda place, facts: modules.create(office.ledger, place, {"name": str(facts), **facts}),
    }[table]
    facts = {"external_source": "jira", "external_id": "1"}
    make(project, facts)
    assert refused(make, project, facts)
    for place, changed in ((project, {"external_id": "2"}), (project, {"external_source": "hub"}), (other, {})):
        assert not refused(make, place, {**facts, **changed}), changed


# -- counting ----------------------------------------------------------------------------------------------------


def test_counting_and_finding_by_conditions_stays_in_ones_own_open_projects(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    office.join(project, ann, MEMBER)
    label = projects.add_label(office.ledger, "w", project.id, {"name": "bug"})
    high = office.item(project, "Alpha", priority="high", labels=[label], assignees=[ann.id, office.root.id])
    low = office.item(project, "Beta", priority="low")
    office.item(project, "Draft", is_draft=True)
    office.item(office.project("Other"), "Alpha")
    assert counting.total(office.db, ann.id, "w") == 2
    assert counting.total(office.db, ann.id, "v") == 0
    assert counting.grouped(office.db, ann.id, "w", "priority", None) == [("high", None, 1), ("low", None, 1)]
    assert counting.grouped(office.db, ann.id, "w", "labels__id", "priority") == [(None, "low", 1), (label, "high", 1)]
    assert {row[2] for row in counting.grouped(office.db, ann.id, "w", "assignees__id", None)} == {1}

    def found(filters: Any, words: str = "", place: str | None = None) -> set[str]:
        return {one.id for one in counting.find_by(office.db, ann.id, "w", words, filters, place, 10)}

    both = {high.id, low.id}
    assert (found(None), found(None, "ALPH"), found(None, "", "other")) == (both, {high.id}, set())
    assert (
        found({"priority": "high"})
        == found({"labels__id": label})
        == found({"assignees__id__in": [ann.id]})
        == {high.id}
    )
    assert found({"priority__in": ["high", "low"]}) == both
    assert found({"or": [{"priority": "low"}, {"and": [{"priority": "high"}, {"labels__id": label}]}]}) == both
    assert found({"and": [{"priority": "low"}, {"labels__id": label}]}) == set()
    projects.archive(office.ledger, project, on=True)
    assert found(None) == set()


@pytest.mark.parametrize(
    "filters",
    [[], {}, {"a": 1, "b": 2}, {"nonsense": "x"}, {"priority__gt": "x"}, {"priority": 1}, {"priority": []}, {"and": []},
     {"or": {}}, {"priority": ["x"] * 101}, {"and": [{"priority": "x"}] * 101}],
)  # fmt: skip
def test_conditions_that_make_no_sense_are_refused(filters: Any) -> None:
    assert refused(counting.condition, filters)


def test_conditions_nest_twenty_deep_and_hold_a_hundred_parts() -> None:
    def nested(depth: int) -> Any:
        return {"priority": "x"} if depth == 0 else {"and": [nested(depth - 1)]}

    assert not refused(counting.condition, nested(20))
    assert refused(counting.condition, nested(21))
    assert not refused(counting.condition, {"and": [{"priority": ["x"] * 100}] * 100})


def test_people_are_renamed_within_limits(office: Office) -> None:
    user = office.person("ann")
    for names, may in (
        ({"first_name": "x" * 255, "last_name": "", "display_name": "a"}, True),
        ({"first_name": "x" * 256, "last_name": "", "display_name": "a"}, False),
        ({"first_name": "", "last_name": "b", "display_name": "a"}, False),
        ({"first_name": "a", "last_name": "b", "display_name": ""}, False),
        ({"first_name": "a\0", "last_name": "b", "display_name": "a"}, False),
    ):
        assert office.may(lambda given=names: accounts.rename(office.db, user, **given)) is may, names
    accounts.rename(office.db, user, first_name="An", last_name="Low", display_name="anl")
    renamed = by_id(office.db, User, user.id)
    assert renamed is not None
    assert (renamed.first_name, renamed.last_name, renamed.display_name) == ("An", "Low", "anl")
    assert [one.id for one in accounts.users(office.db, [office.root.id, "none", user.id])] == [office.root.id, user.id]
