"""The workspace: its home, its projects and how a new one is made, and the search over all items."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.api.call import project_base
from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.rows import Item
from dayjob.company.board.store import accounts, item_lists, items
from dayjob.company.board.store import projects as project_store
from dayjob.company.pages import see_other


@page("GET", "/{slug}")
def home(page: Page) -> Response:
    db, user, slug = page.db, page.user, page.workspace.slug
    mine = item_lists.open_work(user.id, slug).rows(db, "priority", 12)
    recent = item_lists.of_member(user.id, slug).rows(db, "-updated_at", 8)
    hour = page.board.company.clock.now().hour
    greeting = "Good morning" if hour < 12 else "Good afternoon" if hour < 18 else "Good evening"
    return page.show(
        "home.html", tab="home", mine=cards(page, mine), recent=cards(page, recent), greeting=greeting,
        numbers=_numbers(page),
    )  # fmt: skip


def _numbers(page: Page) -> list[tuple[str, int]]:
    """How the person's own work stands."""
    load = item_lists.workload(page.db, page.user.id, page.workspace.slug, page.store.now[:10])
    return [
        ("Assigned and open", load.open),
        ("In progress", load.started),
        ("Overdue", load.overdue),
        ("Completed", load.completed),
    ]


@page("GET", "/{slug}/projects")
def projects(page: Page) -> Response:
    db, slug, user = page.db, page.workspace.slug, page.user.id
    admin = accounts.workspace_role(db, slug, user) == accounts.ADMIN
    found = []
    for one in project_store.open_by_name(db, slug, user):
        lead, summary = accounts.user(db, one.project_lead), project_store.summary(db, one.id, user)
        inside = admin or bool(summary.role)
        open_items = item_lists.open_count(db, one.id)
        found.append((one, open_items, summary.members, full(lead) if lead else "", inside))
    return page.show("projects.html", tab="projects", found=found, may_create=page.may(project_base, "POST"))


def _new(page: Page, given: dict[str, Any], problem: str = "") -> Response:
    people, _ = accounts.members(page.db, "workspace", page.workspace.id, {})
    leads = [("", "Nobody"), *sorted((one.user.id, full(one.user)) for one in people)]
    leads[1:] = sorted(leads[1:], key=lambda one: one[1].casefold())
    return page.show("project-new.html", 400 if problem else 200, given=given, problem=problem, leads=leads)


@page("GET", "/{slug}/projects/new")
def new_project(page: Page) -> Response:
    given = {"name": "", "identifier": "", "description": "", "lead": page.user.id, "network": "2"}
    return _new(page, given)


@page("POST", "/{slug}/projects/new", "/{slug}/projects")
def create_project(page: Page) -> Response:
    form = page.form
    given = {name: form.line(name) for name in ("name", "identifier", "description", "lead", "network")}
    facts: dict[str, Any] = {
        "name": given["name"], "identifier": given["identifier"], "description": given["description"],
        "network": 0 if given["network"] == "0" else 2, "project_lead": given["lead"] or None,
    }  # fmt: skip
    try:
        made = page.do("POST", "/projects/", facts)
    except Refused as refusal:
        return _new(page, given, sentence(refusal))
    return see_other(f"{page.base}/projects/{made['id']}/issues/", f"{made['name']} is ready.")


@page("GET", PROJECT)
def project(page: Page) -> Response:
    return RedirectResponse(f"{page.here}/issues/", 302)


@page("GET", "/{slug}/search")
def search(page: Page) -> Response:
    words = page.query.get("q", "").strip()[:200].replace("\0", "")
    rows = item_lists.search(page.db, page.workspace.slug, page.user.id, words, None, 50) if words else []
    found = [one for one in (items.by_id(page.db, row[1]) for row in rows) if one is not None]
    return page.show("search.html", words=words, found=cards(page, found))


@page("GET", "/{slug}/browse/{key}")
def browse(page: Page, key: str) -> Response:
    """An item by its short name, such as TREL-12; the page itself is the item's."""
    from dayjob.company.board.pages.item import show_item

    found = by_key(page, key)
    page.enter(page.workspace.slug, found.project)
    return show_item(page, found)


def by_key(page: Page, key: str) -> Item:
    identifier, _, number = key.strip().upper().rpartition("-")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        number = "0"
    return items.item_by_number(page.db, page.workspace.slug, identifier, int(number))
