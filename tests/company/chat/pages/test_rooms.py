"""Rooms: messages that arrive by themselves, writing, threads, reactions, editing, pins, stars, files, members."""

from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import Locator, Page
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from tests.company.chat.pages.conftest import SAM, Visit, colleague
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def said(page: Page, text: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("log").get_by_role("listitem").filter(has_text=text)


def say(page: Page, text: str, room: str = "general") -> Locator:
    page.get_by_role("textbox", name=f"Message {room}").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(said(page, text)).to_be_visible()
    return said(page, text)


def more(page: Page, message: Locator, action: str) -> None:
    message.hover()
    message.get_by_role("link", name=re.compile("More actions")).click()
    page.get_by_role("dialog").get_by_role("button", name=action, exact=True).click()


def latest(office: Served, sql: str) -> list[tuple[object, ...]]:
    return office.call(lambda: office.company.database("chat").execute(sql).fetchall())  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", ["/home", "/channel/general", "/channel/general/members-list", "/channel/launch"])
def test_rooms_are_good_pages(sam: Visitor, path: str) -> None:
    sam.open("chat", path)
    sam.assert_good()


def test_a_message_is_sent_without_a_reload_and_kept(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    page.evaluate("window.kept = true")
    page.get_by_role("textbox", name="Message general").fill("Good morning, all of you :wave:")
    page.get_by_role("textbox", name="Message general").press("Enter")
    expect(said(page, "Good morning, all of you 👋")).to_be_visible()
    assert page.evaluate("window.kept")
    expect(page.get_by_role("textbox", name="Message general")).to_have_value("")
    page.reload()
    expect(said(page, "Good morning, all of you 👋")).to_be_visible()
    assert latest(office, "SELECT username, text FROM messages ORDER BY seq DESC LIMIT 1") == [
        ("sam.reed", "Good morning, all of you :wave:")
    ]


def test_a_message_can_be_sent_without_scripts(office: Served, visit: Visit) -> None:
    plain = visit(office, java_script_enabled=False)
    page = plain.sign_in("chat", *SAM, path="/channel/general")
    page.get_by_role("textbox", name="Message general").fill("no scripts here")
    page.get_by_role("button", name="Send").click()
    expect(said(page, "no scripts here")).to_be_visible()
    expect(page).to_have_url(office.url("chat") + "/channel/general")


def test_what_a_colleague_writes_edits_and_deletes_is_seen_without_a_reload(sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/channel/general")
    expect(page.get_by_role("log")).to_be_visible()
    sent = mara.chat_post_message("The *checklist* is done.", channel="general")
    sent = sent if isinstance(sent, dict) else sent.json()
    expect(said(page, "The checklist is done.")).to_be_visible()
    expect(said(page, "The checklist is done.").locator("strong", has_text="checklist")).to_be_visible()
    mara.chat_update(sent["message"]["rid"], sent["message"]["_id"], "The checklist is nearly done.")
    expect(said(page, "nearly done")).to_contain_text("(edited)")
    mara.chat_delete(sent["message"]["rid"], sent["message"]["_id"])
    expect(said(page, "nearly done")).to_have_count(0)


def test_unread_rooms_are_marked_and_counted_and_reading_clears_them(sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/home")
    mara.chat_post_message("Have you a minute?", channel="@sam.reed")
    mara.chat_post_message("Or two?", channel="@sam.reed")
    mara.chat_post_message("News for all", channel="launch")
    rooms = page.get_by_role("navigation", name="Chat")
    expect(rooms.get_by_role("link", name=re.compile("Mara Lindqvist.*2 unread"))).to_be_visible()
    expect(rooms.get_by_role("link", name=re.compile("launch.*unread"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="Unread").get_by_role("link")).to_have_count(2)
    rooms.get_by_role("link", name=re.compile("Mara Lindqvist")).click()
    expect(page.get_by_text("New messages", exact=True)).to_be_visible()
    expect(said(page, "Or two?")).to_be_visible()
    page.goto(sam.served.url("chat") + "/home")
    expect(page.get_by_role("region", name="Unread").get_by_role("link")).to_have_count(1)


def test_a_room_in_which_nothing_happened_stays_the_same_link(sam: Visitor, mara: RocketChat) -> None:
    """Whoever read the page a moment ago, a screen reader or an agent's browser, still finds what it read there."""
    page = sam.open("chat", "/home")
    rooms = page.get_by_role("navigation", name="Chat")
    quiet = rooms.get_by_role("link", name="general").element_handle()
    loud = rooms.get_by_role("link", name="launch").element_handle()
    mara.chat_post_message("News for all", channel="launch")
    expect(rooms.get_by_role("link", name=re.compile("launch.*unread"))).to_be_visible()
    assert quiet is not None
    assert loud is not None
    assert quiet.evaluate("one => one.isConnected")
    assert not loud.evaluate("one => one.isConnected")


def test_a_message_in_the_open_room_does_not_stay_unread(office: Served, sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/channel/launch")
    mara.chat_post_message("Look, @sam.reed", channel="launch")
    expect(said(page, "Look, @sam.reed")).to_be_visible()
    page.wait_for_timeout(300)
    count = "SELECT m.unread FROM memberships m JOIN users u ON u.id = m.user_id JOIN rooms r ON r.id = m.room_id "
    assert latest(office, count + "WHERE u.username = 'sam.reed' AND r.name = 'launch'") == [(0,)]


def test_names_are_completed_from_the_keyboard(sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    field = page.get_by_role("textbox", name="Message general")
    field.press_sequentially("Thanks @mar")
    expect(page.get_by_role("listbox", name="People").get_by_role("option").first).to_contain_text("@mara.lindqvist")
    field.press("Enter")
    expect(field).to_have_value("Thanks @mara.lindqvist ")
    field.press_sequentially("see #lau")
    expect(page.get_by_role("listbox", name="Channels")).to_be_visible()
    field.press("Tab")
    expect(field).to_have_value("Thanks @mara.lindqvist see #launch ")
    field.press("Enter")
    message = said(page, "Thanks @mara.lindqvist see #launch")
    expect(message.get_by_role("link", name="@mara.lindqvist")).to_have_attribute("href", "/user/mara.lindqvist")
    expect(message.get_by_role("link", name="#launch")).to_have_attribute("href", "/channel/launch")


def test_earlier_messages_are_loaded_on_scrolling_up(office: Served, sam: Visitor, mara: RocketChat) -> None:
    for number in range(120):
        mara.chat_post_message(f"line {number}.", channel="random")
    page = sam.open("chat", "/channel/random")
    page.goto(office.url("chat") + "/channel/random")
    expect(said(page, "line 119.")).to_be_visible()
    expect(said(page, "line 10.")).to_have_count(0)
    for _ in range(6):
        page.get_by_role("log").hover()
        page.mouse.wheel(0, -20000)
        page.wait_for_timeout(250)
    expect(said(page, "line 10.")).to_have_count(1)
    numbers = [int(one) for one in re.findall(r"line (\d+)\.", page.get_by_role("log").inner_text())]
    assert numbers == sorted(numbers)
    assert len(numbers) == 120


def test_a_link_to_an_old_message_shows_it_in_its_place(sam: Visitor, mara: RocketChat) -> None:
    sent = mara.chat_post_message("the needle", channel="random")
    sent = sent if isinstance(sent, dict) else sent.json()
    for number in range(60):
        mara.chat_post_message(f"hay {number}", channel="random")
    page = sam.open("chat", f"/channel/random?msg={sent['message']['_id']}")
    expect(said(page, "the needle")).to_be_in_viewport()
    page.get_by_role("link", name="Go to the newest messages").click()
    expect(said(page, "hay 59")).to_be_in_viewport()


def test_threads_open_beside_the_room_and_grow_live(sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/channel/general")
    message = say(page, "Who has the key?")
    message.hover()
    message.get_by_role("link", name="Reply in thread").click()
    panel = page.get_by_role("complementary", name="Thread")
    expect(page).to_have_url(re.compile(r"/channel/general/thread/\w+$"))
    panel.get_by_role("textbox", name="Reply in thread").fill("I do, sorry.")
    panel.get_by_role("button", name="Send").click()
    expect(panel.get_by_role("listitem").filter(has_text="I do, sorry.")).to_be_visible()
    expect(message.get_by_role("link", name="1 reply")).to_be_visible()
    root = page.url.rpartition("/")[2]
    mara.chat_post_message("Bring it back.", channel="general", tmid=root)
    expect(panel.get_by_role("listitem").filter(has_text="Bring it back.")).to_be_visible()
    expect(message.get_by_role("link", name="2 replies")).to_be_visible()
    sam.assert_good()
    panel.get_by_role("link", name="Close Thread").click()
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Room options").click()
    page.get_by_role("link", name="Threads").last.click()
    expect(page.get_by_role("complementary", name="Threads")).to_contain_text("Who has the key?")


def test_reactions_are_picked_toggled_and_counted(office: Served, sam: Visitor, mara: RocketChat) -> None:
    page = sam.open("chat", "/channel/general")
    message = say(page, "Cake in the kitchen")
    message.hover()
    message.get_by_role("link", name="React to Sam Reed").click()
    sam.assert_accessible()
    page.get_by_role("dialog", name="React").get_by_role("button", name="cake").click()
    chip = message.get_by_role("button", name=re.compile("cake by you"))
    expect(chip).to_have_text("🍰 1")
    id = latest(office, "SELECT id FROM messages ORDER BY seq DESC LIMIT 1")[0][0]
    mara.chat_react(id, ":cake:")
    expect(message.get_by_role("button", name=re.compile("cake by you, Mara"))).to_have_text("🍰 2")
    message.get_by_role("button", name=re.compile("cake")).click()
    expect(message.get_by_role("button", name=re.compile("cake by Mara"))).to_have_text("🍰 1")


def test_own_messages_are_edited_and_deleted(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    message = say(page, "Lunch at noon")
    message.hover()
    message.get_by_role("link", name=re.compile("More actions")).click()
    page.get_by_role("dialog").get_by_role("link", name="Edit").click()
    sam.assert_accessible()
    page.get_by_role("textbox", name="Message", exact=True).fill("Lunch at one")
    page.get_by_role("button", name="Save").click()
    changed = said(page, "Lunch at one")
    expect(changed).to_contain_text("(edited)")
    more(page, changed, "Delete")
    page.get_by_role("dialog", name="Are you sure?").get_by_role("button", name="Delete").click()
    expect(changed).to_have_count(0)
    assert latest(office, "SELECT count(*) FROM messages WHERE text LIKE 'Lunch at%'") == [(0,)]


def test_others_messages_offer_neither_editing_nor_deleting(sam: Visitor, mara: RocketChat) -> None:
    mara.chat_post_message("Mine alone", channel="general")
    page = sam.open("chat", "/channel/general")
    message = said(page, "Mine alone")
    message.hover()
    message.get_by_role("link", name=re.compile("More actions")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Star")).to_be_visible()
    expect(dialog.get_by_role("link", name="Edit")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Delete")).to_have_count(0)


def test_stars_are_found_again(sam: Visitor, mara: RocketChat) -> None:
    mara.chat_post_message("Remember the milk", channel="general")
    page = sam.open("chat", "/channel/general")
    more(page, said(page, "Remember the milk"), "Star")
    expect(said(page, "Remember the milk")).to_contain_text("Starred")
    page.get_by_role("button", name="Room options").click()
    page.get_by_role("link", name="Starred messages").click()
    panel = page.get_by_role("complementary", name="Starred")
    expect(panel).to_contain_text("Remember the milk")
    sam.assert_good()
    page.get_by_role("link", name="Close Starred").click()
    more(page, said(page, "Remember the milk"), "Remove star")
    expect(said(page, "Remember the milk")).not_to_contain_text("Starred")


def test_keepers_pin_and_everybody_finds_the_pin(office: Served, admin: Visitor, sam: Visitor) -> None:
    page = admin.open("chat", "/channel/general")
    message = say(page, "Fire drill on Friday")
    more(page, message, "Pin")
    expect(said(page, "Fire drill on Friday").first).to_contain_text("Pinned")
    theirs = sam.open("chat", "/channel/general/pinned-messages")
    expect(theirs.get_by_role("complementary", name="Pinned")).to_contain_text("Fire drill on Friday")


def test_a_picture_is_previewed_sent_and_shown(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/channel/general")
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "plan.png", "mimeType": "image/png", "buffer": PIXEL}
    )
    expect(page.get_by_role("img", name="Preview of plan.png")).to_be_visible()
    sam.assert_accessible()
    page.get_by_role("textbox", name="Message", exact=True).fill("The plan")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    message = said(page, "The plan")
    expect(message.get_by_role("img", name="plan.png")).to_be_visible()
    assert message.get_by_role("img", name="plan.png").evaluate("one => one.naturalWidth") == 1
    page.goto(office.url("chat") + "/channel/general/uploaded-files-list")
    expect(page.get_by_role("complementary", name="Files").get_by_role("link", name="plan.png")).to_be_visible()


def test_a_file_that_is_too_large_is_refused_in_words_and_nothing_is_lost(office: Served, sam: Visitor) -> None:
    settings = office.company.service("chat").store.settings  # type: ignore[attr-defined]
    office.call(settings.set, "FileUpload_MaxFileSize", 1000)
    page = sam.open("chat", "/channel/general")
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "big.bin", "mimeType": "text/plain", "buffer": b"x" * 5000}
    )
    page.get_by_role("textbox", name="Message", exact=True).fill("Too much")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("more than this server takes: at most 1.0 KB")
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("Too much")
    sam.expect_console("413")


def test_the_first_message_to_somebody_opens_the_conversation(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/home")
    rooms = "SELECT count(*) FROM rooms WHERE type = 'd'"
    before = latest(office, rooms)
    page.get_by_role("link", name="Write to somebody").click()
    page.get_by_role("combobox", name="To").fill("mara.lindqvist")
    page.get_by_role("button", name="Write").click()
    expect(page).to_have_url(office.url("chat") + "/direct/mara.lindqvist")
    expect(page.get_by_text("No messages yet")).to_be_visible()
    sam.assert_good()
    assert latest(office, rooms) == before
    say(page, "Hello Mara", "Mara Lindqvist")
    expect(page.get_by_role("navigation", name="Chat").get_by_role("link", name="Mara Lindqvist")).to_be_visible()
    assert latest(office, rooms) == [(int(str(before[0][0])) + 1,)]


def test_several_people_are_written_to_at_once(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/home")
    page.get_by_role("navigation", name="Chat").get_by_role("link", name="New message").click()
    page.get_by_role("combobox", name="To").fill("mara.lindqvist, tomas.okafor")
    page.get_by_role("button", name="Write").click()
    expect(page.get_by_role("heading", name="Mara Lindqvist, Tomas Okafor")).to_be_visible()
    say(page, "Lunch, the three of us?", "Mara Lindqvist, Tomas Okafor")
    people = "SELECT count(*) FROM memberships m JOIN rooms r ON r.id = m.room_id WHERE r.id = "
    assert latest(office, people + "(SELECT room_id FROM messages ORDER BY seq DESC LIMIT 1)") == [(3,)]


def test_a_channel_is_made_with_people_and_a_topic(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/home")
    page.get_by_role("link", name="New channel").click()
    sam.assert_accessible()
    dialog = page.get_by_role("dialog", name="New channel")
    dialog.get_by_label("Name").fill("spring party")
    dialog.get_by_label("Topic").fill("Tulips and *music*")
    dialog.get_by_label("Add people").fill("mara.lindqvist, @tomas.okafor")
    dialog.get_by_role("button", name="Create").click()
    expect(page).to_have_url(office.url("chat") + "/channel/spring-party")
    expect(page.get_by_role("banner").or_(page.locator(".room-head"))).not_to_have_count(0)
    expect(page.locator(".room-head")).to_contain_text("Tulips and music")
    page.get_by_role("link", name="Members").click()
    people = page.get_by_role("complementary", name="Members")
    for name in ("Sam Reed", "Mara Lindqvist", "Tomas Okafor"):
        expect(people.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_a_private_group_is_hidden_from_those_outside(office: Served, sam: Visitor, visit: Visit) -> None:
    page = sam.open("chat", "/-/rooms/new")
    page.get_by_label("Name").fill("surprise")
    page.get_by_label("Private").check()
    page.get_by_role("button", name="Create").click()
    expect(page).to_have_url(office.url("chat") + "/group/surprise")
    say(page, "Not a word to Ines", "surprise")
    outsider = visit(office)
    token = colleague(office, "ines.carvalho").headers
    outsider.context.add_cookies(
        [
            {"name": name, "value": token[header], "url": office.url("chat")}
            for name, header in (("rc_token", "X-Auth-Token"), ("rc_uid", "X-User-Id"))
        ]
    )
    theirs = outsider.open("chat", "/group/surprise")
    expect(theirs.get_by_role("heading", name="Page not found")).to_be_visible()
    outsider.expect_console("404")
    theirs.goto(office.url("chat") + "/search?q=word")
    expect(theirs.get_by_text("Not a word to Ines")).to_have_count(0)


def test_people_are_added_removed_and_leave(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/-/rooms/new")
    page.get_by_label("Name").fill("garden")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("link", name="Members").click()
    page.get_by_role("link", name="Add people").click()
    page.get_by_role("combobox", name="People").fill("nobody.atall")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Nobody here is called nobody.atall.")
    sam.expect_console("400")
    page.get_by_role("combobox", name="People").fill("mara.lindqvist")
    page.get_by_role("button", name="Add", exact=True).click()
    people = page.get_by_role("complementary", name="Members")
    expect(people.get_by_role("link", name="Mara Lindqvist", exact=True)).to_be_visible()
    people.get_by_role("button", name="Remove Mara Lindqvist").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(people.get_by_role("link", name="Mara Lindqvist", exact=True)).to_have_count(0)
    page.goto(office.url("chat") + "/channel/launch")
    page.get_by_role("button", name="Room options").click()
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("dialog", name="Are you sure?").get_by_role("button", name="Leave").click()
    expect(page).to_have_url(office.url("chat") + "/home")
    expect(page.get_by_role("navigation", name="Chat").get_by_role("link", name="launch")).to_have_count(0)


def test_a_channel_is_read_before_it_is_joined(office: Served, sam: Visitor, mara: RocketChat) -> None:
    mara.channels_create("lobby")
    mara.chat_post_message("Come in", channel="lobby")
    page = sam.open("chat", "/channel/lobby")
    expect(said(page, "Come in")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message lobby")).to_have_count(0)
    page.get_by_role("button", name="Join channel").click()
    expect(page.get_by_role("textbox", name="Message lobby")).to_be_visible()
    expect(said(page, "joined the channel")).to_be_visible()


def test_the_topic_is_edited_and_the_room_says_so(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/-/rooms/new")
    page.get_by_label("Name").fill("books")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Room options").click()
    page.get_by_role("link", name="Edit topic").click()
    sam.assert_accessible()
    page.get_by_label("Topic").fill("What we read")
    page.get_by_label("Description").fill("One book a month")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".room-head")).to_contain_text("What we read")
    expect(said(page, "changed the topic to “What we read”")).to_be_visible()
    page.get_by_role("button", name="Room options").click()
    page.get_by_role("link", name="Room information").click()
    expect(page.get_by_role("complementary", name="Room information")).to_contain_text("One book a month")
    sam.assert_good()


def test_a_favorite_stands_first(sam: Visitor) -> None:
    page = sam.open("chat", "/channel/random")
    page.get_by_role("button", name="Favorite").click()
    expect(page.get_by_role("region", name="Favorites").get_by_role("link", name="random")).to_be_visible()
    expect(page.get_by_role("button", name="Favorite")).to_have_attribute("aria-pressed", "true")


def test_a_colleague_is_answered_with_the_keyboard_alone(sam: Visitor, mara: RocketChat) -> None:
    mara.chat_post_message("Sam, are you there?", channel="@sam.reed")
    page = sam.open("chat", "/home")
    link = page.get_by_role("navigation", name="Chat").get_by_role("link", name=re.compile("Mara Lindqvist"))
    for _ in range(40):
        page.keyboard.press("Tab")
        if link.evaluate("one => one === document.activeElement"):
            break
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Message Mara Lindqvist")).to_be_focused()
    page.keyboard.type("Yes, here.")
    page.keyboard.press("Enter")
    expect(said(page, "Yes, here.")).to_be_visible()


def test_seven_tabs_hear_what_is_said(sam: Visitor, mara: RocketChat) -> None:
    pages = [sam.page, *(sam.new_page() for _ in range(6))]
    for page in pages:
        page.goto(sam.served.url("chat") + "/channel/general")
    mara.chat_post_message("Heard everywhere?", channel="general")
    for page in pages:
        expect(said(page, "Heard everywhere?")).to_have_count(1)


def test_what_is_said_while_the_line_is_down_arrives_when_it_is_back(
    office: Served, sam: Visitor, mara: RocketChat
) -> None:
    page = sam.open("chat", "/channel/general")
    first = mara.chat_post_message("Before the storm", channel="general")
    first = first if isinstance(first, dict) else first.json()
    expect(said(page, "Before the storm")).to_be_visible()
    office.call(office.company.service("chat").live.close_all)  # type: ignore[attr-defined]
    mara.chat_post_message("After the storm", channel="general")
    mara.chat_delete(first["message"]["rid"], first["message"]["_id"])
    expect(said(page, "After the storm")).to_have_count(1, timeout=15_000)
    expect(said(page, "Before the storm")).to_have_count(0)
