"""A person's page: who they are and what they are working on; on one's own, the name can be changed."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import Missing, Page, full, page
from dayjob.company.board.store import accounts, item_lists
from dayjob.company.pages import see_other

_TABS = {
    "assigned": ("Assigned", item_lists.assigned),
    "created": ("Created", item_lists.created),
}


@page("GET", "/{slug}/profile")
def own(page: Page) -> Response:
    return RedirectResponse(f"{page.base}/profile/{page.user.id}/", 302)


@page("GET", "/{slug}/profile/{user_id}", "/{slug}/profile/{user_id}/{which}")
def show(page: Page, user_id: str, which: str = "assigned") -> Response:
    user = accounts.user(page.db, user_id)
    role = accounts.workspace_role(page.db, page.workspace.slug, user_id)
    if user is None or not role or which not in _TABS:
        raise Missing
    listing = _TABS[which][1](page.user.id, page.workspace.slug, user.id)
    rows = listing.rows(page.db, "-updated_at", 150)
    groups: dict[str, list[object]] = {"Open": [], "Finished": []}
    for card in cards(page, rows):
        over = card.state is not None and card.state.group in ("completed", "cancelled")
        groups["Finished" if over else "Open"].append(card)
    at = f"{page.base}/profile/{user.id}"
    return page.show(
        "person.html", tab="profile" if user.id == page.user.id else "", user=user, name=full(user),
        role=accounts.ROLE_SLUGS[role].capitalize(), groups=groups, own=user.id == page.user.id,
        tabs_=[(title, f"{at}/{name}/", name == which) for name, (title, _) in _TABS.items()],
    )  # fmt: skip


@page("POST", "/{slug}/profile/{user_id}")
def save(page: Page, user_id: str) -> Response:
    if user_id != page.user.id:
        raise Refused(403, {"error": "Everyone changes their own name."})
    names = {name: page.form.line(name) for name in ("first_name", "last_name", "display_name")}
    accounts.rename(page.db, page.user, **names)
    return see_other(f"{page.base}/profile/{user_id}/", "Profile saved.")
