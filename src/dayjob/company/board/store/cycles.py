"""Cycles: stretches of time that do not overlap, each with the items planned into it. An item is in one at most."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dayjob.company.board.errors import BadRequest, Invalid
from dayjob.company.board.rows import Cycle, CycleItem, Item, Project
from dayjob.company.board.store import outside
from dayjob.company.board.store.activity import note
from dayjob.company.board.store.base import Store, stored_moment
from dayjob.company.board.store.lists import Listing, by, members_only
from dayjob.company.board.store.plans import CYCLES
from dayjob.company.clock import moment
from dayjob.company.rows import by_id, find, first, insert, update

OVERLAP = (
    "You have a cycle already on the given dates, if you want to create a draft cycle you can do that by removing dates"
)


cycle, counts, take_out = CYCLES.one, CYCLES.counts, CYCLES.take_out


# -- lists -------------------------------------------------------------------------------------------------------

_ORDERS = by("created_at", "updated_at", "name", "start_date", "end_date", "sort_order")
# The views a client may ask for; `?` is the present moment. Any other view shows all.
_VIEWS = {
    "current": ("start_date <= ? AND end_date >= ?", 2),
    "upcoming": ("start_date > ?", 1),
    "completed": ("end_date < ?", 1),
    "draft": ("start_date IS NULL AND end_date IS NULL", 0),
    "incomplete": ("(end_date >= ? OR end_date IS NULL)", 1),
}


def listing(project: Project, user: str, view: str, now: str) -> Listing[Cycle]:
    """The cycles of a project that are in one of the views, for those in the project."""
    condition, moments = _VIEWS.get(view, ("1", 0))
    return members_only(Cycle, project.id, user, _ORDERS).narrowed(
        f"archived_at IS NULL AND {condition}", *[now] * moments
    )


def archived(project: Project, user: str) -> Listing[Cycle]:
    """The archived cycles of a project, for those in it."""
    return members_only(Cycle, project.id, user, _ORDERS).narrowed("archived_at IS NOT NULL")


def all_archived(db: sqlite3.Connection, project: str) -> list[Cycle]:
    """The archived cycles of a project, the latest first."""
    return find(db, Cycle, "WHERE project = ? AND archived_at IS NOT NULL ORDER BY start_date DESC", (project,))


def of_project(db: sqlite3.Connection, project: str) -> list[Cycle]:
    """A project's cycles, the latest first and those without dates last."""
    return find(db, Cycle, "WHERE project = ? AND archived_at IS NULL ORDER BY start_date DESC, rowid DESC", (project,))


def by_start(db: sqlite3.Connection, project: str) -> list[Cycle]:
    """A project's cycles, those without dates first and then the earliest."""
    return find(db, Cycle, "WHERE project = ? AND archived_at IS NULL ORDER BY start_date, rowid", (project,))


def transfer_targets(store: Store, cycle: Cycle) -> list[Cycle]:
    """Where what a cycle left unfinished can go: the project's other cycles that are not over."""
    where = (
        "WHERE project = ? AND archived_at IS NULL AND id != ? AND (end_date IS NULL OR end_date >= ?)"
        " ORDER BY start_date"
    )
    return find(store.db, Cycle, where, (cycle.project, cycle.id, store.now))


# -- making and changing -----------------------------------------------------------------------------------------


def create(store: Store, project: Project, facts: dict[str, Any]) -> str:
    _refuse_switched_off(project)
    facts = _dated(store, project, facts)
    outside.refuse_second(store.db, "cycles", "Cycle", project.id, facts)
    _refuse_overlap(store.db, project.id, facts.get("start_date"), facts.get("end_date"), None)
    values = {**store.birth(), "workspace": project.workspace, "project": project.id, "owned_by": store.actor}
    values |= {name: value for name, value in facts.items() if value is not None or name != "owned_by"}
    values.setdefault("sort_order", CYCLES.first_order(store.db, project.id))
    insert(store.db, "cycles", values)
    return str(values["id"])


def edit(store: Store, project: Project, cycle: Cycle, facts: dict[str, Any]) -> None:
    if cycle.archived_at is not None:
        raise BadRequest("Archived cycle cannot be edited")
    _refuse_switched_off(project)
    if is_over(store, cycle):
        if "sort_order" not in facts:
            raise BadRequest("The Cycle has already been completed so it cannot be edited")
        facts = {"sort_order": facts["sort_order"]}
    facts = _dated(store, project, facts, cycle)
    outside.refuse_clash(store.db, "cycles", "Cycle", project.id, cycle, facts)
    start, end = facts.get("start_date", cycle.start_date), facts.get("end_date", cycle.end_date)
    if "start_date" in facts or "end_date" in facts:
        _refuse_overlap(store.db, project.id, start, end, cycle.id)
    if facts.get("owned_by", "") is None:
        facts = {name: value for name, value in facts.items() if name != "owned_by"}
    update(store.db, "cycles", cycle.id, {**facts, **store.touch()})


def delete(store: Store, cycle: Cycle) -> None:
    CYCLES.delete(store, cycle, cycle.owned_by)


def archive(store: Store, cycle: Cycle, *, on: bool) -> None:
    if on and not is_over(store, cycle):
        raise BadRequest("Only completed cycles can be archived")
    CYCLES.set_archived(store, cycle, on=on)


def _refuse_switched_off(project: Project) -> None:
    if not project.cycle_view:
        raise Invalid.whole("Cycles are not enabled for this project")


def is_over(store: Store, cycle: Cycle) -> bool:
    return cycle.end_date is not None and cycle.end_date < store.now


# -- dates -------------------------------------------------------------------------------------------------------


def day_bounds(start: str, end: str, timezone: str, now: str | None) -> tuple[str, str]:
    """The moments at which a cycle of whole days begins and ends; one that begins today begins now."""
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    first_day, last_day = moment(start).date(), moment(end).date()
    begins = datetime.combine(first_day, time(0, 0, 1), zone)
    ends = datetime.combine(last_day, time.min, zone) + timedelta(hours=23, minutes=59)
    if now is not None and moment(now).astimezone(zone).date() == first_day:
        begins = moment(now)
    return stored_moment(begins.astimezone(UTC)), stored_moment(ends.astimezone(UTC))


def _dated(store: Store, project: Project, facts: dict[str, Any], own: Cycle | None = None) -> dict[str, Any]:
    facts = dict(facts)
    if "start_date" not in facts and "end_date" not in facts:
        return facts
    start = facts.get("start_date", own.start_date if own else None)
    end = facts.get("end_date", own.end_date if own else None)
    if (start is None) != (end is None):
        raise BadRequest("Both start date and end date are either required or are to be null")
    if start is None or end is None:
        return facts
    if start > end:
        raise Invalid.whole("Start date cannot exceed end date")
    try:
        began, ended = day_bounds(start, end, project.timezone, store.now)
    except (OverflowError, ValueError):
        raise Invalid.whole("Start date cannot exceed end date") from None
    # A cycle under way keeps the moment it began at.
    if own is not None and own.start_date is not None and own.start_date[:10] == start[:10]:
        began = own.start_date
    return {**facts, "start_date": began, "end_date": ended}


def _refuse_overlap(db: sqlite3.Connection, project: str, start: str | None, end: str | None, own: str | None) -> None:
    """A cycle without dates overlaps none: in SQL, no comparison with NULL holds."""
    clash = db.execute(
        "SELECT 1 FROM cycles WHERE project = ? AND id IS NOT ? AND archived_at IS NULL"
        " AND start_date <= ? AND end_date >= ? LIMIT 1",
        (project, own, end, start),
    ).fetchone()
    if clash is not None:
        raise BadRequest(OVERLAP, status=False)


# -- items in cycles ---------------------------------------------------------------------------------------------


def put(store: Store, cycle: Cycle, items: Sequence[str]) -> None:
    """Plan items into a cycle, out of any other. Items of other projects are left out."""
    if not items:
        raise BadRequest("Work items are required")
    if is_over(store, cycle):
        raise BadRequest("The Cycle has already been completed so no new issues can be added")
    CYCLES.put(store, cycle, items, place)


def place(store: Store, cycle: Cycle, item: Item) -> None:
    """Put one item in a cycle, with a line in its history."""
    db = store.db
    here = cycle_of(db, item.id)
    if here is None:
        CYCLES.add(store, cycle, item)
    elif here.cycle != cycle.id:
        old = by_id(db, Cycle, here.cycle)
        was = old.name if old else ""
        update(db, "cycle_items", here.id, {"cycle": cycle.id, **store.touch()})
        note(
            store, item, f"updated cycle from {was} to {cycle.name}", field="cycles", old=was, new=cycle.name,
            old_id=here.cycle, new_id=cycle.id,
        )  # fmt: skip


def cycle_of(db: sqlite3.Connection, item: str) -> CycleItem | None:
    """The cycle an item is in."""
    return first(db, CycleItem, "WHERE issue = ?", (item,))


def transfer(store: Store, cycle: Cycle, target: Cycle) -> None:
    """Move what is unfinished to another cycle, and keep how far this one came."""
    if is_over(store, target):
        raise BadRequest("The cycle where the issues are transferred is already completed")
    snapshot = CYCLES.counts(store.db, [cycle.id])[cycle.id]
    update(store.db, "cycles", cycle.id, {"progress_snapshot": dict(snapshot)})
    for item in CYCLES.items_in(store.db, cycle.id, ("backlog", "unstarted", "started")):
        place(store, target, item)


def finished(db: sqlite3.Connection, cycle: str) -> tuple[int, list[str]]:
    """How many items a cycle has, and the moments at which some were finished; what was cancelled does not count."""
    rows = db.execute(
        "SELECT completed_at FROM items JOIN cycle_items ON cycle_items.issue = items.id"
        " LEFT JOIN states ON states.id = items.state"
        " WHERE cycle_items.cycle = ? AND listed AND states.\"group\" IS NOT 'cancelled'",
        (cycle,),
    ).fetchall()
    return len(rows), [stamp for (stamp,) in rows if stamp is not None]
