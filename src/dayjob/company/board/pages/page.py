"""One request for a page: who asks, where in the workspace they are, what they sent, and how to answer.

What a page does it asks of the API's own endpoints, in process and as the person who is signed in, so that no rule
stands in two places.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from dayjob.company.board.api.call import Call, Permission, project_entity
from dayjob.company.board.errors import Refused
from dayjob.company.board.rows import Project, User, Workspace
from dayjob.company.board.store import accounts, projects, workspaces
from dayjob.company.pages import Form, Frame, Link, Pages, Person, Search, frame, local, see_other
from dayjob.http.routing import Router

if TYPE_CHECKING:
    import sqlite3

    from jinja2 import Environment

    from dayjob.company.board import Board

_COLOUR = re.compile(r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?")


class _BoardPages(Pages):
    @functools.cached_property
    def environment(self) -> Environment:
        found = super().environment
        found.filters["colour"] = colour
        return found


def colour(text: str) -> str:
    """A colour that somebody chose, in six digits; grey for whatever is none."""
    if not _COLOUR.fullmatch(text):
        return "#868e9e"
    return text if len(text) == 7 else "#" + "".join(sign * 2 for sign in text[1:])


PAGES = _BoardPages(Path(__file__).parent)
SESSION = "session-id"
router = Router(tolerant=True)
Handler = Callable[..., Response]


class Unauthenticated(Refused):
    """Nobody is signed in, or no longer."""

    def __init__(self) -> None:
        super().__init__(401, {"detail": "Sign in first."})


class Missing(Refused):
    """There is no such page, or not for this person."""

    def __init__(self, sentence: str = "There is no such page, or you are not allowed to see it.") -> None:
        super().__init__(404, {"error": sentence})


class Page:
    """A request. `form` is what was posted, its token already checked; `workspace` and `project` are the path's."""

    def __init__(self, board: Board, request: Request) -> None:
        self.board = board
        self.request = request
        self.query = request.query_params
        self.session, self.somebody = _signed_in(board, request)
        self.form = Form([])
        self._workspace: Workspace | None = None
        self._project: Project | None = None
        self.store = board.store(self.somebody.id if self.somebody else "")

    @property
    def db(self) -> sqlite3.Connection:
        return self.board.db

    @property
    def user(self) -> User:
        if self.somebody is None:
            raise Unauthenticated
        return self.somebody

    @property
    def wants_part(self) -> str:
        """The parts that a script asks for, who will put them into the page it has; else nothing."""
        return self.request.headers.get("x-part", "")

    # -- where --------------------------------------------------------------------------------------------------

    def enter(self, slug: str, project: str | None) -> None:
        """Go into a workspace, and into one of its projects, as far as this person may."""
        found = workspaces.by_slug(self.db, slug)
        if found is None or not accounts.workspace_role(self.db, slug, self.user.id):
            raise Missing
        self._workspace = found
        if project is not None:
            self._project = projects.visible(self.db, projects.project(self.db, slug, project), self.user.id)
            if not self.may(project_entity):
                raise Refused(
                    403, {"error": f"You are not in the project {self._project.name}. Ask one of its admins."}
                )

    @property
    def workspace(self) -> Workspace:
        assert self._workspace is not None
        return self._workspace

    @property
    def project(self) -> Project:
        assert self._project is not None
        return self._project

    @property
    def base(self) -> str:
        return f"/{quote(self.workspace.slug)}"

    @property
    def here(self) -> str:
        """The address of the project's pages."""
        return f"{self.base}/projects/{self.project.id}"

    @property
    def address(self) -> str:
        """This very page, to come back to."""
        url = self.request.url
        return url.path + (f"?{url.query}" if url.query else "")

    # -- what they may and do -----------------------------------------------------------------------------------

    def may(self, permission: Permission, method: str = "GET") -> bool:
        """Whether the API would let this person; the method decides as it does there."""
        params = {"slug": self.workspace.slug, "project_id": self._project.id if self._project else ""}
        return permission(Call(self.board, method, params, b"", self.user, self.store, ""))

    @property
    def role(self) -> int:
        return accounts.project_role(self.db, self.project.id, self.user.id)

    @property
    def edits(self) -> bool:
        """Whether this person may change the project's items."""
        return self.may(project_entity, "POST") and self.project.archived_at is None

    def do(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the API below this workspace, or below this project for a path that starts with `./`."""
        slug = quote(self.workspace.slug, safe="")
        place = f"/api/v1/workspaces/{slug}"
        if path.startswith("./"):
            place, path = f"{place}/projects/{self.project.id}", path[1:]
        reply = self.board.act(self.user, method, place + path, body)
        if reply.status >= 400:
            raise Refused(reply.status, reply.body)
        return reply.body

    # -- answering ----------------------------------------------------------------------------------------------

    def frame(self) -> Frame:
        person = search = None
        home = "/"
        if self.somebody is not None:
            links: list[Link] = []
            if self._workspace is not None:
                home = f"{self.base}/"
                links = [Link("Your profile", f"{self.base}/profile/{self.user.id}/")]
                words = self.query.get("q", "") if self.request.url.path.startswith(f"{self.base}/search") else ""
                search = Search(f"{self.base}/search/", "Search work items", value=words)
            person = Person(full(self.user), self.user.username, "/auth/sign-out/", None, tuple(links))
        return frame(
            self.board,
            self.request,
            session=self.session if person else None,
            person=person,
            search=search,
            home=home,
        )

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        if self._workspace is not None:
            mine = projects.joined(self.db, self.workspace.id, self.user.id)
            values = {"workspace": self.workspace, "base": self.base, "projects": mine, **values}
        project = self._project
        values = {
            "project": project, "here": self.here if project else "", "edits": project is not None and self.edits,
            "me": self.somebody, "now": self.store.now, "address": self.address, "tab": "", **values,
        }  # fmt: skip
        return PAGES.page(self.frame(), template, status, **values)

    def came_from(self, otherwise: str) -> str:
        """The page of ours that a sheet was opened from."""
        try:
            found = urlsplit(self.request.headers.get("referer", ""))
        except ValueError:
            return otherwise
        if found.netloc.lower() != self.request.headers.get("host", "").lower() or found.path == self.request.url.path:
            return otherwise
        return local(found.path + (f"?{found.query}" if found.query else ""), otherwise)

    def done(self, otherwise: str, notice: str = "") -> Response:
        """Back to where the form was sent from, if it says so."""
        return see_other(local(self.form.line("back"), otherwise), notice)


def page(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    """`@page("GET", "/{slug}/projects")`: the handler takes the Page and the path's further parameters."""
    return router.route(methods, *patterns)


PROJECT = "/{slug}/projects/{project_id}"


def full(user: User) -> str:
    """A person's name; their display name when they have no other."""
    return f"{user.first_name} {user.last_name}".strip() or user.display_name


def session_token(request: Request) -> str | None:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(SESSION)
    except CookieError:
        return None
    return found.value if found else None


def _signed_in(board: Board, request: Request) -> tuple[str | None, User | None]:
    token = session_token(request)
    return token, accounts.user_by_session(board.db, token) if token else None


_FIELDS = {
    "name": "Name", "identifier": "Identifier", "url": "Link", "target_date": "Due date", "start_date": "Start date",
    "end_date": "End date", "email": "Email", "member": "Member", "color": "Colour", "description_html": "Description",
}  # fmt: skip


def sentence(refusal: Refused) -> str:
    """A refusal of the API in words for a person."""
    for name, value in refusal.body.items():
        text = str(value[0] if isinstance(value, list) and value else value)
        if name in ("error", "detail", "non_field_errors", "message"):
            return text if text.endswith((".", "!", "?")) else f"{text}."
        if isinstance(value, list):
            return f"{_FIELDS.get(name, name.replace('_', ' ').capitalize())}: {text}"
    return "That is not possible."


__all__ = ["PAGES", "PROJECT", "SESSION", "Missing", "Page", "Unauthenticated", "full", "page", "sentence"]
