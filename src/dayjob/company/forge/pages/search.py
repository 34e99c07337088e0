"""Search: one word over projects, issues, merge requests, code, wiki, milestones, comments and people."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages.routes import site
from dayjob.company.forge.pages.visit import Listed, Visit
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, projects

SCOPES = (
    ("projects", "Projects"),
    ("issues", "Issues"),
    ("merge_requests", "Merge requests"),
    ("blobs", "Code"),
    ("commits", "Commits"),
    ("wiki_blobs", "Wiki"),
    ("milestones", "Milestones"),
    ("notes", "Comments"),
    ("users", "Users"),
)


@site("GET", "/search")
async def search(visit: Visit) -> Response:
    if visit.user is None:
        return visit.sign_in()
    words = str(visit.query.get("search") or "").strip()
    scope = str(visit.query.get("scope") or "")
    place = _place(visit)
    scopes = [one for one in SCOPES if place is None or one[0] not in ("projects", "users")]
    scope = scope if scope in dict(scopes) else scopes[0][0]
    found, homes = Listed([], 1, 1, 0), {}
    if words:
        path = f"/projects/{place.id}/search" if place else "/search"
        found = await visit.listed(path, scope=scope, search=words, with_labels_details=True)
        homes = visit.store.by_ids(Project, [one["project_id"] for one in found.items if one.get("project_id")])
    return visit.page(
        "search.html", words=words, scope=scope, scopes=scopes, listed=found, homes=homes, place=place,
        noted=_noted(visit, found.items) if scope == "notes" else {},
    )  # fmt: skip


def _place(visit: Visit) -> Project | None:
    given = str(visit.query.get("project_id") or "")
    if not given:
        return None
    found = projects.find(visit.store, given)
    if found is None or not access.can_see_project(visit.store, visit.user, found):
        raise not_found("Project")
    return found


def _noted(visit: Visit, notes: list[dict[str, Any]]) -> dict[int, str]:
    """Where each comment stands."""
    found = {}
    for one in notes:
        page = {"Issue": "issues", "MergeRequest": "merge_requests"}.get(one["noteable_type"])
        home = projects.find(visit.store, one["project_id"] or 0)
        if page and home and one["noteable_iid"]:
            found[one["id"]] = f"/{home.full_path}/-/{page}/{one['noteable_iid']}#note_{one['id']}"
    return found
