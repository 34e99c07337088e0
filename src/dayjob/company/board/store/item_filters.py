"""The items of a project that a page asks for: conditions, grouped by state or priority."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dayjob.company.board.rows import Item, Project
from dayjob.company.board.store import item_lists
from dayjob.company.board.store.lists import Listing, always
from dayjob.company.rows import placeholders

# How each condition is asked of the items; the second asks for those that have nothing there.
_CONDITIONS = {
    "state": ("items.state IN ({})", "items.state IS NULL"),
    "priority": ("items.priority IN ({})", "0"),
    **{
        name: (
            f"items.id IN (SELECT issue FROM {table} WHERE {name} IN ({{}}))",
            f"items.id NOT IN (SELECT issue FROM {table})",
        )
        for name, table in (
            ("assignee", "item_assignees"), ("label", "item_labels"), ("cycle", "cycle_items"),
            ("module", "module_items"),
        )
    },
}  # fmt: skip
_DATES = {
    "due_from": "target_date >= ?",
    "due_to": "target_date <= ?",
    "start_from": "start_date >= ?",
    "start_to": "start_date <= ?",
}
NAMES = tuple(_CONDITIONS)
NONE = "none"
"""Among the values of a condition: those that have nothing there."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What is asked for: values by the name of their condition, days, words, and whether sub-items come too."""

    chosen: dict[str, list[str]] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    search: str = ""
    sub_items: bool = True


def filtered(project: Project, wanted: Filter, fixed: tuple[str, str] | None = None) -> Listing[Item]:
    """The listed items that meet every condition; `fixed` is one more, such as a cycle."""
    listing = item_lists.of_project(project, "sort_order")
    for name, values in wanted.chosen.items():
        some, nothing = _CONDITIONS[name]
        # No priority is a priority of its own.
        named = [value for value in values if value != NONE or name == "priority"]
        parts = [some.format(placeholders(named))] if named else []
        if NONE in values:
            parts.append(nothing)
        listing = listing.narrowed(f"({' OR '.join(parts)})", *named)
    for name, condition in _DATES.items():
        if name in wanted.dates:
            listing = listing.narrowed(f"items.{condition}", wanted.dates[name])
    if wanted.search:
        number = re.fullmatch(r"(?:[A-Za-z0-9]+-)?(\d{1,9})", wanted.search)
        words = "instr(lower(items.name), lower(?)) > 0"
        if number:
            listing = listing.narrowed(f"({words} OR sequence_id = ?)", wanted.search, int(number[1]))
        else:
            listing = listing.narrowed(words, wanted.search)
    if not wanted.sub_items:
        listing = listing.narrowed("items.parent IS NULL")
    return listing if fixed is None else listing.narrowed(_CONDITIONS[fixed[0]][0].format("?"), fixed[1])


def group_counts(db: sqlite3.Connection, listing: Listing[Item], column: str) -> dict[str | None, int]:
    """How many items there are of each state or priority."""
    sql = f"SELECT {column}, count(*) FROM items WHERE {listing.where} GROUP BY 1"
    return dict(db.execute(sql, listing.arguments).fetchall())


def in_group(listing: Listing[Item], column: str, value: str) -> Listing[Item]:
    return listing.narrowed(f"items.{column} = ?", value)


def by_groups(listing: Listing[Item], column: str, values: Sequence[str], order: str) -> Listing[Item]:
    """The same items, group after group, in the order asked for within each."""
    cases = " ".join(f"WHEN '{value}' THEN {at}" for at, value in enumerate(values) if "'" not in value)
    rank = f"CASE items.{column} {cases} ELSE 999 END, " if cases else ""
    return replace(listing, order=always(rank + listing.order(order)))
