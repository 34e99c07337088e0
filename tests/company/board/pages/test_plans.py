"""Cycles with their burn-down, and modules: looking, making, changing, planning items into them, the archive."""

from __future__ import annotations

import re

from tests.company.board.pages.conftest import Place, column, notice
from tests.company.pages.browser import Visitor, expect


def test_cycles_stand_by_when_they_are(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/cycles/")
    expect(column(page, "Current")).to_contain_text("Sprint 7")
    expect(column(page, "Upcoming")).to_contain_text("Sprint 8")
    expect(column(page, "Completed").get_by_role("listitem").first).to_contain_text("Sprint 6")


def test_the_burn_down_is_a_picture_and_a_table_that_agree_with_the_board(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.cycle("Sprint 6"))
    cycle = trellis.one("SELECT id FROM cycles WHERE name = 'Sprint 6' AND project = ?", trellis.id)
    finished = [
        str(row[0])[:10]
        for row in trellis.rows(
            "SELECT completed_at FROM items JOIN cycle_items ON cycle_items.issue = items.id JOIN states"
            " ON states.id = items.state WHERE cycle = ? AND listed AND \"group\" != 'cancelled'", cycle,
        )
    ]  # fmt: skip
    total = len(finished)
    page.get_by_text("The same as a table").click()
    rows = page.get_by_role("region", name="Burn-down figures").get_by_role("row").all_inner_texts()[1:]
    assert len(rows) == 12
    day, left, ideal = rows[-1].split("\t")
    assert (day, left, ideal) == ("Fri 6 Mar", str(total - sum(one <= "2026-03-06" for one in finished)), "0.0")
    assert rows[0].split("\t")[2] == f"{total}.0"
    picture = page.get_by_role("img", name=re.compile("Burn-down chart"))
    expect(picture).to_be_visible()
    assert len((picture.locator("polyline.left").get_attribute("points") or "").split()) == 12


def test_a_cycle_that_has_just_begun_is_drawn_up_to_today(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.cycle("Sprint 7"))
    expect(page.get_by_role("img", name=re.compile("items left on 9 March"))).to_be_visible()
    assert len((page.locator("polyline.left").get_attribute("points") or "").split()) == 1


def test_a_cycle_is_made_changed_filled_emptied_and_deleted(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/cycles/")
    page.get_by_role("link", name="New cycle").click()
    form = page.get_by_role("dialog", name="New cycle")
    form.get_by_label("Name").fill("Sprint 9")
    form.get_by_label("Start date").fill("2026-03-30")
    form.get_by_label("End date").fill("2026-04-10")
    form.get_by_role("button", name="Create cycle").click()
    expect(page.get_by_role("alert")).to_contain_text("You have a cycle already on the given dates")
    expect(page.get_by_label("Name")).to_have_value("Sprint 9")
    page.get_by_label("Start date").fill("2026-04-06")
    page.get_by_label("End date").fill("2026-04-17")
    page.get_by_role("button", name="Create cycle").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sprint 9")

    page.get_by_role("link", name="Edit cycle").click()
    form = page.get_by_role("dialog", name="Edit cycle")
    expect(form.get_by_label("End date")).to_have_value("2026-04-17")
    form.get_by_label("Description").fill("After the launch.")
    form.get_by_role("button", name="Save cycle").click()
    expect(page.get_by_text("After the launch.")).to_be_visible()

    page.get_by_role("link", name="Add existing items").click()
    page.get_by_role("dialog").get_by_label(re.compile("TREL-35")).check()
    page.get_by_role("dialog").get_by_label(re.compile("TREL-38")).check()
    page.get_by_role("dialog").get_by_role("button", name="Add items").click()
    expect(column(page, "Backlog").get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Remove TREL-38 from Sprint 9").click()
    expect(column(page, "Backlog").get_by_role("listitem")).to_have_count(1)
    page.get_by_role("button", name="Add work item to Todo").click()
    page.get_by_role("textbox", name="Title of the work item for Todo").fill("Rest a while")
    page.keyboard.press("Enter")
    expect(column(page, "Todo").get_by_role("link", name="Rest a while")).to_be_visible()

    page.get_by_role("button", name="Delete cycle").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete cycle").click()
    notice(page, "Sprint 9 deleted.")
    assert trellis.rows("SELECT 1 FROM cycles WHERE name = 'Sprint 9'") == []
    assert len(trellis.rows("SELECT 1 FROM items WHERE name = 'Rest a while'")) == 1
    sam.expect_console("400")


def test_an_item_opens_beside_a_cycle_and_changes_there(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.cycle("Sprint 7"))
    page.get_by_role("link", name="A swapped shift is counted twice in the week's hours").click()
    panel = page.get_by_role("complementary", name="Work item")
    panel.get_by_label("State").select_option("In Review")
    expect(column(page, "In Review")).to_contain_text("TREL-39")
    page.reload()
    expect(panel.get_by_label("State").locator("option:checked")).to_have_text("In Review")
    assert trellis.state(39) == "In Review"


def test_what_a_cycle_left_unfinished_is_transferred(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.cycle("Sprint 6"))
    page.get_by_role("link", name="Transfer unfinished").click()
    dialog = page.get_by_role("dialog", name="Transfer unfinished items")
    expect(dialog.get_by_label("Cycle").locator("option")).to_have_text(["Sprint 7", "Sprint 8"])
    dialog.get_by_label("Cycle").select_option("Sprint 8")
    dialog.get_by_role("button", name="Transfer").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sprint 8")
    left = trellis.rows(
        "SELECT DISTINCT \"group\" FROM items JOIN cycle_items ON cycle_items.issue = items.id JOIN states ON"
        " states.id = items.state JOIN cycles ON cycles.id = cycle WHERE cycles.name = 'Sprint 6'"
        " AND cycles.project = ?", trellis.id,
    )  # fmt: skip
    assert {row[0] for row in left} <= {"completed", "cancelled"}


def test_a_finished_cycle_is_archived_and_comes_back(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.cycle("Sprint 3"))
    page.get_by_role("button", name="Archive cycle").click()
    notice(page, "Sprint 3 archived.")
    sam.open("board", f"{trellis.at}/archives/cycles/")
    page.get_by_role("button", name="Restore Sprint 3").click()
    notice(page, "Sprint 3 restored.")
    expect(page.get_by_role("heading", name="Nothing is archived")).to_be_visible()


def test_a_module_is_made_changed_filled_archived_restored_and_deleted(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/modules/")
    expect(page.get_by_role("listitem").filter(has_text="Launch")).to_contain_text("Led by Mara Lindqvist")
    page.get_by_role("link", name="New module").click()
    form = page.get_by_role("dialog", name="New module")
    form.get_by_label("Name").fill("Launch")
    form.get_by_role("button", name="Create module").click()
    expect(page.get_by_role("alert")).to_contain_text("already exists")
    page.get_by_label("Name").fill("Second wave")
    page.get_by_label("Lead").select_option("Sam Reed")
    page.get_by_label("Status").select_option("In progress")
    page.get_by_role("group", name="Members").get_by_label("Ewa Kowalska").check()
    page.get_by_role("button", name="Create module").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Second wave")
    expect(column(page, "Progress")).to_contain_text("Ewa Kowalska")

    page.get_by_role("link", name="Add existing items").click()
    page.get_by_role("dialog").get_by_label(re.compile("TREL-35")).check()
    page.get_by_role("dialog").get_by_role("button", name="Add items").click()
    expect(column(page, "Backlog").get_by_role("listitem")).to_have_count(1)
    page.get_by_role("button", name="Remove TREL-35 from Second wave").click()
    notice(page, "Removed from Second wave.")

    page.get_by_role("link", name="Edit module").click()
    page.get_by_role("dialog", name="Edit module").get_by_label("Status").select_option("Cancelled")
    page.get_by_role("dialog", name="Edit module").get_by_role("button", name="Save module").click()
    page.get_by_role("button", name="Archive module").click()
    notice(page, "Second wave archived.")
    sam.open("board", f"{trellis.at}/archives/modules/")
    page.get_by_role("button", name="Restore Second wave").click()
    sam.open("board", trellis.module("Second wave"))
    page.get_by_role("button", name="Delete module").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete module").click()
    notice(page, "Second wave deleted.")
    assert trellis.rows("SELECT 1 FROM modules WHERE name = 'Second wave'") == []
    sam.expect_console("400")
