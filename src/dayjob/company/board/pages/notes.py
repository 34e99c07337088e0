"""A project's pages: text that people write down beside the work. Public ones are for everybody in the project, private
ones for whoever made them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages import text
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.rows import Page as Note
from dayjob.company.board.store import accounts, notes
from dayjob.company.pages import see_other

_ALL = PROJECT + "/pages"
_KINDS = (("public", "Public"), ("private", "Private"), ("archived", "Archived"))
_MOST = 200


@page("GET", _ALL)
def show_all(page: Page) -> Response:
    kind = page.query.get("type", "public")
    kind = kind if kind in dict(_KINDS) else "public"
    words = page.query.get("search", "").strip()[:200].replace("\0", "")
    listing = notes.page_listing(page.workspace.id, page.project.id, page.user.id, kind, words or None)
    found = [(one, _owner(page, one)) for one in listing.rows(page.db, "-updated_at", _MOST)]
    tabs = [(title, f"{page.here}/pages/?type={name}", name == kind) for name, title in _KINDS]
    return page.show("pages.html", tab="pages", found=found, tabs=tabs, kind=kind, words=words)


def _owner(page: Page, note: Note) -> str:
    user = accounts.user(page.db, note.owned_by)
    return full(user) if user else ""


def _note(page: Page, id: str) -> Note:
    return notes.page(page.store, page.workspace.id, page.project.id, id)


def _form(page: Page, note: Note | None, given: dict[str, Any], problem: str = "") -> Response:
    status = 400 if problem else 200
    return page.show("page-edit.html", status, tab="pages", noun="page", row=note, given=given, problem=problem)


def _given(page: Page) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was typed, and the same as the API takes it."""
    form = page.form
    given = {"name": form.line("name"), "text": form.get("text", ""), "access": form.line("access")}
    access = 1 if given["access"] == "1" else 0
    return given, {"name": given["name"], "description_html": text.stored(given["text"]) or "<p></p>", "access": access}


@page("GET", _ALL + "/new")
def new(page: Page) -> Response:
    return _form(page, None, {"name": "", "text": "", "access": "0"})


@page("POST", _ALL + "/new", _ALL)
def create(page: Page) -> Response:
    given, facts = _given(page)
    try:
        made = page.do("POST", "./pages/", facts)
    except Refused as refusal:
        return _form(page, None, given, sentence(refusal))
    return see_other(f"{page.here}/pages/{made['id']}/", "Page created.")


@page("GET", _ALL + "/{page_id}")
def show(page: Page, page_id: str) -> Response:
    note = _note(page, page_id)
    return page.show("page.html", tab="pages", note=note, text=text.shown(note.description_html), by=_owner(page, note))


@page("GET", _ALL + "/{page_id}/edit")
def edit(page: Page, page_id: str) -> Response:
    note = _note(page, page_id)
    source = text.source(note.description_html)
    return _form(page, note, {"name": note.name, "text": source, "access": str(note.access)})


@page("POST", _ALL + "/{page_id}/edit")
def save(page: Page, page_id: str) -> Response:
    given, facts = _given(page)
    try:
        page.do("PATCH", f"./pages/{page_id}/", facts)
    except Refused as refusal:
        return _form(page, _note(page, page_id), given, sentence(refusal))
    return see_other(f"{page.here}/pages/{page_id}/", "Page saved.")


@page("POST", _ALL + "/{page_id}/archive")
def archive(page: Page, page_id: str) -> Response:
    away = _note(page, page_id).archived_at is None
    page.do("POST" if away else "DELETE", f"./pages/{page_id}/archive/")
    return see_other(f"{page.here}/pages/{page_id}/", "Page archived." if away else "Page restored.")


@page("POST", _ALL + "/{page_id}/delete")
def delete(page: Page, page_id: str) -> Response:
    page.do("DELETE", f"./pages/{page_id}/")
    return see_other(f"{page.here}/pages/", "Page deleted.")
