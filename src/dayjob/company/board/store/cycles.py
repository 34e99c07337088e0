"""Cycles: stretches of time that do not overlap, each with the items planned into it. An item is in one at most."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.payloads import stored_moment
from dayjob.company.board.records import Cycle, CycleItem, Item, Project
from dayjob.company.board.refusals import BadRequest, Forbidden, Invalid, NotThere
from dayjob.company.board.rows import by_id, find, first, insert, update
from dayjob.company.board.store import accounts, outside
from dayjob.company.board.store.activity import note
from dayjob.company.clock import moment

OVERLAP = (
    "You have a cycle already on the given dates, if you want to create a draft cycle you can do that by removing dates"
)


def cycle(db: sqlite3.Connection, project: str, id: str) -> Cycle:
    found = first(db, Cycle, "WHERE id = ? AND project = ?", (id, project))
    if found is None:
        raise NotThere
    return found


def create(ledger: Ledger, project: Project, facts: dict[str, Any]) -> str:
    if not project.cycle_view:
        raise Invalid.whole("Cycles are not enabled for this project")
    facts = _dated(ledger, project, facts)
    outside.refuse_second(ledger.db, "cycles", "Cycle", project.id, facts)
    _refuse_overlap(ledger.db, project.id, facts.get("start_date"), facts.get("end_date"), None)
    values = {**ledger.birth(), "workspace": project.workspace, "project": project.id, "owned_by": ledger.actor}
    values |= {name: value for name, value in facts.items() if value is not None or name != "owned_by"}
    smallest = ledger.db.execute("SELECT min(sort_order) FROM cycles WHERE project = ?", (project.id,)).fetchone()[0]
    values.setdefault("sort_order", 65535.0 if smallest is None else smallest - 10000)
    insert(ledger.db, "cycles", values)
    return str(values["id"])


def edit(ledger: Ledger, project: Project, cycle: Cycle, facts: dict[str, Any]) -> None:
    if cycle.archived_at is not None:
        raise BadRequest("Archived cycle cannot be edited")
    if is_over(ledger, cycle):
        if "sort_order" not in facts:
            raise BadRequest("The Cycle has already been completed so it cannot be edited")
        facts = {"sort_order": facts["sort_order"]}
    facts = _dated(ledger, project, facts, cycle)
    outside.refuse_clash(ledger.db, "cycles", "Cycle", project.id, cycle, facts)
    start, end = facts.get("start_date", cycle.start_date), facts.get("end_date", cycle.end_date)
    if "start_date" in facts or "end_date" in facts:
        _refuse_overlap(ledger.db, project.id, start, end, cycle.id)
    if facts.get("owned_by", "") is None:
        facts = {name: value for name, value in facts.items() if name != "owned_by"}
    update(ledger.db, "cycles", cycle.id, {**facts, **ledger.touch()})


def delete(ledger: Ledger, cycle: Cycle) -> None:
    if cycle.owned_by != ledger.actor and accounts.project_role(ledger.db, cycle.project, ledger.actor) != 20:
        raise Forbidden("Only admin or creator can delete the cycle")
    for item in _items_in(ledger.db, cycle.id):
        _note_left(ledger, item, cycle)
    ledger.db.execute("DELETE FROM cycles WHERE id = ?", (cycle.id,))


def archive(ledger: Ledger, cycle: Cycle, *, on: bool) -> None:
    if on and not is_over(ledger, cycle):
        raise BadRequest("Only completed cycles can be archived")
    update(ledger.db, "cycles", cycle.id, {"archived_at": ledger.now if on else None, **ledger.touch()})


def is_over(ledger: Ledger, cycle: Cycle) -> bool:
    return cycle.end_date is not None and cycle.end_date < ledger.now


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


def _dated(ledger: Ledger, project: Project, facts: dict[str, Any], own: Cycle | None = None) -> dict[str, Any]:
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
        began, ended = day_bounds(start, end, project.timezone, ledger.now)
    except (OverflowError, ValueError):
        raise Invalid.whole("Start date cannot exceed end date") from None
    # A cycle under way keeps the moment it began at.
    if own is not None and own.start_date is not None and own.start_date[:10] == start[:10]:
        began = own.start_date
    return {**facts, "start_date": began, "end_date": ended}


def _refuse_overlap(db: sqlite3.Connection, project: str, start: str | None, end: str | None, own: str | None) -> None:
    if start is None or end is None:
        return
    clash = db.execute(
        "SELECT 1 FROM cycles WHERE project = ? AND id IS NOT ? AND archived_at IS NULL"
        " AND start_date <= ? AND end_date >= ? LIMIT 1",
        (project, own, end, start),
    ).fetchone()
    if clash is not None:
        raise BadRequest(OVERLAP, status=False)


# -- items in cycles ---------------------------------------------------------------------------------------------


def put(ledger: Ledger, cycle: Cycle, items: Sequence[str]) -> None:
    """Plan items into a cycle, out of any other. Items of other projects are left out."""
    if not items:
        raise BadRequest("Work items are required")
    if is_over(ledger, cycle):
        raise BadRequest("The Cycle has already been completed so no new issues can be added")
    for id in dict.fromkeys(items):
        item = by_id(ledger.db, Item, id)
        if item is not None and item.project == cycle.project:
            place(ledger, cycle, item)


def place(ledger: Ledger, cycle: Cycle, item: Item) -> None:
    """Put one item in a cycle, with a line in its history."""
    db = ledger.db
    here = first(db, CycleItem, "WHERE issue = ?", (item.id,))
    if here is None:
        values = {**ledger.birth(), "workspace": cycle.workspace, "project": cycle.project}
        insert(db, "cycle_items", {**values, "issue": item.id, "cycle": cycle.id})
        note(
            ledger, item, f"added cycle {cycle.name}", verb="created", field="cycles", old="", new=cycle.name,
            new_id=cycle.id,
        )  # fmt: skip
    elif here.cycle != cycle.id:
        old = by_id(db, Cycle, here.cycle)
        was = old.name if old else ""
        update(db, "cycle_items", here.id, {"cycle": cycle.id, **ledger.touch()})
        note(
            ledger, item, f"updated cycle from {was} to {cycle.name}", field="cycles", old=was, new=cycle.name,
            old_id=here.cycle, new_id=cycle.id,
        )  # fmt: skip


def take_out(ledger: Ledger, cycle: Cycle, item: str) -> None:
    here = first(ledger.db, CycleItem, "WHERE issue = ? AND cycle = ?", (item, cycle.id))
    found = by_id(ledger.db, Item, item)
    if here is None or found is None:
        raise NotThere
    ledger.db.execute("DELETE FROM cycle_items WHERE id = ?", (here.id,))
    _note_left(ledger, found, cycle)


def transfer(ledger: Ledger, cycle: Cycle, target: Cycle) -> None:
    """Move what is unfinished to another cycle, and keep how far this one came."""
    if is_over(ledger, target):
        raise BadRequest("The cycle where the issues are transferred is already completed")
    snapshot = counts(ledger.db, "cycle_items", "cycle", [cycle.id])[cycle.id]
    update(ledger.db, "cycles", cycle.id, {"progress_snapshot": dict(snapshot)})
    for item in _items_in(ledger.db, cycle.id, "AND states.\"group\" IN ('backlog', 'unstarted', 'started')"):
        place(ledger, target, item)


def _items_in(db: sqlite3.Connection, cycle: str, more: str = "") -> list[Item]:
    return find(
        db,
        Item,
        "JOIN cycle_items ON cycle_items.issue = items.id LEFT JOIN states ON states.id = items.state"
        f" WHERE cycle_items.cycle = ? {more} ORDER BY items.sequence_id",
        (cycle,),
    )


def _note_left(ledger: Ledger, item: Item, cycle: Cycle) -> None:
    note(
        ledger, item, f"removed this issue from {cycle.name}", verb="deleted", field="cycles", old=cycle.name, new="",
        old_id=cycle.id,
    )  # fmt: skip


_GROUPS = ("cancelled", "completed", "started", "unstarted", "backlog")


def counts(db: sqlite3.Connection, table: str, column: str, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each cycle (or module): how many listed items, in all and by the group of their state."""
    zero = {"total_issues": 0, **{f"{group}_issues": 0 for group in _GROUPS}}
    found = {id: dict(zero) for id in ids}
    if not ids:
        return found
    marks = ", ".join("?" * len(ids))
    for id, group, number in db.execute(
        f'SELECT bridge.{column}, states."group", count(*) FROM {table} bridge'
        " JOIN items ON items.id = bridge.issue LEFT JOIN states ON states.id = items.state"
        f" WHERE bridge.{column} IN ({marks}) AND items.archived_at IS NULL AND NOT items.is_draft GROUP BY 1, 2",
        tuple(ids),
    ):
        found[id]["total_issues"] += number
        if group in _GROUPS:
            found[id][f"{group}_issues"] += number
    return found
