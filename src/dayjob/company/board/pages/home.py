"""The workspace: its home, its projects and how a new one is made, and the search over all items."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.api.call import project_base
from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.records import Item, Project, User
from dayjob.company.board.refusals import Refused
from dayjob.company.board.rows import by_id, find
from dayjob.company.board.store import accounts, counting, items
from dayjob.company.pages import see_other

_OPEN_STATES = "state IN (SELECT id FROM states WHERE \"group\" IN ('backlog', 'unstarted', 'started'))"
_VISIBLE = (
    "WHERE projects.workspace = ? AND archived_at IS NULL AND (projects.network = 2 OR EXISTS"
    " (SELECT 1 FROM project_members WHERE project = projects.id AND member = ? AND is_active)) ORDER BY name"
)


@page("GET", "/{slug}")
def home(page: Page) -> Response:
    db, user, slug = page.db, page.user, page.workspace.slug
    mine = items.page(
        db,
        f"{counting.MINE} AND {_OPEN_STATES} AND items.id IN (SELECT issue FROM item_assignees WHERE assignee = ?)",
        (user.id, slug, user.id), items.order("priority"), 12, 0,
    )  # fmt: skip
    recent = items.page(db, counting.MINE, (user.id, slug), items.order("-updated_at"), 8, 0)
    hour = page.board.company.clock.now().hour
    greeting = "Good morning" if hour < 12 else "Good afternoon" if hour < 18 else "Good evening"
    return page.show(
        "home.html", tab="home", mine=cards(page, mine), recent=cards(page, recent), greeting=greeting,
        numbers=_numbers(page),
    )  # fmt: skip


def _numbers(page: Page) -> list[tuple[str, int]]:
    """How the person's own work stands."""
    user, slug, today = page.user.id, page.workspace.slug, page.ledger.now[:10]
    own = f"{counting.MINE} AND items.id IN (SELECT issue FROM item_assignees WHERE assignee = ?)"

    def number(more: str, *arguments: str) -> int:
        sql = f"SELECT count(*) FROM items WHERE {own} AND {more}"
        return int(page.db.execute(sql, (user, slug, user, *arguments)).fetchone()[0])

    return [
        ("Assigned and open", number(_OPEN_STATES)),
        ("In progress", number("state IN (SELECT id FROM states WHERE \"group\" = 'started')")),
        ("Overdue", number(f"{_OPEN_STATES} AND target_date < ?", today)),
        ("Completed", number("state IN (SELECT id FROM states WHERE \"group\" = 'completed')")),
    ]


@page("GET", "/{slug}/projects")
def projects(page: Page) -> Response:
    rows = find(page.db, Project, _VISIBLE, (page.workspace.id, page.user.id))
    found = []
    for one in rows:
        open_items, members = page.db.execute(
            f"SELECT (SELECT count(*) FROM items WHERE project = ?1 AND listed AND {_OPEN_STATES}),"
            " (SELECT count(*) FROM project_members WHERE project = ?1 AND is_active)", (one.id,),
        ).fetchone()  # fmt: skip
        lead = by_id(page.db, User, one.project_lead)
        inside = accounts.project_role(page.db, one.id, page.user.id) > 0
        inside = inside or accounts.workspace_role(page.db, page.workspace.slug, page.user.id) == accounts.ADMIN
        found.append((one, open_items, members, full(lead) if lead else "", inside))
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
    rows = items.search(page.db, page.workspace.slug, page.user.id, words, None, 50) if words else []
    found = [one for one in (by_id(page.db, Item, row[1]) for row in rows) if one is not None]
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
