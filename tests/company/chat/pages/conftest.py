"""Sam, who works here; Mara, a colleague who speaks through the API; and the administrator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from dayjob.company.chat.pages.page import TOKEN, USER
from tests.company.pages.browser import Visitor
from tests.company.serving import Served

Visit = Callable[..., Visitor]
SAM = ("sam.reed", "sam-reed-first-day")
ADMIN = ("larkspur.admin", "admin-of-larkspur-chat")


def session(office: Served, username: str) -> tuple[str, str]:
    """A token of somebody, and their id."""
    token = office.call(office.company.service("chat").store.accounts.mint_token, username)  # type: ignore[attr-defined]
    found = office.call(
        lambda: office.company.database("chat").execute("SELECT id FROM users WHERE username = ?", (username,))
    ).fetchone()
    return token, found[0]


def colleague(office: Served, username: str = "mara.lindqvist") -> RocketChat:
    """Somebody else of the company, signed in through the API."""
    client = RocketChat(server_url=office.url("chat"))
    client.headers["X-Auth-Token"], client.headers["X-User-Id"] = session(office, username)
    return client


def signed_in(office: Served, visit: Visit, username: str) -> Visitor:
    """Somebody at a browser, with a session; how one comes by a session is tested in test_entry."""
    visitor = visit(office)
    for name, value in zip((TOKEN, USER), session(office, username), strict=True):
        visitor.context.add_cookies([{"name": name, "value": value, "url": office.url("chat")}])
    return visitor


@pytest.fixture
def mara(office: Served) -> RocketChat:
    return colleague(office)


@pytest.fixture
def sam(office: Served, visit: Visit) -> Visitor:
    """Sam at the browser, signed in."""
    return signed_in(office, visit, SAM[0])


@pytest.fixture
def admin(office: Served, visit: Visit) -> Visitor:
    return signed_in(office, visit, ADMIN[0])
