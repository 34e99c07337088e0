"""Looking around: all projects, groups, people, and the list of accounts for administrators."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.pages.feed import told
from dayjob.company.forge.pages.items import items_page
from dayjob.company.forge.pages.routes import for_anyone, group, site
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import access, feeds, namespaces, users

ORDERS = (
    ("last_activity_at-desc", "Recently active"),
    ("name-asc", "Name"),
    ("created_at-desc", "Newest"),
    ("star_count-desc", "Most stars"),
)


async def _projects(visit: Visit, path: str, more: dict[str, Any]) -> dict[str, Any]:
    wanted, order = str(visit.query.get("name") or ""), str(visit.query.get("sort") or "")
    column, _, way = (order if order in dict(ORDERS) else ORDERS[0][0]).partition("-")
    found = await visit.listed(path, {"search": wanted or None, "order_by": column, "sort": way, **more})
    return {"listed": found, "wanted": wanted, "order": order, "orders": ORDERS}


@for_anyone
@site("GET", "/explore", "/explore/projects")
async def everything(visit: Visit) -> Response:
    return visit.page("projects.html", heading="Projects", own=False, **await _projects(visit, "/projects", {}))


@site("GET", "/dashboard/projects")
async def mine(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    found = await _projects(visit, "/projects", {"membership": True})
    return visit.page("projects.html", heading="Your projects", own=True, **found)


@for_anyone
@site("GET", "/explore/groups", "/dashboard/groups")
async def groups(visit: Visit) -> Response:
    wanted = str(visit.query.get("name") or "")
    return visit.page("groups.html", listed=await visit.listed("/groups", search=wanted or None), wanted=wanted)


@for_anyone
@site("GET", "/groups/{name:rest}")
async def group_by_name(visit: Visit) -> Response:
    found = namespaces.find(visit.store, visit.params["name"], "group")
    if found is None or not access.can_see_group(visit.store, visit.user, found):
        raise not_found("Group")
    visit.group = found
    return await group_home(visit)


async def group_home(visit: Visit) -> Response:
    path = f"/groups/{visit.group.id}"
    return visit.page(
        "group.html", about=await visit.ask("GET", path), subgroups=await visit.everything(f"{path}/subgroups"),
        people=await visit.everything(f"{path}/members/all"), **await _projects(visit, f"{path}/projects", {}),
    )  # fmt: skip


@group("GET", "/issues")
async def group_issues(visit: Visit) -> Response:
    return await items_page(visit, f"/groups/{visit.group.id}/issues", "issues")


@group("GET", "/merge_requests")
async def group_requests(visit: Visit) -> Response:
    return await items_page(visit, f"/groups/{visit.group.id}/merge_requests", "merge_requests")


# -- people ------------------------------------------------------------------------------------------------------


async def profile(visit: Visit) -> Response:
    """Somebody's page: who they are, their projects, what they did lately."""
    user = users.find(visit.store, visit.params["username"])
    if user is None:
        raise not_found("User")
    about = await visit.ask("GET", f"/users/{user.id}")
    events = feeds.latest_of(visit.store, visit.user, user, 20)
    return visit.page(
        "profile.html", about=about, bio=shown(visit, about["bio"]),
        projects=await visit.everything(f"/users/{user.id}/projects"),
        contributed=await visit.everything(f"/users/{user.id}/contributed_projects", order_by="last_activity_at"),
        events=told(visit, events),
    )  # fmt: skip


@site("GET", "/users/{username}")
async def profile_by_name(visit: Visit) -> Response:
    return RedirectResponse(f"/{visit.params['username']}", 302)


@site("GET", "/admin", "/admin/users")
async def accounts(visit: Visit) -> Response:
    if visit.user is None or not visit.user.admin:
        raise forbidden()
    wanted = str(visit.query.get("search_query") or "")
    found = await visit.listed("/users", search=wanted or None, order_by="name", sort="asc", per_page=50)
    return visit.page("accounts.html", listed=found, wanted=wanted)


@site("POST", "/admin/users/{id}/{verb}")
async def change_account(visit: Visit) -> Response:
    if visit.params["verb"] not in ("block", "unblock"):
        raise not_found()
    await visit.ask("POST", f"/users/{visit.number('id')}/{visit.params['verb']}")
    return visit.back("/admin/users", f"The account is {visit.params['verb']}ed.")
