"""Lists of items: what an address asks for (conditions, order, layout), and the cards that answer it, in groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dayjob.company.board.pages.page import full
from dayjob.company.board.rows import Item, Label, State, User
from dayjob.company.board.store import accounts, cycles, item_filters, items, modules, projects

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
    ("due_from", "Due from"), ("due_to", "Due until"), ("start_from", "Start from"), ("start_to", "Start until"),
)  # fmt: skip
_IN_COLUMN, _IN_LIST = 60, 150


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
            for name in item_filters.NAMES
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
            dates={name: query[name] for name, _ in DATES if _is_day(query.get(name, ""))},
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

    def filter(self) -> item_filters.Filter:
        return item_filters.Filter(self.chosen, self.dates, self.search, self.whole)


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
        for name, title in DATES:
            if name in self.view.dates:
                found.append((f"{title} {self.view.dates[name]}", self.view.without(self.base, name)))
        if self.view.search:
            found.append((f"Search: {self.view.search}", self.view.without(self.base, "search")))
        return found


# -- reading -----------------------------------------------------------------------------------------------------


def people_of(db: sqlite3.Connection, project: str) -> list[User]:
    """Who is in a project, by name."""
    found, _ = accounts.members(db, "project", project, {})
    return sorted((one.user for one in found), key=lambda user: full(user).casefold())


def cards(page: Page, rows: list[Item]) -> list[Card]:
    """Items with what a list shows of them, in a handful of queries."""
    db, ids = page.db, [one.id for one in rows]
    if not ids:
        return []
    people, labels = items.people_and_labels(db, ids)
    named = {one.id: full(one) for one in accounts.users(db, sorted({one for some in people.values() for one in some}))}
    spelled = items.labels_by_id(db, sorted({one for some in labels.values() for one in some}))
    places = sorted({one.project for one in rows})
    states, keys = projects.states_of_all(db, places), projects.identifiers(db, places)
    cycle_names, children = items.cycle_names(db, ids), items.child_counts(db, ids)
    numbers = items.numbers(db, sorted({one.parent for one in rows if one.parent}))
    today = page.store.now[:10]
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
                cycle=cycle_names.get(one.id, ""),
                parent=f"{key}-{numbers[one.parent]}" if one.parent in numbers else "",
                children=children.get(one.id, 0),
                late=one.target_date is not None and one.target_date < today and not over,
            )
        )
    return found


def listing(page: Page, base: str, *, fixed: tuple[str, str] | None = None, layout: str = "list") -> Listing:
    """The project's items as the address asks for them; `fixed` is a condition that always holds, such as a cycle."""
    db, project, view = page.db, page.project, View.read(page.query, layout)
    wanted = item_filters.filtered(project, view.filter(), fixed)
    total = wanted.count(db)
    states = projects.states(db, project.id)
    column = {"state": "state", "priority": "priority"}[view.group]
    totals = item_filters.group_counts(db, wanted, column)
    if view.group == "state":
        groups = [Group(one.id, one.name, one, totals.get(one.id, 0)) for one in states]
    else:
        groups = [Group(value, title, None, totals.get(value, 0)) for value, title in PRIORITIES]
    pages = 1
    if view.layout == "kanban":
        for group in groups:
            rows = item_filters.in_group(wanted, column, group.value).rows(db, view.order, _IN_COLUMN)
            group.cards = cards(page, rows)
    else:
        pages = max(1, -(-total // _IN_LIST))
        view.number = min(view.number, pages)
        if view.layout != "table":
            wanted = item_filters.by_groups(wanted, column, [group.value for group in groups], view.order)
        rows = wanted.rows(db, view.order, _IN_LIST, (view.number - 1) * _IN_LIST)
        found = cards(page, rows)
        if view.layout == "table":
            groups = [Group("", "All", None, total, found)]
        else:
            for group in groups:
                group.cards = [one for one in found if getattr(one.item, column) == group.value]
    facets = [one for one in _facets(page, view, states) if fixed is None or one.name != fixed[0]]
    return Listing(base, view, groups, facets, total, pages)


def _facets(page: Page, view: View, states: list[State]) -> list[Facet]:
    db, project = page.db, page.project
    facets = [
        ("state", "State", [(one.id, one.name) for one in states], ""),
        ("priority", "Priority", list(PRIORITIES), ""),
        ("assignee", "Assignee", [(one.id, full(one)) for one in people_of(db, project.id)], "No assignee"),
        ("label", "Label", [(one.id, one.name) for one in projects.labels(db, project.id)], "No label"),
    ]
    if project.cycle_view:
        options = [(one.id, one.name) for one in cycles.of_project(db, project.id)]
        facets.append(("cycle", "Cycle", options, "No cycle"))
    if project.module_view:
        options = [(one.id, one.name) for one in modules.of_project(db, project.id)]
        facets.append(("module", "Module", options, "No module"))
    return [
        Facet(name, title, options + ([("none", nothing)] if nothing else []), view.chosen.get(name, []))
        for name, title, options, nothing in facets
        if options
    ]
