"""Looking around: every page is accessible, fits a laptop and a phone, and shows what the board holds."""

from __future__ import annotations

import csv
import json
import re

import pytest
import requests

from tests.company.board.conftest import Wire
from tests.company.board.pages.conftest import Place, column
from tests.company.pages.browser import Visitor, expect

MAIN = ("/larkspur/", "{at}/issues/", "{at}/issues/?layout=kanban", "{item}", "{at}/issues/?peek={peek}", "{cycle}")
REST = (
    "/larkspur/projects/", "/larkspur/search/?q=tablet", "/larkspur/settings/members/", "/larkspur/profile/",
    "{at}/issues/?layout=table", "{at}/cycles/", "{at}/modules/", "{module}", "{at}/settings/",
    "{at}/settings/members/", "{at}/settings/states/", "{at}/settings/labels/", "{at}/intake/", "{at}/archives/issues/",
    "/larkspur/analytics/", "/larkspur/settings/export/", "/larkspur/workspace-views/all-issues/",
    "/larkspur/views/", "{at}/pages/", "{at}/pages/new/",
)  # fmt: skip
SHEETS = (
    "/larkspur/projects/new/", "{at}/issues/new/", "{item}edit/", "{item}move/", "{item}parent/", "{item}links/new/",
    "{current}edit/", "{current}transfer/", "{current}add/", "{module}edit/", "{at}/settings/states/new/",
    "{at}/settings/labels/new/", "{at}/intake/new/",
)  # fmt: skip


def opened(visitor: Visitor, trellis: Place, path: str) -> None:
    names = {"at": trellis.at, "item": trellis.item_at(39), "peek": trellis.item(39)}
    plans = {"cycle": trellis.cycle("Sprint 6"), "current": trellis.cycle("Sprint 7")}
    page = visitor.open("board", path.format(**names, **plans, module=trellis.module("Launch")))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


@pytest.mark.parametrize("path", MAIN)
def test_a_main_page_is_good_at_every_width_in_light_and_dark(priya: Visitor, trellis: Place, path: str) -> None:
    opened(priya, trellis, path)
    priya.assert_good()


def test_the_other_pages_are_accessible_and_fit(priya: Visitor, trellis: Place) -> None:
    for path in REST:
        opened(priya, trellis, path)
        priya.at_widths()
        priya.assert_accessible()
        priya.page.emulate_media(color_scheme="dark")
        priya.assert_accessible()
        priya.page.emulate_media(color_scheme="light")


def test_a_sheet_is_a_page_of_its_own_too(priya: Visitor, trellis: Place) -> None:
    for path in SHEETS:
        opened(priya, trellis, path)
        priya.at_widths()
        priya.assert_accessible()


def test_home_shows_ones_own_work_what_changed_and_the_projects(sam: Visitor) -> None:
    page = sam.open("board", "/larkspur/")
    mine = column(page, "Your work")
    expect(mine.get_by_role("link", name="Check vendor spending for Q1 against the budgets")).to_be_visible()
    expect(column(page, "Projects").get_by_role("link", name="Trellis", exact=True)).to_be_visible()
    expect(column(page, "Recently changed").get_by_role("listitem").first).to_be_visible()
    mine.get_by_role("link", name="Check vendor spending").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check vendor spending for Q1 against the budgets")


def test_a_project_is_found_from_home_and_seen_as_list_board_and_table(sam: Visitor) -> None:
    page = sam.open("board", "/larkspur/")
    page.get_by_role("link", name="Projects", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="Trellis").click()
    expect(
        column(page, "In Progress").get_by_role("link", name="Tablets with battery saving show an old plan")
    ).to_be_visible()
    page.get_by_role("link", name="Board", exact=True).click()
    expect(column(page, "In Progress")).to_contain_text("TREL-20")
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="TREL-20")).to_contain_text("In Progress")


def test_search_finds_by_words_and_by_number(sam: Visitor) -> None:
    page = sam.open("board", "/larkspur/")
    field = page.get_by_role("searchbox", name="Search work items")
    field.fill("battery saving")
    field.press("Enter")
    expect(page.get_by_role("main").get_by_role("link")).to_have_text(["Tablets with battery saving show an old plan"])
    page.get_by_role("searchbox", name="Search work items").fill("no such thing anywhere")
    page.get_by_role("searchbox", name="Search work items").press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_an_item_is_found_by_its_short_name(sam: Visitor) -> None:
    page = sam.open("board", "/larkspur/browse/TREL-20/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tablets with battery saving show an old plan")


def test_a_project_one_is_not_in_is_closed(sam: Visitor, trellis: Place) -> None:
    project = trellis.one("SELECT id FROM projects WHERE name = 'People'")
    page = sam.open("board", f"/larkspur/projects/{project}/issues/")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("People")
    sam.expect_console("40[34]")


def test_ones_own_name_is_changed_and_nobody_elses(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", "/larkspur/profile/")
    page.get_by_label("First name").fill("Samuel")
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Samuel Reed")
    page.get_by_role("link", name="Created", exact=True).click()
    expect(page.get_by_role("link", name="Created", exact=True)).to_have_attribute("aria-current", "page")
    mara = trellis.one("SELECT id FROM users WHERE username = 'mara.lindqvist'")
    sam.open("board", f"/larkspur/profile/{mara}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mara Lindqvist")
    expect(page.get_by_role("button", name="Save profile")).to_have_count(0)


def test_a_project_is_made_and_a_taken_name_is_refused_without_losing_what_was_written(
    sam: Visitor, trellis: Place
) -> None:
    page = sam.open("board", "/larkspur/projects/")
    page.get_by_role("main").get_by_role("link", name="New project").click()
    form = page.get_by_role("dialog", name="New project")
    form.get_by_label("Project name").fill("Trellis")
    expect(form.get_by_label("Identifier")).to_have_value("TRELL")
    form.get_by_label("Description").fill("Twice")
    form.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Twice")
    page.get_by_label("Project name").fill("Glasshouse")
    page.get_by_label("Identifier").fill("GLASS")
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Glasshouse")
    assert trellis.rows("SELECT name, identifier, description FROM projects WHERE identifier = 'GLASS'") == [
        ("Glasshouse", "GLASS", "Twice")
    ]
    sam.expect_console("400|409")


def test_analytics_count_what_is_in_ones_own_projects(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", "/larkspur/")
    page.get_by_role("link", name="Analytics").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Analytics")
    number = trellis.one("SELECT count(*) FROM items WHERE project = ? AND listed", trellis.id)
    row = column(page, "By project").get_by_role("row", name="Trellis")
    expect(row.get_by_role("cell").first).to_have_text(str(number))
    expect(column(page, "Open work, by person").get_by_role("row").nth(1)).to_be_visible()
    expect(column(page, "By priority").get_by_role("rowheader").first).to_have_text("Urgent")


def test_work_items_are_exported_as_a_file(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", "/larkspur/")
    page.get_by_role("link", name="Export").click()
    for box in page.get_by_role("group", name="Projects").get_by_role("checkbox").all():
        box.uncheck()
    page.get_by_role("checkbox", name="Trellis").check()
    with page.expect_download() as started:
        page.get_by_role("button", name="Export").click()
    assert started.value.suggested_filename == "larkspur-work-items.csv"
    rows = list(csv.DictReader(started.value.path().read_text("utf-8").splitlines()))
    wanted = trellis.rows("SELECT sequence_id, name FROM items WHERE project = ? AND listed", trellis.id)
    assert {(one["ID"], one["Name"].removeprefix("'")) for one in rows} == {(f"TREL-{id}", name) for id, name in wanted}
    page.get_by_label("Format").select_option("JSON")
    with page.expect_download() as started:
        page.get_by_role("button", name="Export").click()
    found = {one["ID"]: one for one in json.loads(started.value.path().read_text("utf-8"))}
    assert found["TREL-39"]["State"] == trellis.state(39)
    assert found["TREL-39"]["Priority"] == trellis.fact(39, "priority")
    assert any(one["Cycle"] == "Sprint 6" for one in found.values())
    assert any("Launch" in one["Modules"] for one in found.values())


def test_a_cell_that_reads_as_a_formula_is_exported_as_text(priya: Visitor, trellis: Place) -> None:
    name = '=HYPERLINK("http://away.test")'
    admin = Wire(trellis.office, "larkspur", "plane_api_larkspur")
    admin.make(f"/projects/{trellis.id}/issues/", name=name)
    jar = {one["name"]: one["value"] for one in priya.context.cookies()}
    url = f"{trellis.office.url('board')}/larkspur/settings/export/download"
    rows = list(csv.DictReader(requests.get(url, cookies=jar, timeout=60).text.splitlines()))
    assert f"'{name}" in [one["Name"] for one in rows]
    wrong = requests.get(url, params={"format": "exe"}, cookies=jar, timeout=60)
    assert (wrong.status_code, "Choose a format" in wrong.text) == (404, True)
    assert requests.get(url, timeout=60, allow_redirects=False).status_code == 302, "nobody signed in"


def test_views_show_the_work_of_all_projects_in_an_order(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", "/larkspur/")
    page.get_by_role("link", name="Views").click()
    assert page.url.endswith("/workspace-views/all-issues/")
    page.get_by_role("link", name="Assigned", exact=True).click()
    items = page.get_by_role("region", name="Work items").get_by_role("listitem")
    mine = "SELECT count(*) FROM item_assignees JOIN users ON users.id = assignee WHERE username = 'sam.reed'"
    expect(items).to_have_count(trellis.one(mine))
    page.get_by_label("Order by").select_option("Name")
    expect(page).to_have_url(re.compile("order_by=name"))
    names = [one.get_by_role("link").first.inner_text() for one in items.all()]
    assert names == sorted(names)


def test_pages_are_written_read_archived_and_deleted(priya: Visitor, sam: Visitor, trellis: Place) -> None:
    page = priya.open("board", f"{trellis.at}/issues/")
    page.get_by_role("link", name="Pages").click()
    page.get_by_role("link", name="New page").click()
    page.get_by_role("textbox", name="Title").fill("What we decided")
    page.get_by_role("textbox", name="Text").fill("- ship on **Monday**\n\n<script>alert(1)</script>")
    page.get_by_role("button", name="Create page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What we decided")
    expect(page.get_by_role("article").get_by_text("Monday")).to_be_visible()
    priya.assert_good()
    where = page.url.removeprefix(trellis.office.url("board"))
    read = sam.open("board", where)
    expect(read.get_by_role("article")).to_contain_text("ship on Monday")

    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_role("textbox", name="Text")).to_have_value(re.compile(r"ship on \*\*Monday\*\*"))
    page.get_by_label("Who can see it").select_option("Private: only you")
    page.get_by_role("button", name="Save page").click()
    expect(page.get_by_role("status")).to_contain_text("Page saved.")
    read = sam.open("board", where)
    expect(read.get_by_role("heading", name="Page not found")).to_be_visible()
    sam.expect_console("404")

    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("archived").first).to_be_visible()
    page.get_by_role("button", name="Delete page").click()
    page.get_by_role("dialog", name="Are you sure?").get_by_role("button", name="Delete page").click()
    expect(page.get_by_role("status")).to_contain_text("Page deleted.")
    assert trellis.rows("SELECT id FROM pages") == []
