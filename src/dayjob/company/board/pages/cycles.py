"""Cycles: which runs, which come, which are over; one cycle with its burn-down and items; planning into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.burndown import chart, local_day
from dayjob.company.board.pages.items import beside
from dayjob.company.board.pages.listing import listing
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.pages.plans import Pages, Progress
from dayjob.company.board.rows import Cycle
from dayjob.company.board.store import accounts, cycles
from dayjob.company.board.store.plans import CYCLES
from dayjob.company.pages import see_other

_ALL = PROJECT + "/cycles"
plans = Pages(CYCLES)
_cycle = plans.named


@dataclass(slots=True)
class Shown(Progress):
    """A cycle with its days, how it stands, and how far it came."""

    cycle: Cycle
    href: str
    when: str
    start: str
    end: str
    owner: str
    numbers: dict[str, int]


def _when(page: Page, one: Cycle) -> str:
    now = page.store.now
    if one.start_date is None or one.end_date is None:
        return "draft"
    return "completed" if one.end_date < now else "upcoming" if one.start_date > now else "current"


def shown(page: Page, rows: list[Cycle]) -> list[Shown]:
    numbers = cycles.counts(page.db, [one.id for one in rows])
    found = []
    for one in rows:
        owner = accounts.user(page.db, one.owned_by)
        days = [local_day(stamp, page.project).isoformat() if stamp else "" for stamp in (one.start_date, one.end_date)]
        found.append(
            Shown(
                one, f"{page.here}/cycles/{one.id}/", _when(page, one), days[0], days[1], full(owner) if owner else "",
                numbers[one.id],
            )
        )  # fmt: skip
    return found


@page("GET", _ALL)
def show_all(page: Page) -> Response:
    plans.switched_on(page)
    rows = shown(page, cycles.by_start(page.db, page.project.id))
    groups = [
        (title, [one for one in rows if one.when == when])
        for when, title in (("current", "Current"), ("upcoming", "Upcoming"), ("draft", "Without dates"))
    ]
    groups.append(("Completed", [one for one in reversed(rows) if one.when == "completed"]))
    return page.show("cycles.html", tab="cycles", groups=groups)


@page("GET", _ALL + "/{cycle_id}")
def show(page: Page, cycle_id: str) -> Response:
    cycle = _cycle(page, cycle_id)
    one = shown(page, [cycle])[0]
    unfinished = one.numbers["total_issues"] - one.done
    return page.show(
        "cycle.html", tab="cycles", one=one, chart=chart(page.db, page.project, cycle, page.store.now),
        listing=listing(page, one.href, fixed=("cycle", cycle.id)), unfinished=unfinished,
        may_delete=cycle.owned_by == page.user.id or page.role == accounts.ADMIN, **beside(page),
    )  # fmt: skip


# -- making and changing -----------------------------------------------------------------------------------------

_FIELDS = ("name", "description", "start_date", "end_date")


def _form(page: Page, cycle: Cycle | None, given: dict[str, Any], problem: str = "") -> Response:
    return page.show("cycle-edit.html", 400 if problem else 200, noun="cycle", row=cycle, given=given, problem=problem)


@page("GET", _ALL + "/new")
def new(page: Page) -> Response:
    plans.switched_on(page)
    return _form(page, None, dict.fromkeys(_FIELDS, ""))


@page("GET", _ALL + "/{cycle_id}/edit")
def edit(page: Page, cycle_id: str) -> Response:
    one = shown(page, [_cycle(page, cycle_id)])[0]
    cycle = one.cycle
    given = {"name": cycle.name, "description": cycle.description, "start_date": one.start, "end_date": one.end}
    return _form(page, cycle, given)


def _facts(page: Page) -> dict[str, Any]:
    form = page.form
    days = {name: form.line(name) or None for name in ("start_date", "end_date")}
    return {"name": form.line("name"), "description": form.line("description"), **days}


@page("POST", _ALL, _ALL + "/new")
def create(page: Page) -> Response:
    facts = _facts(page)
    given = {name: facts[name] or "" for name in _FIELDS}
    return plans.create(page, facts, lambda refusal: _form(page, None, given, sentence(refusal)))


@page("POST", _ALL + "/{cycle_id}/edit")
def save(page: Page, cycle_id: str) -> Response:
    cycle, facts = _cycle(page, cycle_id), _facts(page)
    one = shown(page, [cycle])[0]
    # Days that were not touched keep their moments.
    changed = {name: value for name, value in facts.items() if "date" not in name}
    if (facts["start_date"] or "", facts["end_date"] or "") != (one.start, one.end):
        changed |= {name: facts[name] for name in ("start_date", "end_date")}
    try:
        page.do("PATCH", f"./cycles/{cycle.id}/", changed)
    except Refused as refusal:
        return _form(page, cycle, {name: facts[name] or "" for name in _FIELDS}, sentence(refusal))
    return see_other(one.href, "Cycle saved.")


@page("GET", _ALL + "/{cycle_id}/transfer")
def choose_target(page: Page, cycle_id: str) -> Response:
    cycle = _cycle(page, cycle_id)
    targets = cycles.transfer_targets(page.store, cycle)
    one = shown(page, [cycle])[0]
    return page.show("cycle-transfer.html", one=one, targets=targets, unfinished=one.numbers["total_issues"] - one.done)


@page("POST", _ALL + "/{cycle_id}/transfer")
def transfer(page: Page, cycle_id: str) -> Response:
    cycle, target = _cycle(page, cycle_id), page.form.line("new_cycle_id")
    page.do("POST", f"./cycles/{cycle.id}/transfer-issues/", {"new_cycle_id": target})
    return see_other(f"{page.here}/cycles/{target}/", f"What {cycle.name} left unfinished is here.")


plans.register()
