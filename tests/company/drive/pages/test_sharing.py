"""Sharing: with people, by public link with password and last day; and what whoever has the link then sees."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import cast

from dayjob.company.drive import Drive
from tests.company.drive.client import Client
from tests.company.drive.pages.finding import FILES, act, chosen, come_in, names, row, sams
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]


def test_a_file_is_shared_with_a_colleague_in_four_clicks(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/plan.md", "the plan")
    sam = visit(office)
    page = come_in(sam)
    act(page, "plan.md", "Share")
    dialog = page.get_by_role("dialog", name="Share “plan.md”")
    dialog.get_by_label("Name or group").fill("priya.nair")
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_role("combobox", name="What Priya Nair may do")).to_have_value("edit")
    sam.assert_good()
    sam.shoot("drive-sharing")
    share = api.ocs("GET", "/apps/files_sharing/api/v1/shares?path=/plan.md")["data"][0]
    assert (share["share_with"], share["permissions"]) == ("priya.nair", 3)
    dialog.get_by_role("combobox", name="What Priya Nair may do").select_option("read")
    expect(page.get_by_role("status")).to_contain_text("The share is changed.")
    share = api.ocs("GET", "/apps/files_sharing/api/v1/shares?path=/plan.md")["data"][0]
    assert share["permissions"] == 1
    dialog.get_by_label("Name or group").fill("nobody at all")
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_role("alert")).to_have_text("There is nobody called “nobody at all” here.")
    sam.expect_console("status of 400")
    dialog.get_by_role("button", name="Close").click()
    expect(row(page, "plan.md")).to_contain_text("Shared")
    page.get_by_role("link", name="Shared by you").click()
    assert names(page) == ["plan.md"]
    act(page, "plan.md", "Share")
    dialog.get_by_role("button", name="Stop sharing with Priya Nair").click()
    expect(dialog.get_by_text("Shared with nobody yet.")).to_be_visible()
    assert api.ocs("GET", "/apps/files_sharing/api/v1/shares?path=/plan.md")["data"] == []


def test_the_recipient_finds_it_among_what_is_shared_with_them(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?view=sharingin")
    assert "Finance" in names(page)
    act(page, "Finance", "Delete")
    dialog = page.get_by_role("dialog", name="Delete “Finance”?")
    expect(dialog).to_contain_text("stays with everybody else")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("“Finance” is no longer among your files.")


def test_a_link_with_password_and_last_day_is_made_changed_and_removed(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/offer.md", "# Our offer\n\nten percent")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/view/offer.md")
    page.get_by_role("link", name="Share", exact=True).first.click()
    dialog = page.get_by_role("dialog", name="Share “offer.md”")
    dialog.get_by_label("Link name").fill("For Greenacre")
    dialog.get_by_label("Password").fill("open sesame")
    dialog.get_by_label("Last day").fill("2020-01-01")
    dialog.get_by_role("button", name="Make link").click()
    expect(dialog.get_by_role("alert")).to_have_text("This day is over already.")
    sam.expect_console("status of 400")
    dialog.get_by_label("Link name").fill("For Greenacre")
    dialog.get_by_label("Password").fill("open sesame")
    dialog.get_by_label("Last day").fill("2026-04-30")
    dialog.get_by_role("button", name="Make link").click()
    address = dialog.get_by_label("Address of For Greenacre", exact=True).input_value()
    expect(dialog).to_contain_text("For Greenacre: View and download, with password, until 2026-04-30")
    dialog.get_by_role("button", name="Copy the address of For Greenacre").click()
    expect(page.get_by_role("status")).to_contain_text("Copied.")

    guest = visit(office)
    guest.page.goto(address)
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("This link needs a password")
    guest.page.get_by_label("Password").fill("guess")
    guest.page.get_by_role("button", name="Open").click()
    expect(guest.page.get_by_role("alert")).to_contain_text("The password is wrong.")
    guest.expect_console("status of 401")
    guest.assert_good()
    guest.page.get_by_label("Password").fill("open sesame")
    guest.page.get_by_role("button", name="Open").click()
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("offer.md")
    expect(guest.page.get_by_role("heading", name="Our offer")).to_be_visible()
    expect(guest.page.get_by_text("Shared by Sam Reed until 2026-04-30")).to_be_visible()
    guest.assert_good()
    with guest.page.expect_download() as download:
        guest.page.get_by_role("link", name="Download").click()
    assert download.value.path().read_bytes().endswith(b"ten percent")

    dialog.get_by_text("For Greenacre: View").click()
    dialog.get_by_label("take the password off").check()
    dialog.get_by_role("button", name="Save For Greenacre").click()
    expect(dialog.get_by_text("For Greenacre: View and download, until 2026-04-30")).to_be_visible()
    assert Client(office.url("drive"), None).raw("GET", address.removeprefix(office.url("drive"))).status_code == 200
    dialog.get_by_role("button", name="Remove For Greenacre").click()
    expect(dialog.get_by_label("Address of For Greenacre", exact=True)).to_have_count(0)
    guest.page.goto(address)
    expect(guest.page.get_by_text("This link does not exist, or its time is over.")).to_be_visible()
    guest.expect_console("status of 404")


def test_larkspurs_press_kit_is_open_to_everybody(office: Served, visit: Visit) -> None:
    drive = cast(Drive, office.company.service("drive"))
    token = office.call(lambda: drive.db.execute("SELECT token FROM shares WHERE name = 'Press kit'").fetchone())[0]
    guest = visit(office)
    page = guest.open("drive", f"/s/{token}")
    expect(page.get_by_role("heading", level=1)).to_have_text("press-kit.md")
    expect(page.get_by_text("Shared by larkspur")).to_be_visible()
    guest.shoot("drive-public-link")


def test_a_group_a_full_name_and_resharing_are_understood(office: Served) -> None:
    api = sams(office)
    api.mkcol("/team")
    office.call(lambda: cast(Drive, office.company.service("drive")).accounts.add_group("designers"))
    for who in ("designers", "Priya Nair"):
        answer = api.raw(
            "POST", f"{FILES}/sharing/team", data={"do": "person", "who": who, "right": "edit", "resharing": "1"}
        )
        assert answer.status_code == 303, answer.text
    found = api.ocs("GET", "/apps/files_sharing/api/v1/shares?path=/team")["data"]
    assert [(one["share_with"], one["share_type"], one["permissions"]) for one in found] == [
        ("designers", 1, 31),
        ("priya.nair", 0, 31),
    ]
    assert api.raw("POST", f"{FILES}/sharing/Company", data={"do": "link"}).status_code == 400
    assert "Shared by link" in api.raw("GET", f"{FILES}/?view=sharinglinks").text


def test_a_link_that_is_over_says_so(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/a.txt")
    today = office.company.clock.now().date().isoformat()
    address = api.share("/a.txt", 3, expireDate=today)["url"]
    office.company.clock.origin -= 48 * 3600
    guest = visit(office)
    guest.page.goto(address)
    expect(guest.page.get_by_text("its time is over")).to_be_visible()
    guest.expect_console("status of 404")


def test_a_folder_behind_a_link_is_browsed_filled_and_downloaded(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/open")
    api.mkcol("/open/deep")
    api.put("/open/deep/a.csv", "x,y\n1,2\n")
    api.put("/open/b.txt", "b")
    address = api.share("/open", 3, permissions=5)["url"]
    guest = visit(office)
    page = guest.page
    page.goto(address)
    assert names(page) == ["deep", "b.txt"]
    assert re.search(r'"http[^"]*/download"', page.content())
    guest.assert_good()
    page.get_by_role("link", name="deep").click()
    page.get_by_role("link", name="a.csv").click()
    expect(page.get_by_role("cell", name="2", exact=True).last).to_be_visible()
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="open").click()
    page.get_by_label("Files to upload").set_input_files([chosen("b.txt", b"mine"), chosen("c.txt", b"c")])
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("link", name="c.txt", exact=True)).to_be_visible()
    assert api.names("/open") == ["b (2).txt", "b.txt", "c.txt", "deep"]
    assert api.get("/open/b.txt") == b"b"
    with page.expect_download() as download:
        page.get_by_role("link", name="Download folder").click()
    content = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))
    assert "open/deep/a.csv" in content.namelist()


def test_a_link_that_only_takes_files_shows_none(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/inbox")
    api.put("/inbox/secret name.txt", "s")
    address = api.share("/inbox", 3, permissions=4)["url"]
    guest = visit(office, java_script_enabled=False)
    guest.page.goto(address)
    guest.page.get_by_label("Files to upload").set_input_files([chosen("secret name.txt", b"other")])
    guest.page.get_by_role("button", name="Upload", exact=True).click()
    expect(guest.page.get_by_text("is uploaded.")).to_be_visible()
    assert "“secret name (2).txt”" not in guest.page.content()
    assert api.get("/inbox/secret name.txt") == b"s"
    assert api.get("/inbox/secret name (2).txt") == b"other"
    guest.page.goto(f"{address}?path=/secret%20name.txt")
    assert "secret name" not in guest.page.get_by_role("main").inner_text()
