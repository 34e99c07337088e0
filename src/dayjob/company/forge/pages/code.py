"""Folders and files of a repository: the tree, one file in colour or rendered, and who wrote each line."""

from __future__ import annotations

import asyncio
import mimetypes
from typing import Any
from urllib.parse import quote

import pygit2
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.git import reading
from dayjob.company.forge.pages.diffs import AT_ONCE
from dayjob.company.forge.pages.refs import At, at, last_changes, names
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.pages.highlight import lines

SHOWN = 1_000_000
"""Larger files are offered raw only."""
REFS = 100
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".svg")
_READMES = ("readme.md", "readme.markdown", "readme.txt", "readme")


async def folder_rows(place: At) -> list[dict[str, Any]]:
    """A folder's entries with the commit that last touched each."""
    tree = reading.entry_at(place.commit, place.path)
    if not isinstance(tree, pygit2.Tree):
        raise not_found("Tree")
    entries = list(reading.tree_entries(tree, f"{place.path}/" if place.path else ""))
    changes = await asyncio.to_thread(last_changes, place, tuple(one.name for one in entries))
    return [{"entry": one, "change": changes.get(one.name)} for one in entries]


def switcher(visit: Visit, place: At, kind: str) -> dict[str, Any]:
    """The branches and tags one can look at instead, with the address of the same path there."""
    end = f"/{quote(place.path)}" if place.path else ""
    groups = {}
    for label, prefix in (("Branches", "heads"), ("Tags", "tags")):
        groups[label] = [(one, f"{visit.base}/{kind}/{quote(one)}{end}") for one in names(place.repo, prefix)[:REFS]]
    return {"current": place.ref, "groups": groups}


def trail(visit: Visit, place: At) -> list[tuple[str, str]]:
    """From the project's name down to the path."""
    parts = place.path.split("/") if place.path else []
    found = [(visit.project.path, f"{visit.base}/tree/{quote(place.ref)}")]
    for cut in range(1, len(parts) + 1):
        inside = quote("/".join(parts[:cut]))
        found.append((parts[cut - 1], f"{visit.base}/tree/{quote(place.ref)}/{inside}"))
    return found


@project("GET", "/tree/{where:rest}", "/tree")
async def tree(visit: Visit) -> Response:
    place = at(visit, visit.params.get("where", ""))
    if isinstance(reading.entry_at(place.commit, place.path), pygit2.Blob):
        return RedirectResponse(f"{visit.base}/blob/{place.address}", 302)
    rows = await folder_rows(place)
    readme = None
    for one in rows:
        small = reading.size_of(place.repo, one["entry"].id) <= SHOWN
        if one["entry"].type == "blob" and small and one["entry"].name.lower() in _READMES:
            blob = place.repo[one["entry"].id]
            assert isinstance(blob, pygit2.Blob)
            readme = shown(visit, reading.text(blob.data), folder="/".join(filter(None, (place.ref, place.path))))
            break
    head = next(reading.log(place.repo, [str(place.commit.id)], path=place.path), place.commit)
    return visit.page(
        "tree.html", place=place, rows=rows, readme=readme, head=commit_facts(head), trail=trail(visit, place),
        refs=switcher(visit, place, "tree"),
    )  # fmt: skip


def commit_facts(commit: pygit2.Commit) -> dict[str, str]:
    author = reading.signature_text(commit.author)
    return {
        "id": str(commit.id),
        "title": reading.message_of(commit).split("\n", 1)[0],
        "author_name": author[0],
        "created_at": reading.when(commit.committer),
    }


def file_at(visit: Visit) -> tuple[At, pygit2.Blob]:
    place = at(visit, visit.params["where"])
    blob = reading.entry_at(place.commit, place.path) if place.path else None
    if not isinstance(blob, pygit2.Blob):
        raise not_found("File")
    reading.check_size(place.repo, blob.id)
    return place, blob


@project("GET", "/blob/{where:rest}")
async def blob(visit: Visit) -> Response:
    place = at(visit, visit.params["where"])
    found = reading.entry_at(place.commit, place.path)
    if isinstance(found, pygit2.Tree):
        return RedirectResponse(f"{visit.base}/tree/{place.address}", 302)
    if not isinstance(found, pygit2.Blob):
        raise not_found("File")
    reading.check_size(place.repo, found.id)
    kind, content = await _content(visit, place, found)
    head = next(reading.log(place.repo, [str(place.commit.id)], path=place.path), place.commit)
    return visit.page(
        "blob.html", place=place, size=found.size, kind=kind, content=content, head=commit_facts(head),
        trail=trail(visit, place), refs=switcher(visit, place, "blob"),
        markdown=place.name.lower().endswith((".md", ".markdown")), text=reading.text(found.data) if kind in
        ("code", "prose") else "",
    )  # fmt: skip


async def _content(visit: Visit, place: At, found: pygit2.Blob) -> tuple[str, Any]:
    """(how to show a file, what of it): code, prose, picture, binary or large."""
    name = place.name.lower()
    if name.endswith(_PICTURES) and (mimetypes.guess_type(name)[0] or "").startswith("image/"):
        return "picture", None
    if found.size > SHOWN:
        return "large", None
    if found.is_binary:
        return "binary", None
    text = reading.text(found.data)
    if name.endswith((".md", ".markdown")) and visit.query.get("plain") != "1":
        return "prose", shown(visit, text, folder="/".join(filter(None, (place.ref, place.folder))))
    return "code", [Markup(line) for line in await coloured(text, place.name)]


async def coloured(text: str, name: str) -> list[str]:
    """The lines of a file; a long one is coloured off the loop."""
    found = await asyncio.to_thread(lines, text, name) if len(text) > AT_ONCE else lines(text, name)
    return found[:-1] if len(found) > 1 and not found[-1] else found


@project("GET", "/blame/{where:rest}")
async def blame(visit: Visit) -> Response:
    place, found = file_at(visit)
    runs: list[dict[str, Any]] = []
    if not found.is_binary and found.size <= SHOWN:
        path = quote(place.path, safe="")
        answer = await visit.ask("GET", visit.at_project(f"/repository/files/{path}/blame"), ref=place.ref)
        html = await coloured(reading.text(found.data), place.name)
        number = 0
        for run in answer:
            shown_lines = []
            for _ in run["lines"]:
                number += 1
                line = html[number - 1] if number <= len(html) else ""
                shown_lines.append((number, Markup(line)))
            runs.append({"commit": run["commit"], "lines": shown_lines})
    return visit.page(
        "blame.html", place=place, runs=runs, trail=trail(visit, place), refs=switcher(visit, place, "blame")
    )
