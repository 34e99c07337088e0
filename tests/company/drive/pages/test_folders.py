"""Looking around and keeping order: folders, search, favourites, new, rename, move, copy, delete, trash."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import cast

from dayjob.company.drive import Drive
from tests.company.drive.pages.finding import FILES, act, chosen, come_in, names, row, sams
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]


def test_log_in_has_two_required_fields_the_first_focused_and_one_button(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = sam.open("drive")
    assert page.url.endswith("/index.php/login")
    expect(page.get_by_role("textbox", name="Username or email")).to_be_focused()
    expect(page.get_by_role("textbox")).to_have_count(2)
    expect(page.get_by_role("button")).to_have_count(1)
    sam.assert_good()
    sam.shoot("drive-login")
    page.get_by_label("Username or email").fill("sam.reed")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Wrong password.")
    sam.expect_console("status of 401")
    page.get_by_label("Password").fill("sam-reed-first-day")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("All files")
    page.get_by_role("button", name="Account of Sam Reed").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_an_ended_session_leads_through_log_in_back_to_where_one_was(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/Finance")
    sam.context.clear_cookies()
    page.get_by_role("link", name="README.md", exact=True).click()
    expect(page.get_by_role("note")).to_have_text("Log in to go on to where you were.")
    page.get_by_label("Username or email").fill("sam.reed")
    page.get_by_label("Password").fill("sam-reed-first-day")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("README.md")
    # A form sent after the session ended is not lost on an error page either.
    page.goto(office.url("drive") + f"{FILES}/new/folder?dir=/Finance")
    page.get_by_label("Folder name").fill("late")
    sam.context.clear_cookies()
    page.get_by_role("button", name="Make folder").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    page.get_by_label("Username or email").fill("sam.reed")
    page.get_by_label("Password").fill("sam-reed-first-day")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New folder")


def test_folders_are_opened_sorted_and_climbed(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam)
    assert names(page)[:2] == ["Company", "Customers"]
    expect(row(page, "Finance")).to_contain_text("From larkspur")
    sam.assert_good()
    sam.shoot("drive-files")
    page.get_by_role("link", name="Finance", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Finance")
    found = names(page)
    assert found[:2] == ["Budgets", "Expenses"]
    page.set_viewport_size({"width": 390, "height": 844})
    sam.shoot("drive-phone")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("columnheader", name="Size").get_by_role("link").click()
    expect(page.get_by_role("columnheader", name="Size")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("columnheader", name="Size").get_by_role("link").click()
    expect(page.get_by_role("columnheader", name="Size")).to_have_attribute("aria-sort", "descending")
    assert sorted(names(page)) == sorted(found)
    page.get_by_role("link", name="Budgets", exact=True).click()
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="Finance").click()
    expect(page).to_have_url(re.compile(r"\?dir=/Finance$"))


def test_files_have_their_days_and_the_newest_can_be_put_on_top(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/Finance")
    changed = row(page, "vendor-budgets-2026.csv").get_by_role("time")
    expect(changed).to_have_text("1 month ago")
    expect(changed).to_have_attribute("title", "4 February 2026, 09:32")
    expect(row(page, "Purchase orders").get_by_role("time")).to_have_text("5 days ago")
    heading = page.get_by_role("columnheader", name="Modified")
    heading.get_by_role("link").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    files = [name for name in names(page) if "." in name]
    assert files[0] == "vendor-budgets-2026.csv"
    assert files[-1] == "vendor-invoices-q1.csv"
    act(page, "price-sheet.xlsx", "Details")
    expect(page.get_by_role("dialog")).to_contain_text("19 December 2022, 09:49")


def test_a_name_is_found_and_a_favourite_is_kept(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam)
    page.keyboard.press("/")
    page.keyboard.type("BUDGET")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Files and folders named “BUDGET”")
    assert "2026-q1-budget.xlsx" in names(page)
    expect(row(page, "2026-q1-budget.xlsx")).to_contain_text("in /Finance/Budgets")
    sam.assert_good()
    act(page, "2026-q1-budget.xlsx", "Add to favourites")
    expect(page.get_by_role("status")).to_contain_text("is among your favourites")
    page.get_by_role("link", name="Favourites").click()
    assert names(page) == ["2026-q1-budget.xlsx"]
    act(page, "2026-q1-budget.xlsx", "Remove from favourites")
    page.get_by_role("link", name="Favourites").click()
    expect(page.get_by_text("Star a file or folder to find it here.")).to_be_visible()
    page.goto(office.url("drive") + f"{FILES}/search?q=nothing-is-called-so")
    expect(page.get_by_text("Nothing has this in its name.")).to_be_visible()


def test_a_folder_and_a_text_file_are_made_and_renamed(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam)
    page.get_by_role("link", name="New folder").click()
    dialog = page.get_by_role("dialog", name="New folder")
    dialog.get_by_label("Folder name").fill("Receipts")
    sam.assert_good()
    dialog.get_by_role("button", name="Make folder").click()
    expect(page.get_by_role("status")).to_contain_text("Folder “Receipts” made.")
    act(page, "Receipts", "Rename")
    page.get_by_role("dialog").get_by_label("Name").fill("Bills / old")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("alert")).to_have_text("A name cannot hold a slash or a backslash.")
    sam.expect_console("status of 400")
    page.get_by_role("textbox", name="Name").fill("Finance")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("alert")).to_have_text("“Finance” is there already.")
    sam.expect_console("status of 400")
    page.get_by_role("textbox", name="Name").fill("Bills")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Bills", exact=True).click()
    expect(page.get_by_role("heading", name="This folder is empty")).to_be_visible()
    page.get_by_role("link", name="New text file").click()
    page.get_by_role("dialog").get_by_label("File name").fill("first")
    page.get_by_role("dialog").get_by_role("button", name="Make file").click()
    page.get_by_label("Text of first.txt").fill("12 EUR")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="Text of first.txt")).to_contain_text("12 EUR")
    assert sams(office).get("/Bills/first.txt") == b"12 EUR"


def test_things_are_moved_and_copied_and_taken_names_are_asked_about(office: Served, visit: Visit) -> None:
    api = sams(office)
    for path in ("/from", "/to", "/to/inner"):
        api.mkcol(path)
    for path, text in (("/from/a.txt", "mine"), ("/from/b.txt", "b"), ("/to/a.txt", "theirs")):
        api.put(path, text)
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/from")
    act(page, "b.txt", "Move or copy")
    dialog = page.get_by_role("dialog", name="Move or copy “b.txt”")
    dialog.get_by_role("link", name="All files").click()
    dialog.get_by_role("list", name="Folders in All files").get_by_role("link", name="to", exact=True).click()
    dialog.get_by_role("link", name="inner").click()
    sam.assert_good()
    dialog.get_by_role("button", name="Move to “inner”").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("inner")
    expect(page.get_by_role("status")).to_contain_text("“b.txt” was moved here.")
    # The other one meets a namesake.
    for answer in ("Keep both", "Replace"):
        page.goto(office.url("drive") + f"{FILES}/transport?dir=/from&files[]=a.txt&to=/to")
        page.get_by_role("button", name="Copy to “to”").click()
        expect(page.get_by_role("alert")).to_contain_text("“a.txt” is in this folder already.")
        page.get_by_role("button", name=answer).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("to")
    assert api.names("/to") == ["a (2).txt", "a.txt", "inner"]
    assert api.get("/to/a.txt") == api.get("/to/a (2).txt") == b"mine"
    page.goto(office.url("drive") + f"{FILES}/transport?dir=/&files[]=to&to=/to/inner")
    page.get_by_role("button", name="Move to “inner”").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be put")
    sam.expect_console("status of 400")


def test_what_is_ticked_is_downloaded_moved_and_deleted_together(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/box")
    api.mkcol("/shelf")
    for name in ("one.txt", "two.txt", "three.txt"):
        api.put(f"/box/{name}", name)
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/box")
    expect(page.get_by_role("button", name="Delete selection")).to_be_hidden()
    page.get_by_role("checkbox", name="Select one.txt").check()
    page.get_by_role("checkbox", name="Select two.txt").check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download selection").click()
    content = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))
    assert content.namelist() == ["one.txt", "two.txt"]
    page.get_by_role("button", name="Move or copy selection").click()
    dialog = page.get_by_role("dialog", name="Move or copy 2 things")
    dialog.get_by_role("link", name="All files").click()
    dialog.get_by_role("link", name="shelf").click()
    dialog.get_by_role("button", name="Move to “shelf”").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("shelf")
    page.get_by_role("checkbox", name="Select all").check()
    page.get_by_role("button", name="Delete selection").click()
    page.get_by_role("dialog", name="Are you sure?").get_by_role("button", name="Delete selection").click()
    expect(page.get_by_role("status")).to_contain_text("2 things are deleted.")
    assert (api.names("/box"), api.names("/shelf")) == (["three.txt"], [])


def test_deleted_things_are_restored_erased_and_the_trash_is_emptied(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/gone")
    for name in ("a.txt", "b.txt", "c.txt"):
        api.put(f"/gone/{name}", name)
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/gone")
    for name in ("a.txt", "b.txt", "c.txt"):
        act(page, name, "Delete")
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("status")).to_contain_text(f"“{name}” is in the trash.")
    api.put("/gone/a.txt", "another")
    page.get_by_role("link", name="Deleted files").click()
    expect(page.get_by_role("rowheader", name="a.txt")).to_contain_text("was in /gone")
    sam.assert_good()
    page.get_by_role("button", name="Restore a.txt").click()
    expect(page.get_by_role("status")).to_contain_text("“a.txt” is back at /gone/a (2).txt.")
    page.get_by_role("button", name="Delete b.txt for good").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete b.txt for good").click()
    expect(page.get_by_role("status")).to_contain_text("“b.txt” is deleted for good.")
    page.get_by_role("button", name="Empty trash").click()
    page.get_by_role("dialog").get_by_role("button", name="Empty trash").click()
    expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    assert api.names("/gone") == ["a (2).txt", "a.txt"]


def test_details_tell_everything_that_is_known(office: Served, visit: Visit) -> None:
    sams(office).put("/a note.txt", "x" * 1234)
    sam = visit(office)
    page = come_in(sam)
    act(page, "a note.txt", "Details")
    dialog = page.get_by_role("dialog", name="a note.txt")
    expect(dialog).to_contain_text("1,234 bytes")
    expect(dialog).to_contain_text("SHA1")
    expect(dialog).to_contain_text("Earlier versions are not kept.")
    sam.assert_good()
    link = dialog.get_by_label("Link for colleagues").input_value()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("a note.txt")


def test_a_big_folder_is_shown_page_by_page(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/100% many")
    api.put("/100% many/0.txt")

    def fill() -> None:
        drive = cast(Drive, office.company.service("drive"))
        node = drive.tree.get("sam.reed", "/100% many/0.txt")
        assert node is not None
        for number in range(1, 250):
            drive.tree.duplicate(node, "sam.reed", f"/100% many/{number}.txt")

    office.call(fill)
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/100%25%20many")
    assert len(names(page)) == 200
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    assert len(names(page)) == 50


def test_all_of_it_works_without_scripts(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/plain")
    api.put("/plain/a.txt", "a")
    sam = visit(office, java_script_enabled=False)
    page = come_in(sam, f"{FILES}/?dir=/plain")
    page.get_by_role("link", name="New folder").click()
    page.get_by_label("Folder name").fill("in")
    page.get_by_role("button", name="Make folder").click()
    page.get_by_role("link", name="Upload").click()
    page.get_by_label("Files").set_input_files([chosen("up.txt", b"up"), chosen("a.txt", b"again")])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("2 files are uploaded.")).to_be_visible()
    page.get_by_role("checkbox", name="Select up.txt").check()
    page.get_by_role("button", name="Move or copy selection").click()
    page.get_by_role("link", name="in", exact=True).click()
    page.get_by_role("button", name="Move to “in”").click()
    assert api.names("/plain") == ["a (2).txt", "a.txt", "in"]
    assert api.get("/plain/in/up.txt") == b"up"
    act(page, "up.txt", "Delete")
    page.get_by_role("button", name="Delete").click()
    assert api.names("/plain/in") == []


def test_a_form_of_another_site_changes_nothing(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/keep.txt", "k")
    sam = visit(office)
    come_in(sam)
    drive = office.url("drive")
    for path, body in (
        ("/delete/keep.txt", "authenticity_token=guess"),
        ("/new/folder", "dir=/&name=forged"),
        ("/selected", "dir=/&files[]=keep.txt&do=delete"),
        ("/trash/empty", ""),
        ("/sharing/keep.txt", "do=link"),
        ("/transport", "dir=/&files[]=keep.txt&to=/Finance&do=move"),
        ("/edit/keep.txt", "text=forged&anyway=1"),
        ("/favorite/keep.txt", "starred=1"),
    ):
        answer = sam.context.request.post(
            f"{drive}{FILES}{path}", data=body, headers={"content-type": "application/x-www-form-urlencoded"}
        )
        assert answer.status == 403, path
    assert sam.context.request.put(f"{drive}{FILES}/upload?dir=/&name=forged.txt", data=b"x").status == 403
    assert sam.context.request.delete(f"{drive}/remote.php/webdav/keep.txt").status == 401
    assert api.get("/keep.txt") == b"k"
    assert "forged" not in " ".join(api.names())
