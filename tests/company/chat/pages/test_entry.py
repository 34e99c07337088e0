"""The way in and out: log-in as browser agents look for it, registration, sessions that end, forms from elsewhere."""

from __future__ import annotations

import re

import pytest
import requests
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from dayjob.company.world import Snapshot
from tests.company.chat.pages.conftest import SAM, Visit
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import WORLDS, Served, serve


@pytest.fixture
def sam(office: Served, visit: Visit) -> Visitor:
    """Sam, who came in by the page."""
    visitor = visit(office)
    visitor.sign_in("chat", *SAM)
    return visitor


def test_the_log_in_page_has_two_text_fields_and_a_button_named_login(office: Served, visit: Visit) -> None:
    stranger = visit(office)
    page = stranger.open("chat")
    expect(page.get_by_role("textbox")).to_have_count(2)
    expect(page.get_by_role("button", name="Login", exact=True)).to_have_count(1)
    expect(page.get_by_role("textbox", name="Email or username")).to_be_focused()
    stranger.assert_good()
    stranger.shoot("chat-login")


@pytest.mark.parametrize("scripts", [True, False])
def test_signing_in_works_with_and_without_scripts(office: Served, visit: Visit, scripts: bool) -> None:
    stranger = visit(office, java_script_enabled=scripts)
    page = stranger.sign_in("chat", *SAM)
    expect(page).to_have_url(office.url("chat") + "/home")
    expect(page.get_by_role("heading", name="Welcome, Sam Reed")).to_be_visible()
    cookies = {one["name"]: one for one in stranger.context.cookies()}
    assert cookies["rc_token"]["httpOnly"]
    assert cookies["rc_token"]["sameSite"] == "Lax"


def test_a_wrong_password_is_refused_and_the_name_is_kept(office: Served, visit: Visit) -> None:
    stranger = visit(office)
    page = stranger.sign_in("chat", SAM[0], "wrong")
    expect(page.get_by_role("alert")).to_have_text("User not found or incorrect password")
    expect(page.get_by_role("textbox", name="Email or username")).to_have_value(SAM[0])
    stranger.expect_console("401")


def test_an_ended_session_returns_to_where_the_person_was(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general?msg=nothing")
    expect(page.get_by_role("heading", name="general")).to_be_visible()
    office.call(lambda: office.company.database("chat").execute("DELETE FROM tokens"))
    page.reload()
    expect(page.get_by_role("button", name="Login", exact=True)).to_be_visible()
    page.get_by_role("textbox", name="Email or username").fill(SAM[0])
    page.get_by_role("textbox", name="Password").fill(SAM[1])
    page.get_by_role("button", name="Login", exact=True).click()
    expect(page).to_have_url(office.url("chat") + "/channel/general?msg=nothing")
    expect(page.get_by_role("heading", name="general")).to_be_visible()


def test_a_message_sent_after_the_session_ended_leads_to_the_log_in_and_back(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    office.call(lambda: office.company.database("chat").execute("DELETE FROM tokens"))
    page.get_by_role("textbox", name="Message general").fill("too late")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("button", name="Login", exact=True)).to_be_visible()
    assert "next=/channel/general" in page.url


def test_after_log_in_nobody_is_sent_to_another_site(office: Served) -> None:
    chat = office.url("chat")
    fields = {"usernameOrEmail": SAM[0], "password": SAM[1]}
    for way in ("https://elsewhere.test/", "//elsewhere.test", "/\\elsewhere.test"):
        answer = requests.post(f"{chat}/login", fields, params={"next": way}, allow_redirects=False, timeout=10)
        assert answer.headers["location"] == "/home"


def test_logging_out_ends_the_session(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/home")
    before = sam.context.cookies()
    page.get_by_role("button", name="Account of Sam Reed").click()
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(office.url("chat") + "/login")
    kept = {one["name"]: one["value"] for one in before}
    answer = requests.get(office.url("chat") + "/directory", cookies=kept, allow_redirects=False, timeout=10)
    assert (answer.status_code, answer.headers["location"]) == (302, "/login?next=/directory")


def test_forms_without_the_sessions_token_or_from_elsewhere_are_refused(office: Served, sam: Visitor) -> None:
    chat = office.url("chat")
    cookies = {one["name"]: one["value"] for one in sam.context.cookies()}
    body = {"channel": "#general", "text": "forged"}
    assert requests.post(f"{chat}/-/post", body, cookies=cookies, timeout=10).status_code == 403
    token = sam.page.locator("meta[name=form-token]").get_attribute("content")
    elsewhere = {"origin": "http://elsewhere.test", "x-csrf-token": str(token)}
    assert requests.post(f"{chat}/-/post", body, cookies=cookies, headers=elsewhere, timeout=10).status_code == 403
    signed = {"usernameOrEmail": SAM[0], "password": SAM[1]}
    answer = requests.post(f"{chat}/login", signed, headers={"origin": "http://elsewhere.test"}, timeout=10)
    assert answer.status_code == 403
    expect(sam.open("chat", "/channel/general").get_by_text("forged")).to_have_count(0)


def test_the_api_does_not_take_the_browsers_cookies(office: Served, sam: Visitor) -> None:
    cookies = {one["name"]: one["value"] for one in sam.context.cookies()}
    answer = requests.get(office.url("chat") + "/api/v1/me", cookies=cookies, timeout=10)
    assert answer.status_code == 401


def test_who_registers_first_in_a_new_company_administers_it(
    visit: Visit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serve(WORLDS / "blank") as blank:
        founder = visit(blank)
        page = founder.open("chat")
        page.get_by_role("link", name="Create an account").click()
        founder.assert_good()
        page.get_by_label("Name", exact=True).fill("Ada Byron")
        page.get_by_label("Email").fill("ada@blank.test")
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password", exact=True).fill("one")
        page.get_by_label("Confirm password").fill("two")
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_role("alert")).to_have_text("The two passwords are not the same.")
        founder.expect_console("400")
        expect(page.get_by_label("Username")).to_have_value("ada")
        page.get_by_label("Password", exact=True).fill("one-two-three")
        page.get_by_label("Confirm password").fill("one-two-three")
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_role("heading", name="Welcome, Ada Byron")).to_be_visible()
        page.goto(blank.url("chat") + "/admin/users")
        expect(page.get_by_role("cell", name="ada", exact=True)).to_be_visible()
        founder.context.close()


def test_a_closed_company_takes_no_registrations(larkspur_pages: Snapshot) -> None:
    with serve(larkspur_pages) as served:
        settings = served.company.service("chat").store.settings  # type: ignore[attr-defined]
        served.call(settings.set, "Accounts_RegistrationForm", "Disabled")
        page = requests.get(served.url("chat") + "/", timeout=10).text
        assert "Create an account" not in page
        assert requests.get(served.url("chat") + "/register", timeout=10).status_code == 404
        fields = {"name": "X", "email": "x@y.test", "username": "x", "password": "p", "again": "p"}
        assert requests.post(served.url("chat") + "/register", fields, timeout=10).status_code == 400


def test_the_journal_tells_an_opened_room_from_one_behind_the_log_in(office: Served, visit: Visit) -> None:
    stranger = visit(office)
    stranger.open("chat", "/channel/general")
    journal = office.company.journal
    assert not office.call(journal.accessed, "chat", "/channel/general")
    stranger.sign_in("chat", *SAM, path="/channel/general")
    expect(stranger.page.get_by_role("log", name=re.compile("general"))).to_be_visible()
    assert office.call(lambda: journal.accessed("chat", "/channel/general", account="sam.reed"))


def test_a_page_from_elsewhere_hears_nothing_whatever_cookies_it_brings(office: Served, sam: Visitor) -> None:
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in sam.context.cookies())
    address = office.url("chat").replace("http:", "ws:") + "/-/live"
    for origin in (Origin("http://elsewhere.test"), None):
        with connect(address, origin=origin, additional_headers={"cookie": cookies}) as line:
            with pytest.raises(ConnectionClosed):
                line.recv(timeout=10)
            assert line.close_code == 1008
    with connect(address, origin=Origin(office.url("chat")), additional_headers={"cookie": cookies}) as line:
        line.send('{"room": "GENERAL"}')
        assert "rooms" in line.recv(timeout=10)


def test_an_ended_session_is_told_to_the_open_page(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    office.call(lambda: office.company.database("chat").execute("DELETE FROM tokens"))
    office.call(office.company.service("chat").live.close_all)  # type: ignore[attr-defined]
    expect(page.get_by_role("status")).to_contain_text("Your session has ended.")
