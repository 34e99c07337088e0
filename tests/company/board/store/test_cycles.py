"""Cycles and modules: dates, what is planned into them, and when they are over."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.records import Cycle, Project
from dayjob.company.board.store import cycles, modules
from tests.company.bare import day
from tests.company.board.offices import Office, now, refused, states, told


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
