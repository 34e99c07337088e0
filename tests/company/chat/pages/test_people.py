"""People: the directory, search, profiles, one's own account, and the administration of accounts."""

from __future__ import annotations

import re

import pytest
from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from tests.company.chat.pages.conftest import SAM, Visit
from tests.company.chat.pages.test_rooms import PIXEL
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served


@pytest.mark.parametrize(
    "path",
    ["/directory", "/directory/users", "/search?q=launch", "/search?q=nosuchword", "/user/mara.lindqvist",
     "/account/profile", "/-/rooms/new", "/-/direct/new"],
)  # fmt: skip
def test_pages_about_people_are_good(sam: Visitor, path: str) -> None:
    sam.open("chat", path)
    sam.assert_good()


@pytest.mark.parametrize(
    "path",
    ["/admin/users", "/admin/users/new", "/admin/rooms", "/admin/rooms?filter=nowhere", "/admin/rooms/edit/GENERAL"],
)
def test_the_administration_is_good(admin: Visitor, path: str) -> None:
    admin.open("chat", path)
    admin.assert_good()


def test_the_directory_finds_people_and_channels_to_join(office: Served, sam: Visitor, mara: RocketChat) -> None:
    mara.channels_create("watering")
    page = sam.open("chat", "/home")
    page.get_by_role("navigation", name="Chat").get_by_role("link", name="Directory").click()
    page.get_by_role("searchbox", name="Filter the directory").fill("water")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("button", name="Join watering").click()
    expect(page).to_have_url(office.url("chat") + "/channel/watering")
    page.goto(office.url("chat") + "/directory/users?filter=mara")
    page.get_by_role("link", name="Write to Mara Lindqvist").click()
    expect(page.get_by_role("textbox", name="Message Mara Lindqvist")).to_be_visible()


def test_search_finds_rooms_people_and_messages_one_may_read(sam: Visitor, mara: RocketChat) -> None:
    mara.groups_create("vault")
    mara.chat_post_message("the quincejelly is hidden", channel="vault")
    mara.chat_post_message("quincejelly for everybody", channel="general")
    page = sam.open("chat", "/home")
    page.get_by_role("searchbox", name=re.compile("Search")).fill("quincejelly")
    page.keyboard.press("Enter")
    found = page.get_by_role("region", name="Messages", exact=True)
    expect(found.get_by_role("listitem")).to_have_count(1)
    found.get_by_role("link", name=re.compile("Show the message of Mara Lindqvist")).click()
    expect(page.get_by_role("log").get_by_text("quincejelly for everybody")).to_be_in_viewport()
    page.goto(sam.served.url("chat") + "/search?q=mara")
    expect(page.get_by_role("region", name="People").get_by_role("link", name="Mara Lindqvist").first).to_be_visible()
    page.goto(sam.served.url("chat") + "/search?q=laun")
    expect(page.get_by_role("region", name="Rooms").get_by_role("link", name="launch")).to_be_visible()
    page.goto(sam.served.url("chat") + "/search?q=vault")
    expect(page.get_by_role("region", name="Rooms")).to_have_count(0)


def test_the_own_profile_is_changed(office: Served, sam: Visitor) -> None:
    page = sam.open("chat", "/home")
    page.get_by_role("button", name="Account of Sam Reed").click()
    page.get_by_role("link", name="Profile").click()
    page.get_by_label("Name", exact=True).fill("Sam R. Reed")
    page.get_by_label("Bio").fill("Plants & people")
    page.get_by_label("Status", exact=True).select_option("busy")
    page.get_by_label("Status message").fill("Reading the handbook")
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_role("status")).to_contain_text("Profile saved.")
    page.goto(office.url("chat") + "/user/sam.reed")
    expect(page.get_by_role("heading", name="Sam R. Reed")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Plants & people")
    expect(page.get_by_role("main")).to_contain_text("busy · Reading the handbook")


def test_a_name_that_is_taken_is_refused_in_a_sentence(sam: Visitor) -> None:
    page = sam.open("chat", "/account/profile")
    page.get_by_label("Username").fill("mara.lindqvist")
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_text("mara.lindqvist is already in use")).to_be_visible()
    sam.expect_console("400")


def test_the_password_is_changed_with_the_old_one_only(office: Served, sam: Visitor, visit: Visit) -> None:
    page = sam.open("chat", "/account/profile")
    for current, status in (("wrong", "403"), (SAM[1], "")):
        page.get_by_label("Current password").fill(current)
        page.get_by_label("New password", exact=True).fill("second-day")
        page.get_by_label("New password again").fill("second-day")
        page.get_by_role("button", name="Change password").click()
        if status:
            expect(page.get_by_text("The current password is wrong.")).to_be_visible()
            sam.expect_console(status)
            page.go_back()
        else:
            expect(page.get_by_role("status")).to_contain_text("Password changed.")
    again = visit(office)
    again.sign_in("chat", SAM[0], "second-day")
    expect(again.page.get_by_role("heading", name="Welcome, Sam Reed")).to_be_visible()


def test_a_picture_takes_the_place_of_the_initials_and_goes_again(sam: Visitor) -> None:
    page = sam.open("chat", "/account/profile")
    page.get_by_label("New picture").set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": PIXEL})
    page.get_by_role("button", name="Change picture").click()
    expect(page.get_by_role("status")).to_contain_text("Picture changed.")
    picture = page.locator("img.avatar.huge")
    assert picture.evaluate("one => one.complete && one.naturalWidth") == 1
    page.get_by_role("button", name="Remove picture").click()
    expect(picture).to_have_count(0)


def test_an_administrator_adds_changes_and_locks_accounts(office: Served, admin: Visitor, visit: Visit) -> None:
    page = admin.open("chat", "/home")
    page.get_by_role("button", name=re.compile("Account of")).click()
    page.get_by_role("link", name="Users").click()
    page.get_by_role("link", name="Add user").click()
    dialog = page.get_by_role("dialog", name="Add user")
    dialog.get_by_label("Name", exact=True).fill("Nina Berg")
    dialog.get_by_label("Username").fill("nina.berg")
    dialog.get_by_label("Email").fill("nina@larkspur.test")
    dialog.get_by_label("Password", exact=True).fill("first")
    dialog.get_by_role("button", name="Create account").click()
    row = page.get_by_role("row", name=re.compile("nina.berg"))
    expect(row).to_contain_text("Active")

    row.get_by_role("link", name="Edit nina.berg").click()
    account = page.get_by_role("dialog", name="Nina Berg")
    account.get_by_role("checkbox", name="Admin").check()
    account.get_by_role("button", name="Save account").click()
    expect(row).to_contain_text("admin")

    row.get_by_role("link", name="Edit nina.berg").click()
    account.get_by_label("New password").fill("second")
    account.get_by_role("button", name="Reset password").click()
    expect(page.get_by_role("status")).to_contain_text("nina.berg has another password.")
    nina = visit(office)
    nina.sign_in("chat", "nina.berg", "second")
    expect(nina.page.get_by_role("heading", name="Welcome, Nina Berg")).to_be_visible()

    row.get_by_role("link", name="Edit nina.berg").click()
    account.get_by_role("button", name="Deactivate").click()
    expect(row).to_contain_text("Deactivated")
    nina.page.reload()
    expect(nina.page.get_by_role("button", name="Login", exact=True)).to_be_visible()


def test_an_administrator_finds_changes_archives_and_deletes_rooms(admin: Visitor, sam: Visitor) -> None:
    page = admin.open("chat", "/home")
    page.get_by_role("button", name=re.compile("Account of")).click()
    page.get_by_role("link", name="Rooms").click()
    page.get_by_role("searchbox", name="Filter rooms").fill("laun")
    page.get_by_role("combobox", name="Type").select_option("Channel")
    page.get_by_role("button", name="Filter", exact=True).click()
    row = page.get_by_role("row", name=re.compile("launch"))
    expect(page.get_by_role("row")).to_have_count(2)
    row.get_by_role("link", name="Edit launch").click()
    room = page.get_by_role("dialog", name="launch")
    expect(room).to_contain_text("owned by mara.lindqvist")
    room.get_by_label("Topic").fill("Monday, for certain")
    room.get_by_role("checkbox", name="Archived").check()
    room.get_by_role("button", name="Save room").click()
    expect(page.get_by_role("status")).to_contain_text("launch has been changed.")
    seen = sam.open("chat", "/channel/launch")
    expect(seen.get_by_text("Monday, for certain").first).to_be_visible()

    page = admin.open("chat", "/admin/rooms?filter=launch")
    expect(row).to_contain_text("Archived")
    row.get_by_role("link", name="Edit launch").click()
    expect(room.get_by_label("Topic")).to_have_value("Monday, for certain")
    room.get_by_role("button", name="Delete room").click()
    page.get_by_role("dialog", name="Are you sure?").get_by_role("button", name="Delete room").click()
    expect(page.get_by_role("status")).to_contain_text("launch has been deleted.")
    page = admin.open("chat", "/admin/rooms?filter=launch")
    expect(page.get_by_text("No room fits.")).to_be_visible()


@pytest.mark.parametrize("path", ["/admin/users", "/admin/rooms", "/admin/rooms/edit/GENERAL"])
def test_ordinary_people_do_not_see_the_administration(sam: Visitor, path: str) -> None:
    page = sam.open("chat", path)
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    sam.expect_console("403")
    page.goto(sam.served.url("chat") + "/home")
    page.get_by_role("button", name="Account of Sam Reed").click()
    expect(page.get_by_role("link", name="Users")).to_have_count(0)
    expect(page.get_by_role("link", name="Rooms", exact=True)).to_have_count(0)
