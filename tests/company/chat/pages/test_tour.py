"""A first hour in chat: what a newcomer sees and does, in few clicks. The documentation's pictures are taken here."""

from __future__ import annotations

import re

from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from tests.company.chat.pages.conftest import SAM, Visit
from tests.company.chat.pages.test_rooms import said, say
from tests.company.pages.browser import NARROW, Visitor, expect
from tests.company.serving import Served


def test_a_colleague_is_answered_within_five_clicks_of_the_log_in(
    office: Served, visit: Visit, mara: RocketChat
) -> None:
    mara.chat_post_message("Welcome! Can you look at the launch checklist today?", channel="@sam.reed")
    sam = visit(office)
    page = sam.open("chat")
    page.get_by_role("textbox", name="Email or username").fill(SAM[0])
    page.get_by_role("textbox", name="Password").fill(SAM[1])
    page.get_by_role("button", name="Login", exact=True).click()
    sam.shoot("chat-home")
    page.get_by_role("region", name="Unread").get_by_role("link", name="Mara Lindqvist").click()
    page.get_by_role("textbox", name="Message Mara Lindqvist").fill("Of course, this morning.")
    page.get_by_role("button", name="Send").click()
    expect(said(page, "Of course, this morning.")).to_be_visible()
    sam.shoot("chat-direct")


def test_a_tour_of_the_main_pages(office: Served, sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/channel/general")
    sent = mara.chat_post_message(
        "The *launch checklist* is in #launch. Three things are open:\n- [x] costs reviewed\n- [ ] help page\n"
        "- [ ] `trellis` 2.0 tagged\n\n@sam.reed, could you take the help page?",
        channel="general",
    )
    sent = sent if isinstance(sent, dict) else sent.json()
    mara.chat_react(sent["message"]["_id"], ":seedling:")
    say(page, "I will take the help page today.")
    expect(said(page, "Three things are open").get_by_role("checkbox")).to_have_count(3)
    sam.shoot("chat-room")
    page.emulate_media(color_scheme="dark")
    sam.shoot("chat-room-dark")
    page.emulate_media(color_scheme="light")

    mara.chat_post_message("Thank you. The draft is on the drive.", channel="general", tmid=sent["message"]["_id"])
    said(page, "Three things are open").get_by_role("link", name=re.compile(r"^\d+ repl")).click()
    expect(page.get_by_role("complementary", name="Thread")).to_contain_text("The draft is on the drive.")
    sam.shoot("chat-thread")

    page.goto(office.url("chat") + "/directory/users")
    expect(page.get_by_role("heading", name="Directory")).to_be_visible()
    sam.shoot("chat-directory")
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    page.goto(office.url("chat") + "/channel/general")
    expect(said(page, "I will take the help page today.")).to_be_in_viewport()
    sam.shoot("chat-room-narrow")
    page.get_by_role("button", name="Show navigation").click()
    expect(page.get_by_role("navigation", name="Chat").get_by_role("link", name="launch")).to_be_visible()
    sam.shoot("chat-rooms-narrow")


def test_the_administrators_view(admin: Visitor) -> None:
    page = admin.open("chat", "/admin/users")
    expect(page.get_by_role("row", name=re.compile("sam.reed"))).to_be_visible()
    admin.shoot("chat-users")


def test_looking_around_changes_nothing_that_a_grader_would_see(office: Served, sam: Visitor, mara: RocketChat) -> None:
    for path in ("/home", "/channel/general", "/channel/launch/members-list", "/direct/tomas.okafor", "/directory",
                 "/search?q=launch", "/user/mara.lindqvist", "/account/profile", "/-/rooms/new"):  # fmt: skip
        sam.open("chat", path)
    sam.page.wait_for_timeout(300)
    assert office.call(lambda: [one.words for one in office.company.changes("chat")]) == []


def test_what_is_done_on_pages_is_in_the_journal_as_ones_own(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    say(page, "Noted.")
    assert office.call(lambda: [one.words for one in office.company.changes("chat")]) == [
        'sam.reed posted "Noted." in #general'
    ]
    accessed = office.company.journal.accessed
    assert office.call(lambda: accessed("chat", "/channel/general", account="sam.reed", method="GET"))
    assert office.call(lambda: accessed("chat", "/-/post", account="sam.reed", method="POST"))
    assert not office.call(lambda: accessed("chat", "/channel/launch"))
