"""One request for a page: who asks, what their forms say, and how to answer with chat's frame around it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, Response

from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, match
from dayjob.company.chat.api.forms import Form as Multipart
from dayjob.company.chat.errors import ChatError, forbidden
from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.access import signed_in
from dayjob.company.pages import Form, Frame, Link, Pages, Person, Search, frame, local, see_other
from dayjob.http.routing import Router

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

PAGES = Pages(Path(__file__).parent)
router = Router(tolerant=True)
TOKEN, USER = "rc_token", "rc_uid"
Handler = Callable[..., Response | Awaitable[Response]]


Found = TypeVar("Found")


class Missing(ChatError):
    """There is no such page, or not for this person."""

    def __init__(self, sentence: str = "There is no such page, or you are not allowed to see it.") -> None:
        super().__init__(sentence, status=404)


def there(found: Found | None, what: str) -> Found:
    """What was found, or the page that says that there is no such thing."""
    if found is None:
        raise Missing(f"There is no such {what}.")
    return found


class Page:
    """A request. `user` is the signed-in account; `form` is what was posted, its token already checked."""

    def __init__(self, chat: Chat, request: Request) -> None:
        self.chat = chat
        self.store: Store = chat.store
        self.request = request
        self.query = request.query_params
        self.session, self.somebody = _signed_in(chat, request)
        self.form = Form([])
        self.multipart: Multipart | None = None

    @property
    def user(self) -> User:
        return signed_in(self.somebody)

    @property
    def wants_part(self) -> bool:
        """Whether a script asks, who will put what it gets into the page it has."""
        return "x-part" in self.request.headers

    def can(self, permission: str, room: Room | None = None) -> bool:
        return self.store.access.can(self.user, permission, room)

    # -- doing what the API does -------------------------------------------------------------------------------------

    def call(self, method: str, path: dict[str, str], /, **parameters: Any) -> Call:
        given = {key: value for key, value in parameters.items() if value is not None}
        host = self.request.headers.get("host", "localhost")
        reading = method == "GET"
        found = Call(
            self.chat, self.somebody, self.session, path, given if reading else {}, None if reading else given,
            f"http://{host}",
        )  # fmt: skip
        found.form = self.multipart
        return found

    def do(self, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Call an endpoint of the API as this person: the same checks, the same effects."""
        endpoint, path = match("POST", f"/api/v1/{name}")
        if endpoint.auth:
            _ = self.user
        if endpoint.permissions and not any(self.can(one) for one in endpoint.permissions):
            raise forbidden()
        answer: Answer = endpoint.handler(self.call("POST", path, **parameters))  # type: ignore[assignment]
        return answer if isinstance(answer, dict) else {}

    async def do_upload(self, name: str, /, **parameters: Any) -> dict[str, Any]:
        """The same for the endpoints that take files."""
        endpoint, path = match("POST", f"/api/v1/{name}")
        answer = endpoint.handler(self.call("POST", path, **parameters))
        found: Any = await answer if isinstance(answer, Awaitable) else answer
        return found if isinstance(found, dict) else {}

    # -- answering ---------------------------------------------------------------------------------------------------

    def frame(self, search: str = "") -> Frame:
        person = None
        if self.somebody is not None:
            links = [Link("Profile", "/account/profile"), Link("Directory", "/directory")]
            if self.can("view-room-administration"):
                links.append(Link("Rooms", "/admin/rooms"))
            if self.can("view-user-administration"):
                links.append(Link("Users", "/admin/users"))
            user = self.somebody
            person = Person(user.name, user.username, "/logout", picture(user), tuple(links))
        return frame(
            self.chat,
            self.request,
            session=self.session if person else None,
            person=person,
            search=Search("/search", "Search rooms, people, messages", value=search) if person else None,
            home="/home",
        )

    def show(self, template: str, status: int = 200, *, search: str = "", **values: Any) -> Response:
        from dayjob.company.chat.pages.sidebar import rooms_of

        if self.somebody is not None:
            values.setdefault("sections", rooms_of(self.store, self.somebody))
        values.setdefault("here", "")
        values["me"] = self.somebody
        return PAGES.page(self.frame(search), template, status, **values)

    def part(self, template: str, **values: Any) -> Response:
        text = PAGES.part(template, frame=self.frame(), me=self.somebody, **values)
        return HTMLResponse(text, headers={"cache-control": "no-store", "x-content-type-options": "nosniff"})

    def done(self, otherwise: str, notice: str = "") -> Response:
        """Back to where the form was sent from, if it says so."""
        return see_other(local(self.form.line("back"), otherwise), notice)


def page(methods: str, *patterns: str) -> Callable[[Handler], Handler]:
    """`@page("GET", "/directory/{tab}")`: the handler takes the Page and the path's parameters."""
    return router.route(methods, *patterns)


def _signed_in(chat: Chat, request: Request) -> tuple[str | None, User | None]:
    return session_of(chat, request.headers.get("cookie", ""))


def session_of(chat: Chat, cookies: str) -> tuple[str | None, User | None]:
    """The secret of a browser's session and whose it is. A secret that is good no longer is nobody's."""
    found = cookie_parser(cookies)
    token, user_id = found.get(TOKEN), found.get(USER)
    return (token, chat.store.accounts.bearer(token, user_id)) if token and user_id else (None, None)


def picture(user: User) -> str | None:
    """Where a person's picture is; None when they have none, and initials are shown."""
    if user.avatar is None or user.avatar_type == "link":
        return None
    return f"/avatar/{quote(user.username)}?etag={quote(user.avatar_etag or '')}"


def room_path(store: Store, room: Room, user: User) -> str:
    """A room's address, as Rocket.Chat writes it; a direct room between two by the other's name."""
    if room.type == "c":
        return f"/channel/{quote(room.name or room.id)}"
    if room.type == "p":
        return f"/group/{quote(room.name or room.id)}"
    others = others_in(store, room, user)
    return f"/direct/{quote(others[0].username if len(others) == 1 else room.id)}"


def others_in(store: Store, room: Room, user: User) -> list[User]:
    """The people of a direct room besides oneself; oneself when alone."""
    found = [one for one in map(store.accounts.get, json.loads(room.uids or "[]")) if one is not None]
    return [one for one in found if one.id != user.id] or found[:1]


def room_title(store: Store, room: Room, user: User) -> str:
    if room.type == "d":
        return ", ".join(one.name for one in others_in(store, room, user)) or "Nobody"
    return room.fname or room.name or room.id
