"""Commits: the log of a branch or file, one commit with its difference, and two commits side by side."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.forge.errors import Refused, not_found
from dayjob.company.forge.git import reading
from dayjob.company.forge.pages import diffs
from dayjob.company.forge.pages.code import switcher, trail
from dayjob.company.forge.pages.comments import threads_of
from dayjob.company.forge.pages.pipelines import commit_states
from dayjob.company.forge.pages.refs import at, names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import users
from dayjob.company.pages.templates import moment

FILES = 200
"""Of a larger difference only the first files are shown."""


def by_day(commits: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The commits under the day each was made on."""
    days: dict[str, list[dict[str, Any]]] = {}
    for one in commits:
        days.setdefault(moment(one["created_at"]).strftime("%-d %B %Y"), []).append(one)
    return list(days.items())


def authors(visit: Visit, commits: list[dict[str, Any]]) -> dict[str, str]:
    """The accounts behind the commits' addresses, where there are any."""
    return users.usernames_by_address(visit.store, {commit["author_email"] for commit in commits})


@project("GET", "/commits/{where:rest}", "/commits")
async def commits(visit: Visit) -> Response:
    place = at(visit, visit.params.get("where", ""))
    found = await visit.listed(
        visit.at_project("/repository/commits"), ref_name=place.ref, path=place.path or None,
        author=visit.query.get("author"), per_page=30,
    )  # fmt: skip
    wanted = str(visit.query.get("search", "")).lower()
    items = [one for one in found.items if wanted in one["message"].lower()]
    return visit.page(
        "commits.html", place=place, days=by_day(items), listed=found, accounts=authors(visit, items),
        trail=trail(visit, place), refs=switcher(visit, place, "commits"), wanted=visit.query.get("search", ""),
        ci=commit_states(visit, [one["id"] for one in items]),
    )  # fmt: skip


@project("GET", "/commit/{sha}")
async def commit(visit: Visit) -> Response:
    sha = quote(visit.params["sha"], safe="")
    path = visit.at_project(f"/repository/commits/{sha}")
    found = await visit.ask("GET", path)
    shown = await diffs.files(await visit.everything(f"{path}/diff"))
    refs = await visit.everything(f"{path}/refs")
    threads = await threads_of(visit, path)
    for note in (note for thread in threads for note in thread["notes"]):
        note["editable"] = False  # the wire changes comments of issues and merge requests only
    return visit.page(
        "commit.html", commit=found, files=shown, refs=refs, accounts=authors(visit, [found]),
        threads=threads, at=f"{visit.base}/commit/{found['id']}", ci=commit_states(visit, [found["id"]]),
    )  # fmt: skip


@project("POST", "/commit/{sha}/notes")
async def comment(visit: Visit) -> Response:
    sha = quote(visit.params["sha"], safe="")
    await visit.ask("POST", visit.at_project(f"/repository/commits/{sha}/comments"), note=visit.raw("body"))
    return visit.back(f"{visit.base}/commit/{sha}", "Comment added.")


@project("POST", "/commit/{sha}/{verb}")
async def replay(visit: Visit) -> Response:
    """Revert a commit on a branch, or pick it for another."""
    verb = visit.params["verb"]
    if verb not in ("revert", "cherry_pick"):
        raise not_found()
    sha, branch = quote(visit.params["sha"], safe=""), visit.text("branch")
    made = await visit.ask("POST", visit.at_project(f"/repository/commits/{sha}/{verb}"), branch=branch)
    words = "reverted on" if verb == "revert" else "picked for"
    return visit.back(f"{visit.base}/commit/{made['id']}", f"The commit was {words} {branch}.")


@project("GET", "/compare", "/compare/{sides:rest}")
async def compare(visit: Visit) -> Response:
    repo = repository(visit)
    start, dots, end = visit.params.get("sides", "").partition("...")
    start = str(visit.query.get("from") or start or visit.project.default_branch or "main")
    end = str(visit.query.get("to") or end or visit.project.default_branch or "main")
    values: dict[str, Any] = {"files": [], "commits": [], "problem": "", "asked": bool(dots or visit.query.get("to"))}
    if values["asked"]:
        try:
            sides = {"from": start, "to": end}
            found = await visit.ask("GET", visit.at_project("/repository/compare"), sides)
            values["files"] = await diffs.files(found["diffs"][:FILES])
            values["commits"] = list(reversed(found["commits"]))
        except Refused:
            missing = end if reading.resolve(repo, start) else start
            values["problem"] = f"There is no branch, tag or commit called “{missing}”."
    branches = names(repo, "heads")
    return visit.page(
        "compare.html", start=start, end=end, branches=branches, refs=[*branches, *names(repo, "tags")],
        accounts=authors(visit, values["commits"]), **values,
    )  # fmt: skip
