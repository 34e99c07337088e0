"""One furnished forge for each module, and somebody who is signed in to it without typing their password again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import requests
from playwright.sync_api import Page

from dayjob.company.world import Snapshot
from tests.company.forge.pages.workshop import PASSWORD, Api, furnish
from tests.company.pages.browser import Visitor
from tests.company.serving import Served, serve

At = Callable[..., Page]
"""`at("/garden/shed", as_="maya")`: a page of the workshop, in front of somebody."""


@pytest.fixture(scope="module")
def workshop(blank: Snapshot) -> Iterator[Served]:
    with serve(blank) as served:
        furnish(served)
        yield served


@pytest.fixture(scope="module")
def api(workshop: Served) -> Api:
    return Api(workshop)


def cookie(served: Served, username: str, password: str = PASSWORD) -> dict[str, str]:
    """The session of somebody who has just signed in."""
    session = requests.Session()
    base = served.url("forge")
    answer = session.post(
        f"{base}/users/sign_in",
        {"user[login]": username, "user[password]": password},
        timeout=30,
        allow_redirects=False,
    )
    assert answer.status_code == 302
    return {"name": "_gitlab_session", "value": session.cookies["_gitlab_session"], "url": base}


@pytest.fixture
def somebody(visit: Callable[..., Visitor]) -> Callable[..., Visitor]:
    """`somebody(workshop, "sam")`: a browser in which Sam is signed in."""

    def enter(served: Served, username: str, password: str = PASSWORD, **context: object) -> Visitor:
        found = visit(served, **context)
        found.context.add_cookies([cookie(served, username, password)])  # type: ignore[list-item]  # a subset of its keys
        return found

    return enter


@pytest.fixture
def at(workshop: Served, somebody: Callable[..., Visitor]) -> At:
    known: dict[str, Visitor] = {}

    def open_page(path: str, as_: str = "sam") -> Page:
        if as_ not in known:
            known[as_] = somebody(workshop, as_)
        return known[as_].open("forge", path)

    return open_page
