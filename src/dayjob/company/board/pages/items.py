"""A project's items as list, board and table: looking, filtering, adding, moving."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.responses import Response

from dayjob.company.board.errors import NotThere, Refused
from dayjob.company.board.pages import text
from dayjob.company.board.pages.item import shown_item
from dayjob.company.board.pages.listing import (
    GROUPINGS,
    LAYOUTS,
    ORDERS,
    PRIORITIES,
    listing,
    people_of,
)
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.store import accounts, cycles, items, modules, projects


@page("GET", PROJECT + "/issues")
def show(page: Page) -> Response:
    return page.show("items.html", tab="issues", listing=listing(page, f"{page.here}/issues/"), **beside(page))


def beside(page: Page) -> dict[str, Any]:
    """What a page with a list needs besides it: the choices of how to show it, and the item in its panel, if any."""
    peek: dict[str, Any] | None = None
    if wanted := page.query.get("peek"):
        with suppress(NotThere):
            peek = shown_item(page, items.item(page.db, page.project.id, wanted), panel=True)
    return {"layouts": LAYOUTS, "orders": ORDERS, "groupings": GROUPINGS, "peek": peek}


def _given(page: Page) -> dict[str, Any]:
    source = page.form if page.request.method == "POST" else page.query
    plain = (
        "name",
        "description",
        "state",
        "priority",
        "start_date",
        "target_date",
        "cycle",
        "module",
        "parent",
        "back",
    )
    many = page.form.all if page.request.method == "POST" else page.query.getlist
    return {
        **{name: source.get(name, "").strip() for name in plain},
        "assignees": many("assignees"),
        "labels": many("labels"),
    }


def _new(page: Page, given: dict[str, Any], problem: str = "") -> Response:
    db, project = page.db, page.project.id
    return page.show(
        "item-new.html", 400 if problem else 200, given=given, problem=problem, priorities=PRIORITIES,
        states=[(one.id, one.name) for one in projects.states(db, project)], people=_workers(page),
        labels=projects.labels(db, project), modules=[(one.id, one.name) for one in modules.of_project(db, project)],
        cycles=[(one.id, one.name) for one in cycles.of_project(db, project) if not _is_over(page, one.end_date)],
    )  # fmt: skip


def _is_over(page: Page, end: str | None) -> bool:
    return end is not None and end < page.store.now


def _workers(page: Page) -> list[tuple[str, str]]:
    """Who can be given work here: everyone but guests."""
    return [
        (one.id, full(one))
        for one in people_of(page.db, page.project.id)
        if accounts.project_role(page.db, page.project.id, one.id) >= accounts.MEMBER
    ]


@page("GET", PROJECT + "/issues/new")
def new(page: Page) -> Response:
    given = _given(page)
    given["priority"] = given["priority"] or "none"
    first = projects.default_state(page.db, page.project.id)
    given["state"] = given["state"] or (first.id if first else "")
    given["back"] = page.came_from(f"{page.here}/issues/")
    return _new(page, given)


@page("POST", PROJECT + "/issues", PROJECT + "/issues/new")
def create(page: Page) -> Response:
    """The quick line sends a name and a state; the form sends everything."""
    given = _given(page)
    facts: dict[str, Any] = {"name": given["name"]}
    if given["description"]:
        facts["description_html"] = text.stored(given["description"])
    facts |= {name: given[name] for name in ("state", "priority", "start_date", "target_date") if given[name]}
    facts |= {name: given[name] for name in ("assignees", "labels") if given[name]}
    try:
        with page.board.transaction():
            if given["parent"]:
                facts["parent"] = given["parent"]
            made = page.do("POST", "./issues/", facts)
            if given["cycle"]:
                page.do("POST", f"./cycles/{given['cycle']}/cycle-issues/", {"issues": [made["id"]]})
            if given["module"]:
                page.do("POST", f"./modules/{given['module']}/module-issues/", {"issues": [made["id"]]})
    except Refused as refusal:
        if page.wants_part:
            raise
        return _new(page, given, sentence(refusal))
    return page.done(f"{page.here}/issues/", f"{page.project.identifier}-{made['sequence_id']} added.")


@page("GET", PROJECT + "/issues/{item_id}/move")
def choose_place(page: Page, item_id: str) -> Response:
    item = items.item(page.db, page.project.id, item_id)
    return page.show(
        "item-move.html", item=item, key=items.named(page.db, item), states=projects.states(page.db, page.project.id),
        priorities=PRIORITIES, back=page.came_from(f"{page.here}/issues/"),
    )  # fmt: skip


@page("POST", PROJECT + "/issues/{item_id}/move")
def move(page: Page, item_id: str) -> Response:
    """Into another column: `state` or `priority`, and below which card (`after`), or else at its end."""
    item = items.item(page.db, page.project.id, item_id)
    facts: dict[str, Any] = {}
    where = "moved"
    if state := page.form.line("state"):
        facts["state"] = state
        found = projects.state(page.db, state)
        where = f"moved to {found.name}" if found else where
    if priority := page.form.line("priority"):
        facts["priority"] = priority
        where = f"set to priority {priority}"
    if "state" in facts or "after" in page.form:
        # Below the card `after`, at the top when that is empty, at the end when it is not sent.
        after = page.form.get("after") if "after" in page.form else None
        facts["sort_order"] = items.sort_order(page.db, item, facts.get("state", item.state), after)
    page.do("PATCH", f"./issues/{item.id}/", facts)
    return page.done(f"{page.here}/issues/", f"{items.named(page.db, item)} {where}.")
