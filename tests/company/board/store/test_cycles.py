"""Cycles and modules: dates, what is planned into them, and when they are over."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.rows import Cycle, Project
from dayjob.company.board.store import cycles, items, modules
from tests.company.bare import day
from tests.company.board.offices import MEMBER, Office, now, refused, states, told


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


@pytest.mark.parametrize(
    ("field", "number", "may"),
    [("start_date", 5, False), ("start_date", 6, True), ("end_date", 12, False), ("end_date", 11, True),
     ("name", 0, True)],
)  # fmt: skip
def test_moving_one_end_of_a_cycle_is_enough_to_run_into_another(
    office: Office, project: Project, field: str, number: int, may: bool
) -> None:
    cycle(office, project, 4, 5)
    cycle(office, project, 12, 13)
    own = cycle(office, project, 8, 9)
    moved = {field: f"{day(number)}T00:00:00.000000Z"}
    assert office.may(cycles.edit, now(office), project, own, moved) is may


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
        office.db, project.id, modules.create(office.store, project, {"name": "Beds", "status": "planned"})
    )
    other = modules.module(office.db, project.id, modules.create(office.store, project, {"name": "Paths"}))
    assert other.sort_order == made.sort_order - 10000
    assert refused(modules.create, office.store, project, {"name": "Beds"})
    assert refused(modules.create, office.store, project, {"name": "x", "start_date": day(1), "target_date": day(0)})
    assert refused(modules.edit, office.store, project, other, {"name": "Beds"})
    assert not refused(modules.edit, office.store, project, other, {"name": "Paths", "start_date": day(1)})
    other = modules.module(office.db, project.id, other.id)
    assert refused(modules.edit, office.store, project, other, {"target_date": day(0)})
    assert refused(modules.archive, office.store, made, on=True)
    modules.edit(office.store, project, made, {"status": "completed"})
    modules.archive(office.store, modules.module(office.db, project.id, made.id), on=True)
    assert refused(modules.edit, office.store, project, modules.module(office.db, project.id, made.id), {"name": "x"})
    assert refused(modules.put, office.store, other, [])
    assert refused(modules.module, office.db, "another project", made.id)
    assert refused(modules.module, office.db, project.id, "nothing")


@pytest.mark.parametrize("status", modules.STATUSES)
def test_only_a_finished_module_is_archived_and_it_comes_back(office: Office, project: Project, status: str) -> None:
    made = modules.create(office.store, project, {"name": "Beds", "status": status})
    module = modules.module(office.db, project.id, made)
    may = status in ("completed", "cancelled")
    assert refused(modules.archive, office.store, module, on=True) is not may
    assert (modules.module(office.db, project.id, made).archived_at is not None) is may
    modules.archive(office.store, module, on=False)
    assert modules.module(office.db, project.id, made).archived_at is None


def test_a_modules_dates_are_in_order_with_those_it_has(office: Office, project: Project) -> None:
    made = modules.create(office.store, project, {"name": "Beds", "start_date": day(2), "target_date": day(4)})
    module = modules.module(office.db, project.id, made)
    for facts, may in (
        ({"target_date": day(1)}, False), ({"target_date": day(2)}, True), ({"start_date": day(5)}, False),
        ({"start_date": day(4)}, True), ({"start_date": day(9), "target_date": None}, True),
    ):  # fmt: skip
        assert office.may(modules.edit, office.store, project, module, facts) is may, facts
    assert office.may(modules.create, office.store, project, {"name": "x", "start_date": day(1), "target_date": day(1)})


def test_a_modules_people_are_those_it_was_given_last(office: Office, project: Project) -> None:
    ann, bob, gone = (office.person(name, MEMBER) for name in ("ann", "bob", "gone"))
    for user in (ann, bob, gone):
        office.join(project, user, MEMBER)
    office.db.execute("UPDATE project_members SET is_active = 0 WHERE member = ?", (gone.id,))
    made, other = (
        modules.create(office.store, project, {"name": name, "members": [ann.id]}) for name in ("Beds", "Paths")
    )
    module = modules.module(office.db, project.id, made)

    def people() -> dict[str, list[str]]:
        return modules.members(office.db, [made, other])

    modules.edit(office.store, project, module, {"name": "Beds"})
    assert people() == {made: [ann.id], other: [ann.id]}
    modules.edit(office.store, project, module, {"members": [bob.id, gone.id, ann.id, bob.id]})
    assert people() == {made: [bob.id, ann.id], other: [ann.id]}
    modules.edit(office.store, project, module, {"members": []})
    assert people() == {made: [], other: [ann.id]}
    assert modules.members(office.db, []) == {}


@pytest.mark.parametrize("kind", ["cycle", "module"])
def test_what_is_taken_out_or_dropped_leaves_the_rest_where_it_is(office: Office, project: Project, kind: str) -> None:
    store: Any = cycles if kind == "cycle" else modules
    find: Any = cycles.cycle if kind == "cycle" else modules.module
    here, there = (find(office.db, project.id, store.create(now(office), project, {"name": name})) for name in "ab")
    first, second, third = (office.item(project) for _ in range(3))
    store.put(now(office), here, [first.id, second.id])
    store.put(now(office), there, [third.id])

    def inside() -> set[tuple[str, str]]:
        return set(office.db.execute(f"SELECT {kind}, issue FROM {kind}_items").fetchall())

    assert refused(store.take_out, now(office), here, third.id)
    assert refused(store.take_out, now(office), here, "nothing")
    store.take_out(now(office), here, first.id)
    assert inside() == {(here.id, second.id), (there.id, third.id)}
    store.delete(now(office), here)
    assert inside() == {(there.id, third.id)}
    assert refused(find, office.db, project.id, here.id)
    assert find(office.db, project.id, there.id).name == "b"


@pytest.mark.parametrize("table", ["cycle_items", "module_items"])
def test_items_are_counted_by_group_without_drafts_and_what_is_put_away(
    office: Office, project: Project, table: str
) -> None:
    store: Any = cycles if table == "cycle_items" else modules
    find: Any = cycles.cycle if table == "cycle_items" else modules.module
    places = [find(office.db, project.id, store.create(now(office), project, {"name": name})) for name in "ab"]
    found = states(office, project)
    made = {name: office.item(project, name, state=found[name].id) for name in found}
    away, draft = office.item(project, state=found["Done"].id), office.item(project, is_draft=True)
    items.archive(office.store, away, on=True)
    store.put(now(office), places[0], [*(one.id for one in made.values()), away.id, draft.id])
    groups = ("cancelled", "completed", "started", "unstarted", "backlog")
    assert store.counts(office.db, [one.id for one in places]) == {
        places[0].id: {"total_issues": 5, **{f"{group}_issues": 1 for group in groups}},
        places[1].id: {"total_issues": 0, **{f"{group}_issues": 0 for group in groups}},
    }
    assert store.counts(office.db, []) == {}


def test_a_cycle_is_somebodys_and_stands_before_older_ones(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    first = cycle(office, project, None, None)
    second = cycle(office, project, None, None, owned_by=ann.id, name="y")
    third = cycle(office, project, None, None, owned_by=None, sort_order=3.0)
    cycle(office, office.project("Other", cycle_view=True), None, None)
    assert [one.owned_by for one in (first, second, third)] == [office.root.id, ann.id, office.root.id]
    assert [one.sort_order for one in (first, second, third)] == [65535.0, 55535.0, 3.0]
    cycles.edit(now(office), project, second, {"owned_by": None, "name": "z"})
    kept = cycles.cycle(office.db, project.id, second.id)
    assert (kept.owned_by, kept.name) == (ann.id, "z")
    cycles.edit(now(office), project, second, {"owned_by": office.root.id})
    assert cycles.cycle(office.db, project.id, second.id).owned_by == office.root.id
    assert refused(cycles.cycle, office.db, "another project", first.id)


def test_a_cycle_under_way_keeps_the_moment_it_began_at(office: Office, project: Project) -> None:
    made = cycle(office, project, 0, 2)
    office.company.clock.forward(hours=2)
    dates = {"start_date": f"{day(0)}T00:00:00.000000Z", "end_date": f"{day(3)}T00:00:00.000000Z"}
    cycles.edit(now(office), project, made, dates)
    longer = cycles.cycle(office.db, project.id, made.id)
    assert (longer.start_date, (longer.end_date or "")[:16]) == (made.start_date, f"{day(3)}T23:59")
    cycles.edit(now(office), project, longer, {"end_date": f"{day(4)}T00:00:00.000000Z"})
    assert cycles.cycle(office.db, project.id, made.id).start_date == made.start_date
    cycles.edit(now(office), project, longer, {"start_date": f"{day(1)}T00:00:00.000000Z"})
    later = cycles.cycle(office.db, project.id, made.id)
    assert (later.start_date or "")[:19] == f"{day(1)}T00:00:01"
    assert refused(cycles.edit, now(office), project, later, {"start_date": None})
    assert refused(cycles.edit, now(office), project, later, {"start_date": f"{day(5)}T00:00:00.000000Z"})
    cycles.edit(now(office), project, later, {"start_date": None, "end_date": None})
    assert cycles.cycle(office.db, project.id, made.id).start_date is None
    west = office.project("West", cycle_view=True, timezone="America/New_York")
    assert refused(
        cycles.create, now(office), west, {"name": "x", "start_date": "9999-12-31", "end_date": "9999-12-31"}
    )


def test_a_cycle_is_over_after_its_last_moment(office: Office, project: Project) -> None:
    made, store = cycle(office, project, 1, 1), now(office)
    for moment, over in (("58:59.999999", False), ("59:00.000000", False), ("59:00.000001", True)):
        store.now = f"{day(1)}T23:{moment}Z"
        assert cycles.is_over(store, made) is over, moment
        assert refused(cycles.put, store, made, [office.item(project).id]) is over
        assert office.may(lambda: cycles.archive(store, made, on=True)) is over
    assert not cycles.is_over(store, cycle(office, project, None, None, name="y"))
    cycles.archive(store, made, on=True)
    assert cycles.cycle(office.db, project.id, made.id).archived_at == store.now
    cycles.archive(now(office), made, on=False)
    assert cycles.cycle(office.db, project.id, made.id).archived_at is None


def test_the_cycles_of_a_project_in_the_orders_they_are_shown_in(office: Office, project: Project) -> None:
    dates = {"b": (6, 7), "none": (None, None), "a": (3, 4), "c": (9, 9), "also none": (None, None), "old": (1, 1)}
    made = {name: cycle(office, project, *days, name=name) for name, days in dates.items()}
    cycle(office, office.project("Other", cycle_view=True), 1, 2, name="theirs")
    for name, days in (("gone", (12, 13)), ("gone before", (10, 11))):
        away = cycle(office, project, *days, name=name)
        office.db.execute("UPDATE cycles SET archived_at = 'then' WHERE id = ?", (away.id,))

    def names(found: list[Cycle]) -> list[str]:
        return [one.name for one in found]

    assert names(cycles.of_project(office.db, project.id)) == ["c", "b", "a", "old", "also none", "none"]
    assert names(cycles.by_start(office.db, project.id)) == ["none", "also none", "old", "a", "b", "c"]
    assert names(cycles.all_archived(office.db, project.id)) == ["gone", "gone before"]
    store = now(office)
    for moment, targets in (
        (made["a"].end_date, ["a", "c"]),
        (f"{day(4)}T23:59:00.000001Z", ["c"]),
    ):
        store.now = moment or ""
        found = names(cycles.transfer_targets(store, made["b"]))
        assert (set(found[:2]), found[2:]) == ({"none", "also none"}, targets), moment


def test_modules_of_a_project_are_in_the_order_people_gave_them(office: Office, project: Project) -> None:
    for name, order, archived in (("b", 2.0, None), ("a", 1.0, None), ("also b", 2.0, None), ("gone", 0.0, "then")):
        made = modules.create(office.store, project, {"name": name})
        office.db.execute("UPDATE modules SET sort_order = ?, archived_at = ? WHERE id = ?", (order, archived, made))
    modules.create(office.store, office.project("Other"), {"name": "theirs"})
    assert [one.name for one in modules.of_project(office.db, project.id)] == ["a", "b", "also b"]
    assert {one.name for one in modules.listing(project).rows(office.db)} == {"a", "b", "also b"}
    assert [one.name for one in modules.archived(project).rows(office.db)] == ["gone"]


def test_the_days_of_an_archived_cycle_are_free_again(office: Office, project: Project) -> None:
    made = cycle(office, project, 1, 2)
    office.db.execute("UPDATE cycles SET archived_at = 'then' WHERE id = ?", (made.id,))
    assert office.may(cycle, office, project, 1, 2)
