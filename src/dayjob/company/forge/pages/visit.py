"""One request of a browser: who sits there, where they are, what they sent, and the one way a page reads and acts.

A page asks the API's own endpoints, in process and as the person who is signed in. So it shows and does what that
person may, by the same rules, and no rule of the forge stands in two places.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dayjob.company.forge import api
from dayjob.company.forge.api.arguments import Upload, body_arguments, check, query_arguments
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.credentials import SESSION_COOKIE
from dayjob.company.forge.api.routes import PREFIX, router
from dayjob.company.forge.errors import Refused, not_found
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, users
from dayjob.company.journal import identify
from dayjob.company.pages import Frame, Link, Pages, Person, Search, frame, local, see_other

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

PAGES = Pages(Path(__file__).parent)
SIGN_IN = "/users/sign_in"


@dataclass(slots=True)
class Listed:
    """One page of a list. Where the wire does not count, `total` is None and `pages` reaches one further."""

    items: list[Any]
    page: int
    pages: int
    total: int | None


class Visit:
    """A request on its way to a page; `project` or `group` is where it leads, once that is known."""

    def __init__(self, forge: Forge, request: Request) -> None:
        self.forge = forge
        self.store = forge.store
        self.request = request
        self.path: str = request.scope["path"]
        self.query = query_arguments(request.scope["query_string"])
        self.form: dict[str, Any] = {}
        self.params: dict[str, str] = {}
        self._project: Project | None = None
        self._group: Namespace | None = None
        self.problem = ""
        """Why the form that was sent was refused."""
        self.session = request.cookies.get(SESSION_COOKIE)
        self.user = users.by_session(self.store, self.session) if self.session else None
        if self.user is not None:
            identify(self.user.username)

    # -- where ---------------------------------------------------------------------------------------------------

    @property
    def project(self) -> Project:
        if self._project is None:
            raise not_found("Project")
        return self._project

    @project.setter
    def project(self, found: Project) -> None:
        self._project = found

    @property
    def group(self) -> Namespace:
        if self._group is None:
            raise not_found("Group")
        return self._group

    @group.setter
    def group(self, found: Namespace) -> None:
        self._group = found

    @property
    def in_project(self) -> bool:
        return self._project is not None

    @property
    def in_group(self) -> bool:
        return self._group is not None

    @property
    def base(self) -> str:
        """The address of the project's or group's own pages: `/larkspur/trellis/-`."""
        return f"/{self.project.full_path}/-"

    @cached_property
    def level(self) -> int:
        """What the visitor is in the project; 0 for a stranger."""
        return access.project_level(self.store, self.user, self.project)

    @cached_property
    def reads_code(self) -> bool:
        return access.may_read_code(self.store, self.user, self.project)

    def has(self, feature: str) -> bool:
        """Whether a part of the project (`issues`, `wiki`) is there for the visitor."""
        return access.may_use(self.store, self.user, self.project, feature)

    def may(self, level: int) -> bool:
        """Whether the visitor may do in this project what takes this level; an archived project is only read."""
        return self.user is not None and self.level >= level and not self.project.archived

    # -- what was sent -------------------------------------------------------------------------------------------

    @property
    def posted(self) -> bool:
        return self.request.method == "POST"

    async def read(self) -> None:
        """Take the form in: urlencoded or multipart. Line ends become the ones everybody else uses."""
        found = await body_arguments(self.request)
        check(found)
        self.form = {name: _unix(value) for name, value in found.items()}

    def text(self, name: str, otherwise: str = "") -> str:
        """A field of the form (or of the query on a page that is only read), without space around it."""
        return self.raw(name, otherwise).strip()

    def raw(self, name: str, otherwise: str = "") -> str:
        value = (self.form if self.posted else self.query).get(name)
        return value if isinstance(value, str) else otherwise

    def many(self, name: str) -> list[str]:
        """Every value of checkboxes or a multiple select called `name[]`."""
        value = (self.form if self.posted else self.query).get(name)
        if isinstance(value, str):
            return [value] if value else []
        return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []

    def ticked(self, name: str) -> bool:
        return self.raw(name) not in ("", "0", "false")

    def upload(self, name: str) -> Upload | None:
        value = self.form.get(name)
        return value if isinstance(value, Upload) and value.filename else None

    def number(self, name: str) -> int:
        """A number in the path; anything else does not exist."""
        text = self.params[name]
        if not (text.isascii() and text.isdigit()) or len(text) > 15:
            raise not_found()
        return int(text)

    def here(self, **changes: Any) -> str:
        """This page's address with some of its query changed; None removes."""
        pairs: list[tuple[str, str]] = []
        for name, value in {**self.query, **changes}.items():
            if isinstance(value, list):
                pairs += [(f"{name}[]", str(one)) for one in value]
            elif value is not None and not isinstance(value, dict):
                pairs.append((name, str(value)))
        return quote(self.path) + (f"?{urlencode(pairs)}" if pairs else "")

    def pager(self) -> str:
        """This page's address for another page of its list, with %d for the number."""
        address = self.here(page=None).replace("%", "%%")
        return f"{address}{'&' if '?' in address else '?'}page=%d"

    # -- asking the forge ----------------------------------------------------------------------------------------

    async def ask(self, method: str, path: str, args: dict[str, Any] | None = None, /, **more: Any) -> Any:
        """What the API answers to this visitor; `Refused` when a rule says no."""
        return (await self._asked(method, path, {**(args or {}), **more}))[0]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """What is refused inside becomes the `problem` that the form is shown again with."""
        try:
            yield
        except Refused as no:
            self.problem = reason(no)

    async def listed(self, path: str, args: dict[str, Any] | None = None, /, **more: Any) -> Listed:
        """One page of what the API lists; the page's number comes from the query."""
        wanted = {"page": self.page_number, "per_page": 20, **(args or {}), **more}
        data, headers = await self._asked("GET", path, wanted)
        page = int(wanted["page"])
        if "x-total" in headers:
            total = int(headers["x-total"])
            return Listed(data, page, max(1, -(-total // int(wanted["per_page"]))), total)
        return Listed(data, page, page + (1 if headers.get("x-next-page") else 0), None)

    async def everything(self, path: str, args: dict[str, Any] | None = None, /, **more: Any) -> list[Any]:
        """The first hundred of what the API lists."""
        found: list[Any] = await self.ask("GET", path, {"per_page": 100, **(args or {})}, **more)
        return found

    async def fetched(self, path: str, args: dict[str, Any] | None = None) -> Response:
        """The API's own answer, for files and archives."""
        found = await self._call("GET", path, args or {})
        assert isinstance(found, Response)
        return found

    @property
    def page_number(self) -> int:
        text = str(self.query.get("page", "1"))
        return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else 1

    async def _asked(self, method: str, path: str, args: dict[str, Any]) -> tuple[Any, dict[str, str]]:
        found = await self._call(method, path, args)
        if isinstance(found, Response):
            return (json.loads(bytes(found.body)) if found.body else None), dict(found.headers)
        return found, {}

    async def _call(self, method: str, path: str, args: dict[str, Any]) -> Any:
        api.load()
        address = PREFIX + path
        handler, params = router.match(method, address)
        given = {name: value for name, value in args.items() if value is not None}
        check(given)
        check(params)
        asked = Request({**self.request.scope, "method": method})
        call = Call(self.forge, asked, params, given, address=address)
        call.user = self.user
        found = handler(call)
        return await found if inspect.isawaitable(found) else found

    def at_project(self, rest: str = "") -> str:
        """The API's path of this project."""
        return f"/projects/{self.project.id}{rest}"

    # -- answering -----------------------------------------------------------------------------------------------

    @cached_property
    def frame(self) -> Frame:
        person = None
        if self.user is not None:
            me = self.user
            links = [
                Link("Your profile", f"/{me.username}"),
                Link("Edit profile", "/-/user_settings/profile"),
                Link("Access tokens", "/-/user_settings/personal_access_tokens"),
            ]
            if me.admin:
                links.append(Link("Users", "/admin/users"))
            person = Person(me.name, me.username, "/users/sign_out", picture(self.user), tuple(links))
        words = str(self.query.get("search", "")) if self.path == "/search" else ""
        search = Search("/search", "Search projects, issues and code", "search", words) if self.user else None
        return frame(
            self.forge, self.request, session=self.session if self.user else None, person=person, search=search
        )

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of the forge; it knows the visit, and so where it is."""
        from dayjob.company.forge.pages.nav import navigation

        return PAGES.page(self.frame, template, status, visit=self, me=self.user, nav=navigation(self), **values)

    def form_page(self, template: str, **values: Any) -> Response:
        """A page with a form: as it was first opened, or again with the `problem` it was refused for."""
        return self.page(template, 422 if self.problem else 200, problem=self.problem, **values)

    def sign_in(self, way: str | None = None) -> Response:
        """To the sign-in page, and from there back to where the visitor wanted to be."""
        wanted = way if way is not None else self.here()
        address = f"{SIGN_IN}?redirect_to={quote(wanted)}" if wanted != "/" else SIGN_IN
        return RedirectResponse(address, 303 if self.posted else 302)

    def came_from(self, otherwise: str) -> str:
        """The page this form was on, if the browser says so."""
        before = urlsplit(self.request.headers.get("referer", ""))
        if before.netloc.lower() != self.request.headers.get("host", "").lower():
            return otherwise
        return local(before.path + (f"?{before.query}" if before.query else ""), otherwise)

    def back(self, address: str, notice: str = "") -> Response:
        return see_other(address, notice)


def picture(user: User) -> str | None:
    return f"/uploads/-/system/user/avatar/{user.id}/{user.avatar.partition(':')[2]}" if user.avatar else None


def _unix(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return [_unix(one) for one in value] if isinstance(value, list) else value


def reason(error: Refused) -> str:
    """What a rule said, as a sentence for a person."""
    said = error.body.get("message") or error.body.get("error") or ""
    if isinstance(said, dict):
        parts = [f"{name.replace('_', ' ').capitalize()} {', '.join(map(str, why))}" for name, why in said.items()]
        return ". ".join(parts).rstrip(".") + "."
    if isinstance(said, list):
        return " ".join(map(str, said))
    text = str(said).removeprefix(f"{error.status} ").removeprefix("Bad request - ").removeprefix("Forbidden - ")
    known = {
        "Forbidden": "You are not allowed to do this.",
        "Unauthorized": "You are not allowed to do this.",
        "Method Not Allowed": "This cannot be done in the state it is in.",
        "Not Found": "There is nothing here, or you may not see it.",
    }
    return known.get(text, text) or "This cannot be done."
