"""Lists of items: what an address asks for (conditions, order, layout), and the cards that answer it, in groups."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dayjob.company.board.pages.page import full
from dayjob.company.board.records import Cycle, Item, Label, Module, State, User
from dayjob.company.board.rows import count, find
from dayjob.company.board.store import accounts, items

if TYPE_CHECKING:
    import sqlite3

    from starlette.datastructures import QueryParams

    from dayjob.company.board.pages.page import Page

LAYOUTS = (("list", "List"), ("kanban", "Board"), ("table", "Table"))
ORDERS = (
    ("sort_order", "Manual"), ("-created_at", "Last created"), ("-updated_at", "Last updated"),
    ("priority", "Priority"), ("target_date", "Due date"), ("start_date", "Start date"), ("name", "Name"),
)  # fmt: skip
GROUPINGS = (("state", "State"), ("priority", "Priority"))
PRIORITIES = tuple((one, one.capitalize()) for one in items.PRIORITIES)
DATES = (
    ("due_from", "Due from", "target_date >= ?"), ("due_to", "Due until", "target_date <= ?"),
    ("start_from", "Start from", "start_date >= ?"), ("start_to", "Start until", "start_date <= ?"),
)  # fmt: skip
_IN_COLUMN, _IN_LIST = 60, 150
# How each condition is asked of the items; `none` asks for those that have nothing there.
_CONDITIONS = {
    "state": ("items.state IN ({})", "items.state IS NULL"),
    "priority": ("items.priority IN ({})", "0"),
    "assignee": (
        "items.id IN (SELECT issue FROM item_assignees WHERE assignee IN ({}))",
        "items.id NOT IN (SELECT issue FROM item_assignees)",
    ),
    "label": (
        "items.id IN (SELECT issue FROM item_labels WHERE label IN ({}))",
        "items.id NOT IN (SELECT issue FROM item_labels)",
    ),
    "cycle": (
        "items.id IN (SELECT issue FROM cycle_items WHERE cycle IN ({}))",
        "items.id NOT IN (SELECT issue FROM cycle_items)",
    ),
    "module": (
        "items.id IN (SELECT issue FROM module_items WHERE module IN ({}))",
        "items.id NOT IN (SELECT issue FROM module_items)",
    ),
}


@dataclass(slots=True)
class View:
    """What an address asks for."""

    layout: str
    group: str
    order: str
    search: str
    whole: bool
    """Whether sub-items are listed too."""
    number: int
    chosen: dict[str, list[str]]
    dates: dict[str, str]

    @classmethod
    def read(cls, query: QueryParams, layout: str = "list") -> View:
        def one_of(name: str, allowed: tuple[tuple[str, str], ...], otherwise: str) -> str:
            asked = query.get(name, "")
            return asked if asked in dict(allowed) else otherwise

        chosen = {
            name: list(dict.fromkeys(one for one in query.getlist(name) if one))[:50]
            for name in _CONDITIONS
            if any(query.getlist(name))
        }
        return cls(
            layout=one_of("layout", LAYOUTS, layout),
            group=one_of("group", GROUPINGS, "state"),
            order=one_of("order", ORDERS, "sort_order"),
            search=query.get("search", "").strip()[:200].replace("\0", ""),
            whole=query.get("sub", "") != "hide",
            number=_number(query.get("page", "1")),
            chosen=chosen,
            dates={name: query[name] for name, _, _ in DATES if _is_day(query.get(name, ""))},
        )

    @property
    def filtered(self) -> int:
        return sum(map(len, self.chosen.values())) + len(self.dates) + bool(self.search)

    def pairs(self, **changes: str | None) -> list[tuple[str, str]]:
        """What stands in the address, with some of it changed; what is as usual is left out."""
        found = [(name, value) for name, values in self.chosen.items() for value in values]
        plain = {
            "layout": "" if self.layout == "list" else self.layout,
            "group": "" if self.group == "state" else self.group,
            "order": "" if self.order == "sort_order" else self.order, "search": self.search,
            "sub": "" if self.whole else "hide", **self.dates,
        }  # fmt: skip
        for name, value in changes.items():
            plain[name] = value or ""
        return found + [(name, value) for name, value in plain.items() if value]

    def address(self, base: str, **changes: str | None) -> str:
        pairs = self.pairs(**changes)
        return f"{base}?{urlencode(pairs)}" if pairs else base

    def without(self, base: str, name: str, value: str = "") -> str:
        """The address without one condition."""
        pairs = [one for one in self.pairs() if one != (name, value or dict(self.pairs()).get(name, ""))]
        return f"{base}?{urlencode(pairs)}" if pairs else base

    def conditions(self) -> tuple[str, list[Any]]:
        where: list[str] = ["1"]
        arguments: list[Any] = []
        for name, values in self.chosen.items():
            some, none = _CONDITIONS[name]
            named = [one for one in values if one != "none"]
            parts = [some.format(", ".join("?" * len(named)))] if named and name != "priority" else []
            if name == "priority":
                named, parts = values, [some.format(", ".join("?" * len(values)))]
            elif "none" in values:
                parts.append(none)
            where.append(f"({' OR '.join(parts)})")
            arguments += named
        for name, _, condition in DATES:
            if name in self.dates:
                where.append(f"items.{condition}")
                arguments.append(self.dates[name])
        if self.search:
            number = re.fullmatch(r"(?:[A-Za-z0-9]+-)?(\d{1,9})", self.search)
            where.append("(instr(lower(items.name), lower(?)) > 0" + (" OR sequence_id = ?)" if number else ")"))
            arguments += [self.search, int(number[1])] if number else [self.search]
        if not self.whole:
            where.append("items.parent IS NULL")
        return " AND ".join(where), arguments


def _number(text: str) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _is_day(text: str) -> bool:
    try:
        return bool(text) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@dataclass(slots=True)
class Card:
    """An item as lists show it."""

    item: Item
    key: str
    href: str
    state: State | None
    people: list[str]
    labels: list[Label]
    cycle: str
    parent: str
    children: int
    late: bool


@dataclass(slots=True)
class Group:
    """A column of the board, or a section of the list. `value` is what an item gets that is moved here."""

    value: str
    title: str
    state: State | None
    total: int
    cards: list[Card] = field(default_factory=list)


@dataclass(slots=True)
class Facet:
    """One thing to filter by: its values and which are chosen."""

    name: str
    title: str
    options: list[tuple[str, str]]
    chosen: list[str]


@dataclass(slots=True)
class Listing:
    base: str
    view: View
    groups: list[Group]
    facets: list[Facet]
    total: int
    pages: int

    @property
    def chips(self) -> list[tuple[str, str]]:
        """Each condition in words, with the address without it."""
        found = []
        for facet in self.facets:
            names = dict(facet.options)
            found += [
                (f"{facet.title}: {names.get(one, 'unknown')}", self.view.without(self.base, facet.name, one))
                for one in facet.chosen
            ]
        for name, title, _ in DATES:
            if name in self.view.dates:
                found.append((f"{title} {self.view.dates[name]}", self.view.without(self.base, name)))
        if self.view.search:
            found.append((f"Search: {self.view.search}", self.view.without(self.base, "search")))
        return found


# -- reading -----------------------------------------------------------------------------------------------------


def states_of(db: sqlite3.Connection, project: str) -> list[State]:
    return find(db, State, "WHERE project = ? AND NOT is_triage ORDER BY sequence, rowid", (project,))


def labels_of(db: sqlite3.Connection, project: str) -> list[Label]:
    return find(db, Label, "WHERE project = ? ORDER BY name COLLATE NOCASE", (project,))


def cycles_of(db: sqlite3.Connection, project: str) -> list[Cycle]:
    where = "WHERE project = ? AND archived_at IS NULL ORDER BY start_date IS NULL, start_date DESC, rowid DESC"
    return find(db, Cycle, where, (project,))


def modules_of(db: sqlite3.Connection, project: str) -> list[Module]:
    return find(db, Module, "WHERE project = ? AND archived_at IS NULL ORDER BY sort_order, rowid", (project,))


def people_of(db: sqlite3.Connection, project: str) -> list[User]:
    """Who is in a project, by name."""
    found, _ = accounts.members(db, "project", project, {})
    return sorted((one.user for one in found), key=lambda user: full(user).casefold())


def cards(page: Page, rows: list[Item]) -> list[Card]:
    """Items with what a list shows of them, in a handful of queries."""
    db, ids = page.db, [one.id for one in rows]
    if not ids:
        return []
    marks = ", ".join("?" * len(ids))
    people, labels = items.people_and_labels(db, ids)
    named = {one.id: full(one) for one in accounts.users(db, sorted({one for some in people.values() for one in some}))}
    wanted = sorted({one for some in labels.values() for one in some})
    spelled = {one.id: one for one in find(db, Label, f"WHERE id IN ({', '.join('?' * len(wanted))})", wanted)}
    places = sorted({one.project for one in rows})
    places_marks = ", ".join("?" * len(places))
    states = {one.id: one for one in find(db, State, f"WHERE project IN ({places_marks})", places)}
    keys = dict(db.execute(f"SELECT id, identifier FROM projects WHERE id IN ({places_marks})", places).fetchall())
    cycles = dict(
        db.execute(
            "SELECT issue, cycles.name FROM cycle_items JOIN cycles ON cycles.id = cycle"
            f" WHERE issue IN ({marks})", ids,
        ).fetchall()
    )  # fmt: skip
    children = dict(
        db.execute(
            f"SELECT parent, count(*) FROM items WHERE parent IN ({marks}) AND listed GROUP BY parent", ids
        ).fetchall()
    )
    above = sorted({one.parent for one in rows if one.parent})
    numbers = dict(
        db.execute(f"SELECT id, sequence_id FROM items WHERE id IN ({', '.join('?' * len(above))})", above).fetchall()
    )
    today = page.ledger.now[:10]
    found = []
    for one in rows:
        state = states.get(one.state or "")
        over = state is not None and state.group in ("completed", "cancelled")
        key = keys[one.project]
        found.append(
            Card(
                item=one,
                key=f"{key}-{one.sequence_id}",
                href=f"{page.base}/projects/{one.project}/issues/{one.id}/",
                state=state,
                people=[named[user] for user in people[one.id] if user in named],
                labels=[spelled[label] for label in labels[one.id] if label in spelled],
                cycle=cycles.get(one.id, ""),
                parent=f"{key}-{numbers[one.parent]}" if one.parent in numbers else "",
                children=children.get(one.id, 0),
                late=one.target_date is not None and one.target_date < today and not over,
            )
        )
    return found


def listing(page: Page, base: str, *, fixed: tuple[str, str] | None = None, layout: str = "list") -> Listing:
    """The project's items as the address asks for them; `fixed` is a condition that always holds, such as a cycle."""
    db, project, view = page.db, page.project, View.read(page.query, layout)
    where, arguments = view.conditions()
    where, arguments = f"items.project = ? AND listed AND {where}", [project.id, *arguments]
    if fixed is not None:
        where, arguments = f"{where} AND {_CONDITIONS[fixed[0]][0].format('?')}", [*arguments, fixed[1]]
    total = count(db, f"SELECT count(*) FROM items WHERE {where}", arguments)
    states = states_of(db, project.id)
    column = {"state": "state", "priority": "priority"}[view.group]
    totals = dict(db.execute(f"SELECT {column}, count(*) FROM items WHERE {where} GROUP BY 1", arguments).fetchall())
    if view.group == "state":
        groups = [Group(one.id, one.name, one, totals.get(one.id, 0)) for one in states]
    else:
        groups = [Group(value, title, None, totals.get(value, 0)) for value, title in PRIORITIES]
    pages = 1
    order = items.order(view.order, "sort_order")
    if view.layout == "kanban":
        for group in groups:
            rows = items.page(db, f"{where} AND items.{column} = ?", [*arguments, group.value], order, _IN_COLUMN, 0)
            group.cards = cards(page, rows)
    else:
        pages = max(1, -(-total // _IN_LIST))
        view.number = min(view.number, pages)
        first = "" if view.layout == "table" else _rank(column, groups)
        rows = items.page(
            db, where, arguments, order.replace("ORDER BY ", f"ORDER BY {first}", 1), _IN_LIST,
            (view.number - 1) * _IN_LIST,
        )  # fmt: skip
        found = cards(page, rows)
        if view.layout == "table":
            groups = [Group("", "All", None, total, found)]
        else:
            for group in groups:
                group.cards = [one for one in found if getattr(one.item, column) == group.value]
    facets = [one for one in _facets(page, view, states) if fixed is None or one.name != fixed[0]]
    return Listing(base, view, groups, facets, total, pages)


def _rank(column: str, groups: list[Group]) -> str:
    cases = " ".join(f"WHEN '{one.value}' THEN {at}" for at, one in enumerate(groups) if "'" not in one.value)
    return f"CASE items.{column} {cases} ELSE 999 END, " if cases else ""


def _facets(page: Page, view: View, states: list[State]) -> list[Facet]:
    db, project = page.db, page.project
    facets = [
        ("state", "State", [(one.id, one.name) for one in states], ""),
        ("priority", "Priority", list(PRIORITIES), ""),
        ("assignee", "Assignee", [(one.id, full(one)) for one in people_of(db, project.id)], "No assignee"),
        ("label", "Label", [(one.id, one.name) for one in labels_of(db, project.id)], "No label"),
    ]
    if project.cycle_view:
        facets.append(("cycle", "Cycle", [(one.id, one.name) for one in cycles_of(db, project.id)], "No cycle"))
    if project.module_view:
        facets.append(("module", "Module", [(one.id, one.name) for one in modules_of(db, project.id)], "No module"))
    return [
        Facet(name, title, options + ([("none", nothing)] if nothing else []), view.chosen.get(name, []))
        for name, title, options, nothing in facets
        if options
    ]
