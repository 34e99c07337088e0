"""Sam, who works here; Mara, a colleague who speaks through the API; and the administrator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from tests.company.pages.browser import Visitor
from tests.company.serving import Served

Visit = Callable[..., Visitor]
SAM = ("sam.reed", "sam-reed-first-day")
ADMIN = ("larkspur.admin", "admin-of-larkspur-chat")


def colleague(office: Served, username: str = "mara.lindqvist") -> RocketChat:
    """Somebody else of the company, signed in through the API."""
    token = office.call(office.company.service("chat").store.accounts.mint_token, username)  # type: ignore[attr-defined]
    client = RocketChat(server_url=office.url("chat"))
    client.headers["X-Auth-Token"] = token
    user_id = office.call(
        lambda: office.company.database("chat").execute("SELECT id FROM users WHERE username = ?", (username,))
    ).fetchone()[0]
    client.headers["X-User-Id"] = user_id
    return client


@pytest.fixture
def mara(office: Served) -> RocketChat:
    return colleague(office)


@pytest.fixture
def sam(office: Served, visit: Visit) -> Visitor:
    """Sam at the browser, signed in."""
    visitor = visit(office)
    visitor.sign_in("chat", *SAM)
    return visitor


@pytest.fixture
def admin(office: Served, visit: Visit) -> Visitor:
    visitor = visit(office)
    visitor.sign_in("chat", *ADMIN)
    return visitor
