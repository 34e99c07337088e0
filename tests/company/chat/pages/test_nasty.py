"""Scripts in names, topics, messages, file names and Markdown are shown and never run."""

from __future__ import annotations

import pytest

from tests.company.chat.pages.conftest import Visit
from tests.company.chat.pages.test_rooms import PIXEL, said
from tests.company.pages.browser import Visitor, expect
from tests.company.pages.nasty import LINK, NAMES, PASSWORD, PICTURE, SCRIPT, TEXT
from tests.company.serving import Served

EVE = "eve.lind"


@pytest.fixture
def eve(nasty_office: Served, visit: Visit) -> Visitor:
    visitor = visit(nasty_office)
    visitor.sign_in("chat", EVE, PASSWORD)
    return visitor


@pytest.mark.parametrize(
    "path",
    ["/login", "/home", "/channel/general", "/channel/general/members-list", "/channel/general/channel-settings",
     "/directory", "/directory/users", "/user/ivo.petrov", "/account/profile", "/search?q=alert",
     "/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/direct/uma.khan",
     "/login?next=javascript:alert(1)", "/channel/%3Cscript%3Ealert(1)%3C%2Fscript%3E"],
)  # fmt: skip
def test_nothing_runs_on_any_page(eve: Visitor, path: str) -> None:
    page = eve.open("chat", path)
    page.wait_for_timeout(200)
    for element in page.locator("main a, main button, main img").all()[:25]:
        element.dispatch_event("mouseover")
    if path.startswith("/channel/%3C"):
        eve.expect_console("404")
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(one => !one.getAttributeNames().some(name => name.startsWith('on')))"
    )
    assert page.locator("a[href^='javascript:' i]").count() == 0
    eve.assert_no_console_errors()


def test_messages_arrive_live_as_text(nasty_office: Served, eve: Visitor, visit: Visit) -> None:
    ivo = visit(nasty_office)
    ivo.sign_in("chat", "ivo.petrov", PASSWORD, "/channel/general")
    page = eve.open("chat", "/channel/general")
    ivo.page.get_by_role("textbox", name="Message general").fill(f"live {TEXT}")
    ivo.page.get_by_role("button", name="Send").click()
    arrived = said(page, "live")
    expect(arrived).to_contain_text(SCRIPT)
    expect(arrived).to_contain_text(PICTURE)
    expect(arrived.locator("img, script")).to_have_count(0)


def test_a_files_name_is_only_a_name(eve: Visitor) -> None:
    page = eve.open("chat", "/channel/general")
    page.get_by_role("link", name="Upload a file").click()
    name = "<img src=x onerror=alert('ran')>.png"
    page.get_by_label("File", exact=True).set_input_files({"name": name, "mimeType": "image/png", "buffer": PIXEL})
    expect(page.get_by_role("img", name="Preview of")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("log").get_by_role("img", name=name)).to_be_visible()
    page.goto(eve.served.url("chat") + "/channel/general/uploaded-files-list")
    expect(page.get_by_role("complementary", name="Files").get_by_role("link", name=name)).to_be_visible()


def test_an_uploaded_page_does_not_run_here(nasty_office: Served, eve: Visitor) -> None:
    page = eve.open("chat", "/channel/general")
    page.get_by_role("link", name="Upload a file").click()
    body = b"<script>alert('ran')</script>"
    page.get_by_label("File", exact=True).set_input_files({"name": "x.html", "mimeType": "text/html", "buffer": body})
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    with page.expect_download() as download:
        page.get_by_role("log").get_by_role("link", name="x.html").click()
    assert download.value.suggested_filename == "x.html"


def test_completion_shows_names_as_text(eve: Visitor) -> None:
    page = eve.open("chat", "/channel/general")
    page.get_by_role("textbox", name="Message general").press_sequentially("@ivo")
    expect(page.get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("option")).to_contain_text(NAMES["ivo.petrov"])


def test_a_new_name_and_topic_are_text_too(eve: Visitor) -> None:
    page = eve.open("chat", "/account/profile")
    page.get_by_label("Bio").fill(TEXT)
    page.get_by_label("Status message").fill(SCRIPT)
    page.get_by_role("button", name="Save profile").click()
    page.goto(eve.served.url("chat") + f"/user/{EVE}")
    expect(page.get_by_role("main")).to_contain_text(LINK.partition("]")[0].lstrip("["))
    expect(page.get_by_role("main")).to_contain_text(SCRIPT)
