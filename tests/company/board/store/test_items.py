"""Items: what they can be given, who gets them, their history, order and end."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.rows import Item, Project
from dayjob.company.board.store import accounts, cycles, intake, items, projects
from dayjob.company.rows import by_id
from tests.company.bare import day
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, listed, refused, states, told


def test_an_items_history_tells_each_change_of_it(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    office.join(project, ann, MEMBER)
    label = projects.add_label(office.store, "w", project.id, {"name": "bug"})
    parent, item = office.item(project, "Parent"), office.item(project)
    done = states(office, project)["Done"]
    changed = items.edit(
        office.store, project, item,
        {"name": "Roots", "priority": "high", "state": done.id, "parent": parent.id, "assignees": [ann.id],
         "labels": [label], "start_date": day(0), "target_date": day(0)},
    )  # fmt: skip
    assert told(office, item) == [
        (None, None, None), ("name", "Weeds", "Roots"), ("priority", "none", "high"), ("start_date", "", day(0)),
        ("target_date", "", day(0)), ("state", "Backlog", "Done"), ("parent", "", "GARDE-1"), ("assignees", "", "ann"),
        ("labels", "", "bug"),
    ]  # fmt: skip
    assert changed.completed_at is not None
    items.edit(office.store, project, changed, {"name": "Roots", "state": done.id, "assignees": [], "labels": []})
    assert told(office, item)[9:] == [("assignees", "ann", ""), ("labels", "bug", "")]
    back = items.edit(office.store, project, changed, {"state": states(office, project)["Todo"].id})
    assert back.completed_at is None


def test_who_and_what_is_taken_off_an_item_stays_at_the_others(office: Office, project: Project) -> None:
    ann, bob = office.person("ann", MEMBER), office.person("bob", MEMBER)
    for user in (ann, bob):
        office.join(project, user, MEMBER)
    bug, big = (projects.add_label(office.store, "w", project.id, {"name": name}) for name in ("bug", "big"))
    item, other = (office.item(project, assignees=[ann.id, bob.id], labels=[bug, big]) for _ in range(2))
    items.edit(office.store, project, item, {"assignees": [bob.id], "labels": [big]})
    assert items.people_and_labels(office.db, [item.id, other.id]) == (
        {item.id: [bob.id], other.id: [ann.id, bob.id]}, {item.id: [big], other.id: [bug, big]},
    )  # fmt: skip


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
    assert refused(items.edit, office.store, project, item, wanted)
    if facts.get("parent") not in ("itself", "its child"):
        assert refused(items.create, office.store, project, {"name": "New", **wanted})


def test_dates_are_compared_with_those_an_item_has(office: Office, project: Project) -> None:
    item = office.item(project, start_date=day(2), target_date=day(4))
    for facts, may in (
        ({"target_date": day(1)}, False), ({"target_date": day(2)}, True), ({"start_date": day(5)}, False),
        ({"start_date": day(4)}, True), ({"target_date": None}, True), ({"name": "x"}, True),
    ):  # fmt: skip
        assert office.may(items.edit, office.store, project, item, facts) is may, facts


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
    foreign = projects.add_label(office.store, "w", office.project("Other").id, {"name": "bug"})
    own = projects.add_label(office.store, "w", project.id, {"name": "bug"})
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
        office.db, Item, intake.suggest(office.store, office.project("In", intake_view=True), {"name": "x"}).issue
    )
    assert waiting is not None
    assert [listed(office, one) for one in (plain, draft, done, waiting)] == [True, False, True, False]
    assert refused(items.archive, office.store, plain, on=True)
    items.archive(office.store, done, on=True)
    put_away = items.item(office.db, project.id, done.id)
    assert (listed(office, put_away), put_away.archived_at) == (False, day(0))
    for ask in (lambda one: items.listed_item(office.db, "w", project.id, one.id),
                lambda one: items.item_by_number(office.db, "w", "GARDE", one.sequence_id)):  # fmt: skip
        assert [refused(ask, one) for one in (plain, draft, put_away)] == [False, True, True]
    items.archive(office.store, put_away, on=False)
    assert items.listed_item(office.db, "w", project.id, done.id).archived_at is None
    assert refused(items.listed_item, office.db, "v", project.id, plain.id)
    assert refused(items.item_by_number, office.db, "v", "GARDE", 1)
    projects.archive(office.store, project, on=True)
    assert refused(items.listed_item, office.db, "w", project.id, plain.id)
    assert refused(items.item_by_number, office.db, "w", "GARDE", 1)


@pytest.mark.parametrize("thing", ["item", "cycle"])
def test_who_deletes_an_item_or_a_cycle(office: Office, project: Project, thing: str) -> None:
    maker, admin, member, boss = (office.person(name, MEMBER) for name in ("maker", "admin", "member", "boss"))
    accounts.set_workspace_role(office.db, "w", boss.id, ADMIN)
    for user, role in ((maker, GUEST), (admin, ADMIN), (member, MEMBER)):
        office.join(project, user, role)
    if thing == "item":
        made: Any = items.item(office.db, project.id, items.create(office.call(maker).store, project, {"name": "x"}))
        delete: Any = items.delete
    else:
        made = cycles.cycle(office.db, project.id, cycles.create(office.call(maker).store, project, {"name": "x"}))
        delete = cycles.delete
    for user, may in ((maker, True), (admin, True), (member, False), (boss, False)):
        assert office.may(delete, office.call(user).store, made) is may, user.username


def test_an_item_is_completed_when_it_gets_there_and_not_again_by_a_change(office: Office, project: Project) -> None:
    found = states(office, project)
    item = office.item(project, state=found["Done"].id)
    assert item.completed_at == office.store.now
    office.store.now = f"{day(1)}T00:00:00.000Z"
    same = items.edit(office.store, project, item, {"name": "x", "state": found["Done"].id})
    assert same.completed_at == item.completed_at
    assert items.edit(office.store, project, item, {"state": found["Cancelled"].id}).completed_at is None
    late = items.edit(office.store, project, items.item(office.db, project.id, item.id), {"state": found["Done"].id})
    assert late.completed_at == office.store.now
    office.db.execute("UPDATE items SET state = NULL, completed_at = NULL WHERE id = ?", (item.id,))
    lost = items.item(office.db, project.id, item.id)
    assert items.edit(office.store, project, lost, {"state": found["Done"].id}).completed_at == office.store.now
    assert items.edit(office.store, project, lost, {"name": "y"}).name == "y"


def test_a_description_is_cleaned_and_kept_as_plain_text_too(office: Office, project: Project) -> None:
    item = office.item(project, description_html="<p>dig <script>x</script><b>deep</b></p>")
    assert item.description_html == "<p>dig <b>deep</b></p>"
    plain_text = office.db.execute("SELECT trim(description_stripped) FROM items").fetchone()[0]
    assert " ".join(plain_text.split()) == "dig deep"
    assert refused(items.edit, office.store, project, item, {"description_html": ""})
