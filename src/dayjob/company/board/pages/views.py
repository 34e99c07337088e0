"""Views of the whole workspace: all items of one's projects, those given to one, those one made."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.pages.listing import ORDERS, cards
from dayjob.company.board.pages.page import Missing, Page, page
from dayjob.company.board.rows import Item
from dayjob.company.board.store import item_lists
from dayjob.company.board.store.lists import Listing

_VIEWS = {"all-issues": "All work items", "assigned": "Assigned", "created": "Created"}
_PER_PAGE = 50


@page("GET", "/{slug}/views", "/{slug}/workspace-views")
def first(page: Page) -> Response:
    return RedirectResponse(f"{page.base}/workspace-views/all-issues/", 302)


@page("GET", "/{slug}/workspace-views/{view}")
def show(page: Page, view: str) -> Response:
    if view not in _VIEWS:
        raise Missing("There is no such view.")
    order, number = page.query.get("order_by", ""), page.query.get("page", "1")
    order = order if order in dict(ORDERS) else "-created_at"
    at = max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 6 else 1
    listing = _listing(page, view)
    total = listing.count(page.db)
    found = cards(page, listing.rows(page.db, order, _PER_PAGE, (at - 1) * _PER_PAGE))
    tabs = [(title, f"{page.base}/workspace-views/{name}/", name == view) for name, title in _VIEWS.items()]
    return page.show(
        "views.html", tab="views", view=view, found=found, total=total, tabs=tabs, order=order, number=at,
        orders=[one for one in ORDERS if one[0] != "sort_order"], pages=max(1, -(-total // _PER_PAGE)),
    )  # fmt: skip


def _listing(page: Page, view: str) -> Listing[Item]:
    me, slug = page.user.id, page.workspace.slug
    if view == "assigned":
        return item_lists.assigned(me, slug, me)
    return item_lists.created(me, slug, me) if view == "created" else item_lists.of_member(me, slug)
