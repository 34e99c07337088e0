"""What somebody sees first: their projects, what waits for them, what happened."""

from __future__ import annotations

from starlette.responses import Response

from dayjob.company.forge.pages.feed import told
from dayjob.company.forge.pages.items import items_page
from dayjob.company.forge.pages.routes import site
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import feeds

EVENTS = 15


@site("GET", "/", "/dashboard")
async def dashboard(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in("/")
    mine = {"state": "opened", "with_labels_details": True, "per_page": 8}
    projects = await visit.everything("/projects", membership=True, order_by="last_activity_at", per_page=12)
    return visit.page(
        "dashboard.html",
        projects=projects,
        assigned=await visit.listed("/issues", {**mine, "scope": "assigned_to_me"}),
        reviews=await visit.listed("/merge_requests", {**mine, "scope": "reviews_for_me"}),
        requests=await visit.listed("/merge_requests", {**mine, "scope": "assigned_to_me"}),
        todos=await visit.listed("/todos", per_page=5),
        events=told(visit, feeds.latest_around(visit.store, visit.user, EVENTS)),
    )


@site("GET", "/dashboard/todos")
async def todos(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    state = "done" if visit.query.get("state") == "done" else "pending"
    return visit.page("todos.html", listed=await visit.listed("/todos", state=state), state=state)


@site("POST", "/dashboard/todos/{id}/done")
async def todo_done(visit: Visit) -> Response:
    await visit.ask("POST", f"/todos/{visit.number('id')}/mark_as_done")
    return visit.back("/dashboard/todos", "Marked as done.")


@site("POST", "/dashboard/todos/done")
async def todos_done(visit: Visit) -> Response:
    await visit.ask("POST", "/todos/mark_as_done")
    return visit.back("/dashboard/todos", "Everything is marked as done.")


async def _items(visit: Visit, kind: str) -> Response:
    return await items_page(visit, f"/{kind}", kind, mine=True) if visit.user is not None else visit.sign_in()


@site("GET", "/dashboard/issues")
async def my_issues(visit: Visit) -> Response:
    return await _items(visit, "issues")


@site("GET", "/dashboard/merge_requests")
async def my_requests(visit: Visit) -> Response:
    return await _items(visit, "merge_requests")
