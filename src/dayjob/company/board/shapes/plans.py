"""Cycles and modules with the numbers of their items."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from dayjob.company.board.rows import Cycle, Module
from dayjob.company.board.shapes.base import Shape, plain
from dayjob.company.board.store import cycles, modules


def cycle_list(db: sqlite3.Connection, rows: Sequence[Cycle]) -> list[Shape]:
    numbers = cycles.counts(db, [cycle.id for cycle in rows])
    estimates: Shape = {"total_estimates": None, "completed_estimates": None, "started_estimates": None}
    return [{**plain(cycle), **numbers[cycle.id], **estimates} for cycle in rows]


def module_list(db: sqlite3.Connection, rows: Sequence[Module], *, counted: bool = True) -> list[Shape]:
    """Modules with their members and, unless the list is a short one, the numbers of their items."""
    ids = [module.id for module in rows]
    numbers = modules.counts(db, ids) if counted else {}
    people = modules.members(db, ids)
    return [{**plain(module), **numbers.get(module.id, {}), "members": people[module.id]} for module in rows]
