"""The way in: an address, then a password, then the workspace; and back to where a person was."""

from __future__ import annotations

import re

import pytest
import requests

from tests.company.board.pages.conftest import ADMIN, SAM, Place, Visit
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served


def test_a_person_signs_in_by_the_names_on_the_page_and_out_again(office: Served, visit: Visit) -> None:
    somebody = visit(office)
    page = somebody.open("board")
    somebody.assert_good()
    page.get_by_label("Email").fill(SAM[0])
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_label("Enter password")).to_be_focused()
    somebody.assert_good()
    page.get_by_label("Enter password").fill(SAM[1])
    page.get_by_role("button", name="Go to workspace").click()
    page.wait_for_url("**/larkspur/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Good morning, Sam")
    page.get_by_role("button", name="Account of Sam Reed").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    page.go_back()
    page.reload()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


@pytest.mark.parametrize(
    ("email", "password"),
    [(SAM[0], "wrong"), ("nobody@larkspur.test", "x"), ("mara.lindqvist@larkspur.test", "")],
)
def test_nobody_else_gets_in(office: Served, email: str, password: str) -> None:
    browser, url = requests.Session(), office.url("board")
    browser.post(f"{url}/sign-in/email", data={"email": email}, timeout=10)
    browser.post(f"{url}/auth/sign-in/", data={"email": email, "password": password}, timeout=10)
    assert browser.cookies.get("session-id") is None
    assert ">Continue</button>" in browser.get(f"{url}/larkspur/projects/", timeout=10).text


def test_a_wrong_address_and_a_wrong_password_say_so(office: Served, visit: Visit) -> None:
    somebody = visit(office)
    page = somebody.open("board")
    page.get_by_label("Email").fill("nobody@larkspur.test")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("No account found")
    page.get_by_label("Email").fill(SAM[0])
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Enter password").fill("wrong")
    page.get_by_role("button", name="Go to workspace").click()
    expect(page.get_by_role("alert")).to_contain_text("Invalid email or password")
    somebody.expect_console("401")


def test_signing_in_does_not_lead_elsewhere(office: Served) -> None:
    form = {"email": SAM[0], "password": SAM[1]}
    for path in ("https://evil.test/", "//evil.test/", "/\\evil.test"):
        answer = requests.post(
            f"{office.url('board')}/auth/sign-in/",
            data={**form, "next_path": path},
            allow_redirects=False,
            timeout=10,
        )
        assert answer.headers["location"] == "/"


def test_a_form_from_another_site_signs_nobody_in(office: Served) -> None:
    form = {"email": SAM[0], "password": SAM[1]}
    headers = {"origin": "https://evil.test", "sec-fetch-site": "cross-site"}
    answer = requests.post(f"{office.url('board')}/auth/sign-in/", data=form, headers=headers, timeout=10)
    assert answer.status_code == 403
    assert "session-id" not in answer.cookies


def test_an_expired_session_returns_to_where_the_person_was(office: Served, sam: Visitor, trellis: Place) -> None:
    address = f"{trellis.at}/issues/?layout=kanban&priority=high"
    page = sam.open("board", address)
    trellis.rows("DELETE FROM sessions")
    page.reload()
    expect(page.get_by_role("note")).to_contain_text("where you were")
    page.get_by_label("Email").fill(SAM[0])
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Enter password").fill(SAM[1])
    page.get_by_role("button", name="Go to workspace").click()
    expect(page).to_have_url(office.url("board") + address)


def test_a_script_that_finds_the_session_expired_goes_to_sign_in(office: Served, sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(20))
    trellis.rows("DELETE FROM sessions")
    page.get_by_role("textbox", name="Comment").fill("too late")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    assert trellis.item(20) in page.url


def test_a_form_without_its_token_changes_nothing(office: Served, trellis: Place) -> None:
    browser, url = requests.Session(), office.url("board")
    browser.post(f"{url}/auth/sign-in/", data={"email": SAM[0], "password": SAM[1]}, timeout=10)
    before = trellis.one("SELECT count(*) FROM items")
    answer = browser.post(f"{url}{trellis.at}/issues/", data={"name": "forged"}, timeout=10)
    assert answer.status_code == 403
    assert "out of date" in answer.text
    assert trellis.one("SELECT count(*) FROM items") == before


def test_who_is_in_no_workspace_learns_it(office: Served, visit: Visit, trellis: Place) -> None:
    trellis.rows(
        "UPDATE workspace_members SET is_active = 0 WHERE member = (SELECT id FROM users WHERE email = ?)", SAM[0]
    )
    somebody = visit(office)
    page = somebody.sign_in("board", *SAM)
    expect(page.get_by_role("heading", level=1)).to_have_text("You are in no workspace yet")


def test_pages_that_are_not_there_say_so(sam: Visitor, trellis: Place) -> None:
    for path in ("/elsewhere/", "/larkspur/nothing/", f"{trellis.at}/issues/no-such/", "/larkspur/browse/TREL-9999/"):
        page = sam.open("board", path)
        expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
        sam.expect_console("404")


def test_visits_are_in_the_journal_with_the_account(office: Served, sam: Visitor, trellis: Place) -> None:
    path = trellis.item_at(20)
    sam.open("board", path)
    rows = office.call(office.company.journal.requests, "board", path)
    assert [(row.account, row.status) for row in rows] == [("sam.reed", 200)]


def test_the_administrator_comes_in_too(office: Served, visit: Visit) -> None:
    page = visit(office).sign_in("board", *ADMIN)
    expect(page).to_have_url(re.compile("/larkspur/$"))
