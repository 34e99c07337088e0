"""What surrounds a page: where the reader is, who they are, what they may search, and the way to the other services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from markupsafe import Markup
from starlette.requests import Request

from dayjob.company.pages.forms import FIELD, form_token
from dayjob.service_names import NAMES

if TYPE_CHECKING:
    from dayjob.company.service import Service

TITLES = {"chat": "Chat", "forge": "Forge", "board": "Board", "drive": "Drive"}
NOTICE, THEME = "notice", "theme"


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the user menu or the switcher. `service` gives it that service's colour."""

    label: str
    href: str
    service: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in. `leave` is where the log-out form is posted to."""

    name: str
    username: str
    leave: str
    picture: str | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """The field in the top bar: a GET form."""

    action: str
    label: str
    field: str = "q"
    value: str = ""


@dataclass(slots=True)
class Frame:
    """The values the layout needs; made by `frame(...)`, handed to `Pages.page`."""

    service: str
    company: str
    now: datetime
    home: str
    others: list[Link]
    session: str | None
    person: Person | None
    search: Search | None
    theme: str
    notices: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        return TITLES[self.service]

    @property
    def token_value(self) -> str:
        return form_token(self.session) if self.session else ""

    @property
    def token(self) -> Markup:
        """The hidden field that makes a form this session's own."""
        return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, self.token_value)


def frame(
    service: Service,
    request: Request,
    *,
    session: str | None = None,
    person: Person | None = None,
    search: Search | None = None,
    home: str = "/",
) -> Frame:
    """The frame of a page of `service`; `session` is the secret in its cookie, None for visitors."""
    notice = request.cookies.get(NOTICE)
    theme = request.cookies.get(THEME, "")
    return Frame(
        service=service.name,
        company=service.company.world.name,
        now=service.company.clock.now(),
        home=home,
        others=_others(service, request),
        session=session,
        person=person,
        search=search,
        theme=theme if theme in ("light", "dark") else "",
        notices=[unquote(notice)[:300]] if notice else [],
    )


def _others(service: Service, request: Request) -> list[Link]:
    """The other services as this reader reaches them: same host, the ports of the same network. Unknown, no link."""
    try:
        here = urlsplit(f"//{request.headers.get('host', '')}")
        host, port = here.hostname, here.port
    except ValueError:
        return []
    world, role = service.company.world, request.scope.get("dayjob.role", "people")
    ports: Mapping[str, int] = service.company.ports.get(role, {})
    # By the company's own name, or where nothing else is known, the ports are the world's.
    if port == world.ports[service.name] and (host == world.host or ports.get(service.name) != port):
        ports = world.ports
    name = f"[{host}]" if host and ":" in host else host
    return [
        Link(TITLES[one], f"http://{name}:{ports[one]}/", one)
        for one in NAMES
        if name and one in ports and one != service.name
    ]
