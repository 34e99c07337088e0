"""Modules: parts of the work with a lead and members; one module with its progress and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.items import beside
from dayjob.company.board.pages.listing import listing, people_of
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.pages.plans import Pages, Progress
from dayjob.company.board.rows import Module
from dayjob.company.board.store import accounts, modules
from dayjob.company.board.store.plans import MODULES
from dayjob.company.pages import see_other

_ALL = PROJECT + "/modules"
plans = Pages(MODULES)
_module = plans.named
STATUSES = tuple((one, one.replace("-", " ").capitalize()) for one in modules.STATUSES)
BADGES = {"in-progress": "info", "completed": "good", "paused": "warn", "cancelled": "bad", "planned": "accent"}


@dataclass(slots=True)
class Shown(Progress):
    """A module with its people and how far it came."""

    module: Module
    href: str
    status: str
    badge: str
    lead: str
    people: list[str]
    numbers: dict[str, int]


def shown(page: Page, rows: list[Module]) -> list[Shown]:
    ids = [one.id for one in rows]
    numbers, members = modules.counts(page.db, ids), modules.members(page.db, ids)
    found = []
    for one in rows:
        lead = accounts.user(page.db, one.lead)
        people = [full(user) for user in accounts.users(page.db, members[one.id])]
        status = dict(STATUSES)[one.status]
        found.append(
            Shown(
                one, f"{page.here}/modules/{one.id}/", status, BADGES.get(one.status, ""), full(lead) if lead else "",
                people, numbers[one.id],
            )
        )  # fmt: skip
    return found


@page("GET", _ALL)
def show_all(page: Page) -> Response:
    plans.switched_on(page)
    return page.show("modules.html", tab="modules", found=shown(page, modules.of_project(page.db, page.project.id)))


@page("GET", _ALL + "/{module_id}")
def show(page: Page, module_id: str) -> Response:
    module = _module(page, module_id)
    one = shown(page, [module])[0]
    return page.show(
        "module.html", tab="modules", one=one, listing=listing(page, one.href, fixed=("module", module.id)),
        may_delete=module.created_by == page.user.id or page.role == accounts.ADMIN, **beside(page),
    )  # fmt: skip


_FIELDS = ("name", "description", "start_date", "target_date", "status", "lead")


def _form(page: Page, module: Module | None, given: dict[str, Any], problem: str = "") -> Response:
    people = [(one.id, full(one)) for one in people_of(page.db, page.project.id)]
    return page.show(
        "module-edit.html", 400 if problem else 200, noun="module", row=module, given=given, problem=problem,
        statuses=STATUSES, people=people,
    )  # fmt: skip


@page("GET", _ALL + "/new")
def new(page: Page) -> Response:
    plans.switched_on(page)
    return _form(page, None, {**dict.fromkeys(_FIELDS, ""), "status": "backlog", "members": []})


@page("GET", _ALL + "/{module_id}/edit")
def edit(page: Page, module_id: str) -> Response:
    module = _module(page, module_id)
    given = {name: getattr(module, name) or "" for name in _FIELDS}
    return _form(page, module, {**given, "members": modules.members(page.db, [module.id])[module.id]})


def _facts(page: Page) -> dict[str, Any]:
    form = page.form
    return {
        "name": form.line("name"), "description": form.line("description"), "status": form.line("status") or "backlog",
        "start_date": form.line("start_date") or None, "target_date": form.line("target_date") or None,
        "lead": form.line("lead") or None, "members": form.all("members"),
    }  # fmt: skip


def _again(page: Page, module: Module | None, facts: dict[str, Any], refusal: Refused) -> Response:
    given = {**{name: facts[name] or "" for name in _FIELDS}, "members": facts["members"]}
    return _form(page, module, given, sentence(refusal))


@page("POST", _ALL, _ALL + "/new")
def create(page: Page) -> Response:
    facts = _facts(page)
    return plans.create(page, facts, lambda refusal: _again(page, None, facts, refusal))


@page("POST", _ALL + "/{module_id}/edit")
def save(page: Page, module_id: str) -> Response:
    module, facts = _module(page, module_id), _facts(page)
    try:
        page.do("PATCH", f"./modules/{module.id}/", facts)
    except Refused as refusal:
        return _again(page, module, facts, refusal)
    return see_other(f"{page.here}/modules/{module.id}/", "Module saved.")


plans.register()
