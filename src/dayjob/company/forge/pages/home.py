"""A project's first page: what it is, how to clone it, its files, its README, who works on it."""

from __future__ import annotations

from typing import Any

import pygit2
from starlette.responses import Response

from dayjob.company.forge.git import reading
from dayjob.company.forge.pages.code import SHOWN, commit_facts, folder_rows, switcher
from dayjob.company.forge.pages.refs import at
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import refs, stars
from dayjob.company.pages.words import hue


async def home(visit: Visit) -> Response:
    about = await visit.ask("GET", visit.at_project())
    starred = stars.is_starred(visit.store, visit.user, visit.project)
    values: dict[str, Any] = {"about": about, "starred": starred, "code": None}
    if visit.reads_code and not visit.project.empty:
        values["code"] = await _code(visit)
    return visit.page("project.html", **values)


async def _code(visit: Visit) -> dict[str, Any]:
    place = at(visit, "")
    languages = await visit.ask("GET", visit.at_project("/languages"))
    readme = None
    if visit.project.readme:
        blob = reading.entry_at(place.commit, visit.project.readme)
        if isinstance(blob, pygit2.Blob) and reading.size_of(place.repo, blob.id) <= SHOWN:
            readme = shown(visit, reading.text(blob.data), folder=place.ref)
    return {
        "place": place,
        "head": commit_facts(place.commit),
        "rows": await folder_rows(place),
        "switcher": switcher(visit, place, "tree"),
        "languages": _bar(languages),
        "readme": readme,
        "branches": refs.count(visit.store, visit.project, "heads"),
        "tags": refs.count(visit.store, visit.project, "tags"),
    }


def _bar(languages: dict[str, float]) -> list[dict[str, Any]]:
    """Shares of a bar that is 100 wide: name, share, where it begins, its colour's number."""
    found, start = [], 0.0
    for name, share in languages.items():
        found.append({"name": name, "share": share, "start": start, "hue": hue(name)})
        start += share
    return found


@project("POST", "/star")
async def star(visit: Visit) -> Response:
    """Put a star on the project, or take it off again."""
    wanted = visit.text("star", "yes") == "yes"
    await visit.ask("POST", visit.at_project("/star" if wanted else "/unstar"))
    return visit.back(f"/{visit.project.full_path}", "Starred." if wanted else "Star removed.")


@project("POST", "/forks")
async def fork(visit: Visit) -> Response:
    made = await visit.ask("POST", visit.at_project("/fork"))
    return visit.back(f"/{made['path_with_namespace']}", "Forked into your own projects.")
