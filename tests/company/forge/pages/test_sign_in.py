"""Signing in and out, sessions that end, and forms that only our own pages can send."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from tests.company.forge.pages.conftest import cookie
from tests.company.forge.pages.workshop import PASSWORD, SHED
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]
pytestmark = pytest.mark.xdist_group("forge-pages-sign-in")


def test_the_page_offers_what_browser_agents_look_for(workshop: Served, visit: Visit) -> None:
    sam = visit(workshop)
    page = sam.open("forge", "/users/sign_in")
    expect(page.get_by_role("textbox", name="Username or primary email")).to_be_focused()
    page.get_by_role("textbox", name="Username or primary email").fill("sam")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Invalid login or password.")
    sam.expect_console("422")
    expect(page.get_by_role("textbox", name="Username or primary email")).to_have_value("sam")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello, Sam")
    page.get_by_role("button", name="Account of Sam Reed").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    page.goto(f"{workshop.url('forge')}/dashboard/todos")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_after_a_session_ends_signing_in_leads_back_to_where_the_person_was(workshop: Served, visit: Visit) -> None:
    sam = visit(workshop)
    page = sam.sign_in("forge", "sam", PASSWORD, f"{SHED}/-/issues?label_name=bug")
    page.get_by_role("link", name="The roof leaks").click()
    page.get_by_role("textbox", name="Comment").fill("Written too late")
    workshop.call(lambda: workshop.company.service("forge").db.execute("DELETE FROM sessions"))
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("textbox", name="Username or primary email").fill("sam")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The roof leaks")
    assert page.url.endswith(f"{SHED}/-/issues/1")


def test_a_form_without_the_sessions_token_changes_nothing(workshop: Served) -> None:
    jar = {"_gitlab_session": cookie(workshop, "sam")["value"]}
    for headers in ({}, {"Origin": "http://elsewhere.test"}):
        answer = requests.post(
            f"{workshop.url('forge')}{SHED}/-/issues/1/notes",
            {"body": "forged"},
            cookies=jar,
            headers=headers,
            timeout=30,
        )
        assert answer.status_code == 422
        assert "Open the page again" in answer.text
    shown = requests.get(f"{workshop.url('forge')}{SHED}/-/issues/1", cookies=jar, timeout=30).text
    assert "forged" not in shown


def test_the_way_after_signing_in_never_leaves_the_forge(workshop: Served) -> None:
    for way in ("//elsewhere.test", "http://elsewhere.test/", "/\\elsewhere.test"):
        answer = requests.post(
            f"{workshop.url('forge')}/users/sign_in", params={"redirect_to": way},
            data={"user[login]": "sam", "user[password]": PASSWORD}, timeout=30, allow_redirects=False,
        )  # fmt: skip
        assert answer.headers["location"] == "/"


def test_a_visitor_sees_what_is_public_and_is_asked_to_sign_in_for_the_rest(workshop: Served, visit: Visit) -> None:
    nobody = visit(workshop)
    page = nobody.open("forge", "/explore/projects")
    expect(page.get_by_role("heading", name="No projects")).to_be_visible()
    page = nobody.open("forge", SHED)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    missing = nobody.open("forge", "/nobody/nothing")
    nobody.expect_console("404")
    expect(missing.get_by_role("heading", level=1)).to_have_text("Page not found")
