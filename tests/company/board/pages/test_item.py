"""One item: its text, its facts, comments, links, relations, sub-items, its history, and its end."""

from __future__ import annotations

import re

from tests.company.board.pages.conftest import Place, Visit, as_person, notice
from tests.company.pages.browser import Visitor, expect


def test_title_and_description_are_edited_in_markdown(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(39))
    page.get_by_role("link", name="Edit title and description").click()
    dialog = page.get_by_role("dialog", name="Edit TREL-39")
    text = dialog.get_by_label("Description")
    expect(text).to_have_value(re.compile(r"-  swap a shift\n-  open the week's totals"))
    text.fill("It is **fixed**.\n\n1. swap\n2. look\n\n`hours()` counts once. See https://larkspur.test/hours")
    dialog.get_by_label("Title").fill("A swapped shift is counted once")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A swapped shift is counted once")
    expect(page.locator(".prose strong", has_text="fixed")).to_be_visible()
    assert trellis.fact(39, "description_html") == (
        "<p>It is <strong>fixed</strong>.</p>\n<ol>\n<li>swap</li>\n<li>look</li>\n</ol>\n<p><code>hours()</code>"
        ' counts once. See <a href="https://larkspur.test/hours" rel="nofollow noreferrer noopener" target="_blank">'
        "https://larkspur.test/hours</a></p>"
    )
    expect(page.get_by_text("Sam Reed renamed it to A swapped shift is counted once")).to_be_visible()


def test_a_description_that_was_not_touched_stays_as_it_is_stored(sam: Visitor, trellis: Place) -> None:
    before = trellis.fact(39, "description_html")
    page = sam.open("board", f"{trellis.item_at(39)}edit/")
    page.get_by_label("Title").fill("Another title")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Another title")
    assert trellis.fact(39, "description_html") == before


def test_an_empty_title_is_refused_and_nothing_is_lost(plain_sam: Visitor, trellis: Place) -> None:
    page = plain_sam.open("board", f"{trellis.item_at(39)}edit/")
    page.get_by_label("Title").fill("   ")
    page.get_by_label("Description").fill("Long and dear to me.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Name: This field may not be blank.")
    expect(page.get_by_label("Description")).to_have_value("Long and dear to me.")
    plain_sam.expect_console("400")


def test_every_property_is_changed_where_it_stands(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(20))
    form = page.get_by_role("form", name="Properties")
    page.evaluate("window.kept = true")
    for label, choice in (("State", "In Review"), ("Priority", "Low"), ("Cycle", "Sprint 7")):
        form.get_by_label(label, exact=True).select_option(choice)
        expect(form.get_by_label(label, exact=True).locator("option:checked")).to_have_text(choice)
        page.wait_for_load_state("networkidle")
    form.get_by_label("Due date").fill("2026-03-20")
    page.wait_for_load_state("networkidle")
    form.get_by_role("button", name="Assignees").click()
    form.get_by_role("checkbox", name="Sam Reed").check()
    expect(form.get_by_role("button", name="Assignees: Mateo Vargas, Sam Reed")).to_be_visible()
    form.get_by_role("button", name="Labels").click()
    form.get_by_role("checkbox", name="customer").uncheck()
    expect(form.get_by_role("button", name="Labels: bug.")).to_be_visible()
    form.get_by_role("button", name="Modules").click()
    form.get_by_role("group", name="Modules").get_by_label("Launch").check()
    expect(form.get_by_role("button", name=re.compile("Modules: .*Launch"))).to_be_visible()
    assert page.evaluate("window.kept")
    assert trellis.state(20) == "In Review"
    assert (trellis.fact(20, "priority"), trellis.fact(20, "target_date")) == ("low", "2026-03-20")
    told = page.get_by_role("region", name="Activity").get_by_role("listitem").all_inner_texts()
    for words in ("set the state to In Review", "assigned it to sam.reed", "removed the label customer",
                  "added the module Launch", "set the due date to 2026-03-20"):  # fmt: skip
        assert any(words in line for line in told), (words, told)


def test_properties_are_saved_without_scripts_and_a_date_is_taken_away(plain_sam: Visitor, trellis: Place) -> None:
    page = plain_sam.open("board", trellis.item_at(20))
    form = page.get_by_role("form", name="Properties")
    form.get_by_label("State").select_option("Done")
    form.get_by_label("Due date").fill("")
    form.get_by_label("Cycle").select_option("No cycle")
    form.get_by_role("button", name="Save properties").click()
    assert (trellis.state(20), trellis.fact(20, "target_date")) == ("Done", None)
    assert trellis.rows("SELECT 1 FROM cycle_items WHERE issue = ?", trellis.item(20)) == []


def test_saving_one_property_does_not_undo_what_a_colleague_changed_meanwhile(
    plain_sam: Visitor, trellis: Place
) -> None:
    page = plain_sam.open("board", trellis.item_at(20))
    trellis.rows("UPDATE items SET priority = 'urgent' WHERE id = ?", trellis.item(20))
    page.get_by_role("form", name="Properties").get_by_label("State").select_option("Done")
    page.get_by_role("button", name="Save properties").click()
    assert (trellis.state(20), trellis.fact(20, "priority")) == ("Done", "urgent")


def test_a_comment_is_written_edited_and_deleted(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(20))
    page.get_by_role("textbox", name="Comment").fill("I have *one* of them here.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".comment em", has_text="one")).to_be_visible()
    expect(page.get_by_role("textbox", name="Comment")).to_have_value("")
    page.get_by_role("link", name="Edit your comment").click()
    dialog = page.get_by_role("dialog", name="Edit comment")
    expect(dialog.get_by_label("Comment")).to_have_value("I have *one* of them here.")
    dialog.get_by_label("Comment").fill("I have two of them here.")
    dialog.get_by_role("button", name="Save comment").click()
    expect(page.get_by_text("I have two of them here.")).to_be_visible()
    expect(page.get_by_text("· edited")).to_be_visible()
    page.get_by_role("button", name="Delete the comment of Sam Reed").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the comment of Sam Reed").click()
    expect(page.get_by_text("I have two of them here.")).to_have_count(0)
    assert trellis.rows("SELECT 1 FROM comments WHERE comment_html LIKE '%of them here%'") == []


def test_a_comment_is_written_without_scripts_and_nobody_edits_anothers(plain_sam: Visitor, trellis: Place) -> None:
    page = plain_sam.open("board", trellis.item_at(39))
    page.get_by_role("textbox", name="Comment").fill("Plain as day.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("Plain as day.")).to_be_visible()
    expect(page.get_by_role("link", name="Edit your comment")).to_have_count(1)
    other = trellis.one("SELECT id FROM comments WHERE issue = ? ORDER BY created_at LIMIT 1", trellis.item(39))
    plain_sam.open("board", f"{trellis.item_at(39)}comments/{other}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not allowed")
    plain_sam.expect_console("403")


def test_links_are_added_changed_and_removed(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(20))
    page.get_by_role("link", name="Add link").first.click()
    dialog = page.get_by_role("dialog", name="Add link")
    dialog.get_by_label("Address").fill("https://larkspur.test/tablets")
    dialog.get_by_label("Title").fill("All tablets")
    dialog.get_by_role("button", name="Save link").click()
    expect(page.get_by_role("link", name="All tablets", exact=True)).to_have_attribute(
        "href", "https://larkspur.test/tablets"
    )
    page.get_by_role("link", name="Edit the link All tablets").click()
    page.get_by_role("dialog", name="Edit link").get_by_label("Title").fill("The tablets")
    page.get_by_role("dialog", name="Edit link").get_by_role("button", name="Save link").click()
    page.get_by_role("button", name="Remove the link The tablets").click()
    expect(page.get_by_role("link", name="The tablets", exact=True)).to_have_count(0)
    sam.open("board", f"{trellis.item_at(20)}links/new/")
    page.get_by_label("Address").fill("ftp://larkspur.test/")
    page.get_by_role("button", name="Save link").click()
    expect(page.get_by_text("Link: Invalid URL scheme.")).to_be_visible()
    sam.expect_console("400")


def test_relations_parent_and_sub_items(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(20))
    page.get_by_role("link", name="Add relation").first.click()
    dialog = page.get_by_role("dialog", name="Relation of TREL-20")
    dialog.get_by_label("TREL-20 is").select_option("Blocked by")
    dialog.get_by_label("Work item").fill("TREL-25")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="Relations")).to_contain_text("Blocked by")
    page.get_by_role("button", name="Remove the relation to TREL-25").click()
    expect(page.get_by_role("region", name="Relations")).not_to_contain_text("Blocked by")

    page.get_by_role("link", name="Change the parent").click()
    page.get_by_role("dialog", name="Parent of TREL-20").get_by_label("Work item").fill("39")
    page.get_by_role("dialog", name="Parent of TREL-20").get_by_role("button", name="Save").click()
    expect(page.get_by_role("form", name="Properties").get_by_role("link", name=re.compile("TREL-39"))).to_be_visible()
    assert trellis.fact(20, "parent") == trellis.item(39)

    page.get_by_role("link", name="Add sub-item").first.click()
    page.get_by_role("dialog", name="New sub-item").get_by_label("Title").fill("Charge it first")
    page.get_by_role("dialog", name="New sub-item").get_by_role("button", name="Create work item").click()
    expect(page.get_by_role("region", name="Sub-items").get_by_role("link", name="Charge it first")).to_be_visible()

    page.get_by_role("button", name="More actions for TREL-20").click()
    page.get_by_role("link", name="Add existing sub-item").click()
    page.get_by_role("dialog", name="Sub-item of TREL-20").get_by_label("Work item").fill("TREL-39")
    page.get_by_role("dialog", name="Sub-item of TREL-20").get_by_role("button", name="Save").click()
    notice(page, "Parent is not valid")  # it is its own parent's parent
    sam.expect_console("400")


def test_what_is_finished_is_archived_and_comes_back(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", trellis.item_at(1))
    page.get_by_role("button", name="More actions for TREL-1").click()
    page.get_by_role("button", name="Archive").click()
    notice(page, "TREL-1 archived.")
    page.get_by_role("link", name="Archives").click()
    page.get_by_role("button", name="Restore TREL-1").click()
    notice(page, "TREL-1 restored.")
    assert trellis.fact(1, "archived_at") is None


def test_an_item_is_deleted_by_its_maker_after_a_question_and_by_nobody_else(
    office: object, visit: Visit, sam: Visitor, trellis: Place
) -> None:
    page = sam.open("board", trellis.item_at(20))
    page.get_by_role("button", name="More actions for TREL-20").click()
    expect(page.get_by_role("button", name="Delete", exact=True)).to_have_count(0)
    priya = as_person(trellis.office, visit, "priya.nair")
    page = priya.open("board", trellis.item_at(20))
    page.get_by_role("button", name="More actions for TREL-20").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="More actions for TREL-20").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    notice(page, "TREL-20 deleted.")
    assert trellis.rows("SELECT 1 FROM items WHERE project = ? AND sequence_id = 20", trellis.id) == []


def test_a_guest_looks_and_comments_and_changes_nothing(visit: Visit, trellis: Place) -> None:
    ines = as_person(trellis.office, visit, "ines.carvalho")
    page = ines.open("board", f"{trellis.at}/issues/?layout=kanban")
    expect(page.get_by_role("link", name="New work item")).to_have_count(0)
    expect(page.get_by_role("link", name="Move TREL-20")).to_have_count(0)
    ines.open("board", trellis.item_at(20))
    expect(page.get_by_label("State")).to_be_disabled()
    page.get_by_role("textbox", name="Comment").fill("A customer asked.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("A customer asked.")).to_be_visible()
    ines.open("board", f"{trellis.item_at(20)}move/")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("You do not have permission")).to_be_visible()
    assert trellis.state(20) == "In Progress"
    ines.expect_console("403")
