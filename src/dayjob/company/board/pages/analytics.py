"""The workspace in numbers: how much is open, where, how urgent, and with whom."""

from __future__ import annotations

from starlette.responses import Response

from dayjob.company.board.api.call import workspace_colleague
from dayjob.company.board.errors import Forbidden
from dayjob.company.board.pages.page import Page, full, page
from dayjob.company.board.store import accounts, analytics, items, projects
from dayjob.company.board.store.analytics import Counts


@page("GET", "/{slug}/analytics", "/{slug}/analytics/overview", "/{slug}/analytics/work-items")
def show(page: Page) -> Response:
    if not page.may(workspace_colleague):
        raise Forbidden("Guests do not see the workspace's analytics")
    found = analytics.overview(page.db, page.user.id, page.workspace.slug, page.store.now[:10])
    numbers = [
        ("Work items", found.total), ("Open", found.open), ("Overdue", found.overdue),
        ("Completed", dict(found.groups).get("completed", 0)),
    ]  # fmt: skip
    named = {one.id: one.name for one in projects.open_by_name(page.db, page.workspace.slug, page.user.id)}
    tables: list[tuple[str, str, Counts]] = [
        ("By state", "State", _ranked(found.groups, projects.GROUPS)),
        ("By priority", "Priority", _ranked(found.priorities, items.PRIORITIES)),
        ("By project", "Project", [(named.get(id, ""), number) for id, number in found.projects]),
        ("Open work, by person", "Person", [(_name(page, id) or "Nobody", number) for id, number in found.pending]),
        ("Created, by person", "Person", [(_name(page, id), number) for id, number in found.created]),
        ("Completed this year, by month", "Month", found.months),
    ]
    return page.show("analytics.html", tab="analytics", numbers=numbers, tables=tables)


def _ranked(counts: Counts, order: tuple[str, ...]) -> Counts:
    there = dict(counts)
    return [(one.capitalize(), there[one]) for one in order if one in there]


def _name(page: Page, id: str) -> str:
    user = accounts.user(page.db, id)
    return full(user) if user else ""
