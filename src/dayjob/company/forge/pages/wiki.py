"""A project's wiki: reading, writing, history and deleting of its pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.pages.code import commit_facts
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.rows.projects import WikiPage
from dayjob.company.forge.store import wikis
from dayjob.company.forge.store.wiki_names import ENDINGS, slug_of
from dayjob.company.forge.store.wikis import Wiki

CHANGES = 100


async def _pages(visit: Visit) -> list[dict[str, Any]]:
    return await visit.everything(visit.at_project("/wikis"))


def _page(visit: Visit) -> WikiPage:
    found = wikis.find(visit.store, Wiki("project", visit.project.id), visit.params["slug"])
    if found is None or not visit.has("wiki"):
        raise not_found("Wiki Page")
    return found


def _commits(visit: Visit, page: WikiPage) -> list[Any]:
    repo = visit.store.repos.open(Wiki("project", visit.project.id).repository)
    head = ref_sha(repo, f"refs/heads/{wikis.branch(repo)}")
    if head is None:
        return []
    path = page.slug + ENDINGS[page.format]
    found = []
    for one in reading.log(repo, [head], path=path):
        found.append(one)
        if len(found) == CHANGES:
            break
    return found


@project("GET", "/wikis")
async def first(visit: Visit) -> Response:
    """The page called home, or whichever comes first; an empty wiki offers to begin."""
    pages = await _pages(visit)
    slugs = [one["slug"] for one in pages]
    if not slugs:
        return visit.page("wiki_empty.html", pages=pages)
    return RedirectResponse(f"{visit.base}/wikis/{quote('home' if 'home' in slugs else slugs[0])}", 302)


@project("GET POST", "/wikis/new")
async def new(visit: Visit) -> Response:
    if visit.posted:
        given = {"title": visit.text("title"), "content": visit.raw("content"), "message": visit.text("message")}
        with visit.attempt():
            made = await visit.ask("POST", visit.at_project("/wikis"), {**given, "message": given["message"] or None})
            return visit.back(f"{visit.base}/wikis/{quote(made['slug'])}", "Wiki page created.")
    return visit.form_page(
        "wiki_edit.html", heading="New page", page=None,
        title=visit.raw("title"), content=visit.raw("content"), message=visit.raw("message"), pages=await _pages(visit),
        cancel=f"{visit.base}/wikis",
    )  # fmt: skip


@project("GET", "/wikis/pages")
async def listing(visit: Visit) -> Response:
    return visit.page("wiki_pages.html", pages=await _pages(visit))


@project("GET", "/wikis/{slug:rest}")
async def show(visit: Visit) -> Response:
    """A page; `SLUG/edit` and `SLUG/history` are its forms, as GitLab writes them."""
    slug = visit.params["slug"]
    for end, handler in (("/edit", edit), ("/history", history)):
        if slug.endswith(end) and wikis.find(visit.store, Wiki("project", visit.project.id), slug.removesuffix(end)):
            visit.params["slug"] = slug.removesuffix(end)
            return await handler(visit)
    pages = await _pages(visit)
    found = wikis.find(visit.store, Wiki("project", visit.project.id), slug)
    if found is None:
        return visit.page("wiki_missing.html", 404, pages=pages, title=slug.replace("-", " "))
    version = visit.query.get("version_id")
    content, old = found.content, None
    if isinstance(version, str):
        content, old = _at(visit, found, version)
    changes = _commits(visit, found)
    return visit.page(
        "wiki.html", page=found, content=shown(visit, content, wiki=True), pages=pages, old=old,
        last=commit_facts(changes[0]) if changes else None,
    )  # fmt: skip


def _at(visit: Visit, page: WikiPage, version: str) -> tuple[str, dict[str, str]]:
    """The page's text as a commit had it."""
    for one in _commits(visit, page):
        if str(one.id) == version:
            blob = reading.entry_at(one, page.slug + ENDINGS[page.format])
            return reading.text(getattr(blob, "data", b"")), commit_facts(one)
    raise not_found("Version")


async def history(visit: Visit) -> Response:
    page = _page(visit)
    changes = [commit_facts(one) for one in _commits(visit, page)]
    return visit.page("wiki_history.html", page=page, changes=changes, pages=await _pages(visit))


async def edit(visit: Visit) -> Response:
    page = _page(visit)
    if visit.posted:
        title = visit.text("title")
        given = {"content": visit.raw("content"), "message": visit.text("message") or None}
        if title and slug_of(title) != page.slug:
            given["title"] = title
        with visit.attempt():
            path = visit.at_project(f"/wikis/{quote(page.slug, safe='')}")
            made = await visit.ask("PUT", path, given)
            return visit.back(f"{visit.base}/wikis/{quote(made['slug'])}", "Wiki page saved.")
    return visit.form_page(
        "wiki_edit.html", heading=f"Edit {page.title}", page=page,
        title=visit.raw("title") if visit.posted else page.title, message=visit.raw("message"),
        content=visit.raw("content") if visit.posted else page.content, pages=await _pages(visit),
        cancel=f"{visit.base}/wikis/{quote(page.slug)}",
    )  # fmt: skip


@project("POST", "/wikis/{slug:rest}")
async def write(visit: Visit) -> Response:
    """`SLUG/edit` saves, `SLUG/delete` deletes."""
    slug, _, verb = visit.params["slug"].rpartition("/")
    visit.params["slug"] = slug
    if verb == "edit":
        return await edit(visit)
    if verb != "delete":
        raise not_found()
    page = _page(visit)
    await visit.ask("DELETE", visit.at_project(f"/wikis/{quote(page.slug, safe='')}"))
    return visit.back(f"{visit.base}/wikis", f"Wiki page {page.title} deleted.")
