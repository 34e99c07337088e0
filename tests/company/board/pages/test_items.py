"""Lists of items: filters in the address, adding, and moving by mouse, by keys, by menu and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.company.board.pages.conftest import Place, column, notice
from tests.company.pages.browser import Visitor, expect


def drag(page: Page, key: str, to: str) -> None:
    """Take a card with the mouse and let it go over a column."""
    source = page.get_by_role("listitem").filter(has_text=re.compile(rf"^\s*{key}\b"))
    source.drag_to(column(page, to), target_position={"x": 60, "y": 16})


def test_a_card_is_dragged_to_another_column(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    page.evaluate("window.kept = true")
    drag(page, "TREL-20", "Todo")
    notice(page, "TREL-20 moved to Todo.")
    expect(column(page, "Todo").get_by_role("listitem").first).to_contain_text("TREL-20")
    expect(column(page, "In Progress")).not_to_contain_text("TREL-20")
    assert page.evaluate("window.kept")
    assert trellis.state(20) == "Todo"
    page.reload()
    expect(column(page, "Todo")).to_contain_text("TREL-20")


def test_a_card_lands_below_the_one_it_was_dropped_on(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    todo = column(page, "Todo").get_by_role("listitem")
    first, second = (todo.nth(at).locator(".key").inner_text() for at in (0, 1))
    moved = page.get_by_role("listitem").filter(has_text="TREL-20")
    box = todo.first.bounding_box()
    assert box is not None
    moved.drag_to(todo.first, target_position={"x": 40, "y": box["height"] - 4})
    expect(todo.nth(1)).to_contain_text("TREL-20")
    expect(todo.nth(0)).to_contain_text(first)
    expect(todo.nth(2)).to_contain_text(second)


def test_keys_take_a_card_to_the_column_beside_it(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    page.locator(f"#open-{trellis.item(20)}").focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(column(page, "In Review")).to_contain_text("TREL-20")
    expect(page.locator(f"#open-{trellis.item(20)}")).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    expect(column(page, "In Progress")).to_contain_text("TREL-20")
    assert trellis.state(20) == "In Progress"


def test_the_menu_of_a_card_moves_it(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    page.get_by_role("link", name="Move TREL-20").click()
    dialog = page.get_by_role("dialog", name="Move TREL-20")
    expect(dialog.get_by_role("button", name="In Progress")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_role("button", name="Done").click()
    expect(column(page, "Done")).to_contain_text("TREL-20")
    assert trellis.fact(20, "completed_at") is not None


def test_a_card_is_moved_without_scripts(plain_sam: Visitor, trellis: Place) -> None:
    address = f"{trellis.at}/issues/?layout=kanban"
    page = plain_sam.open("board", address)
    page.get_by_role("link", name="Move TREL-20").click()
    page.get_by_role("button", name="Done").click()
    expect(page).to_have_url(plain_sam.served.url("board") + address)
    expect(column(page, "Done")).to_contain_text("TREL-20")
    notice(page, "TREL-20 moved to Done.")


def test_a_move_is_one_request_and_one_change_in_the_journal(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    drag(page, "TREL-20", "Todo")
    notice(page, "TREL-20 moved to Todo.")
    journal = trellis.office.company.journal
    path = f"{trellis.item_at(20)}move/"
    rows = trellis.office.call(lambda: journal.requests("board", path, method="POST"))
    assert [(row.account, row.status) for row in rows] == [("sam.reed", 303)]
    told = trellis.office.call(lambda: [one.words for one in trellis.office.company.changes("board")])
    assert told == ['sam.reed moved TREL-20 "Tablets with battery saving show an old plan" from In Progress to Todo'], (
        told
    )


def test_the_board_can_be_grouped_by_priority_and_a_move_sets_it(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    page.get_by_label("Group").select_option("Priority")
    expect(column(page, "High")).to_contain_text("TREL-20")
    drag(page, "TREL-20", "Urgent")
    expect(column(page, "Urgent")).to_contain_text("TREL-20")
    assert trellis.fact(20, "priority") == "urgent"


def test_an_item_is_added_in_its_column_and_in_its_section(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    todo = column(page, "Todo")
    todo.get_by_role("button", name="Add work item to Todo").click()
    for name in ("Order labels for the vans", "Count the vans"):
        todo.get_by_role("textbox", name="Title of the work item for Todo").fill(name)
        todo.get_by_role("textbox", name="Title of the work item for Todo").press("Enter")
        expect(todo.get_by_role("link", name=name)).to_be_visible()
    assert trellis.rows(
        "SELECT items.name, states.name, users.username FROM items JOIN states ON states.id = items.state"
        " JOIN users ON users.id = items.created_by WHERE items.name LIKE '%vans' ORDER BY sequence_id"
    ) == [("Order labels for the vans", "Todo", "sam.reed"), ("Count the vans", "Todo", "sam.reed")]


def test_an_item_is_added_without_scripts(plain_sam: Visitor, trellis: Place) -> None:
    page = plain_sam.open("board", f"{trellis.at}/issues/")
    page.get_by_role("button", name="Add work item to Backlog").click()
    page.get_by_role("textbox", name="Title of the work item for Backlog").fill("Paper still works")
    column(page, "Backlog").get_by_role("button", name="Add", exact=True).click()
    expect(column(page, "Backlog").get_by_role("link", name="Paper still works")).to_be_visible()


def test_a_whole_item_is_written_in_one_form(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/")
    page.get_by_role("link", name="New work item").click()
    form = page.get_by_role("dialog", name="New work item")
    form.get_by_label("Title").fill("Write the launch letter")
    form.get_by_label("Description").fill("To **every** garden centre:\n\n- what is new\n- who answers")
    form.get_by_label("State").select_option("Todo")
    form.get_by_label("Priority").select_option("High")
    form.get_by_label("Start date").fill("2026-03-10")
    form.get_by_label("Due date").fill("2026-03-13")
    form.get_by_label("Cycle").select_option("Sprint 7")
    form.get_by_label("Module").select_option("Launch")
    form.get_by_role("group", name="Assignees").get_by_label("Sam Reed").check()
    form.get_by_role("group", name="Labels").get_by_label("docs").check()
    form.get_by_role("button", name="Create work item").click()
    page.get_by_role("link", name="Write the launch letter").click()
    panel = page.get_by_role("complementary", name="Work item")
    expect(panel.get_by_role("listitem").filter(has_text="what is new")).to_be_visible()
    expect(panel.locator("strong", has_text="every")).to_be_visible()
    expect(panel.get_by_label("Cycle")).to_have_value(re.compile("."))
    expect(panel.get_by_role("button", name="Assignees: Sam Reed")).to_be_visible()
    expect(panel.get_by_role("button", name="Modules: Launch")).to_be_visible()


def test_dates_the_wrong_way_round_are_refused_and_nothing_is_lost(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/new/")
    page.get_by_label("Title").fill("Backwards")
    page.get_by_label("Start date").fill("2026-03-13")
    page.get_by_label("Due date").fill("2026-03-10")
    page.get_by_role("button", name="Create work item").click()
    expect(page.get_by_role("alert")).to_contain_text("Start date cannot exceed target date.")
    expect(page.get_by_label("Title")).to_have_value("Backwards")
    assert trellis.rows("SELECT 1 FROM items WHERE name = 'Backwards'") == []
    sam.expect_console("400")


# -- filters -----------------------------------------------------------------------------------------------------


def test_filters_stand_in_the_address_and_are_taken_away_one_by_one(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("group", name="Priority").get_by_label("Urgent").check()
    expect(page).to_have_url(re.compile(r"priority=urgent"))
    expect(page.get_by_role("group", name="Label").get_by_label("launch")).to_be_visible()  # the filters stay open
    page.get_by_role("group", name="Label").get_by_label("launch").check()
    expect(page).to_have_url(re.compile(r"label="))
    expected = trellis.one(
        "SELECT count(*) FROM items WHERE project = ? AND listed AND priority = 'urgent' AND id IN"
        " (SELECT issue FROM item_labels JOIN labels ON labels.id = label WHERE labels.name = 'launch')", trellis.id,
    )  # fmt: skip
    expect(page.get_by_text(re.compile(rf"^{expected} items?$"))).to_be_visible()
    address = page.url
    page.reload()
    assert page.url == address
    expect(page.get_by_text(re.compile(rf"^{expected} items?$"))).to_be_visible()
    page.get_by_role("link", name="Remove the filter Priority: Urgent").click()
    expect(page).not_to_have_url(re.compile("priority="))
    page.get_by_role("link", name="Clear all").click()
    expect(page.get_by_role("list", name="Filters in use")).to_have_count(0)


def test_every_filter_narrows_the_list(sam: Visitor, trellis: Place) -> None:
    def ids(sql: str) -> str:
        return str(trellis.one(sql))

    me = ids("SELECT id FROM users WHERE username = 'jonas.weber'")
    cycle = ids("SELECT id FROM cycles WHERE name = 'Sprint 7'")
    module = ids("SELECT id FROM modules WHERE name = 'Launch'")
    state = ids(f"SELECT id FROM states WHERE project = '{trellis.id}' AND name = 'Todo'")
    listed = f"SELECT count(*) FROM items WHERE project = '{trellis.id}' AND listed AND "
    for query, condition in {
        f"state={state}": f"state = '{state}'",
        f"assignee={me}": f"id IN (SELECT issue FROM item_assignees WHERE assignee = '{me}')",
        "assignee=none": "id NOT IN (SELECT issue FROM item_assignees)",
        f"cycle={cycle}": f"id IN (SELECT issue FROM cycle_items WHERE cycle = '{cycle}')",
        f"module={module}&module=none": f"(id IN (SELECT issue FROM module_items WHERE module = '{module}')"
        " OR id NOT IN (SELECT issue FROM module_items))",
        "due_from=2026-03-09&due_to=2026-03-13": "target_date BETWEEN '2026-03-09' AND '2026-03-13'",
        "start_from=2026-03-01": "start_date >= '2026-03-01'",
        "search=tablet": "name LIKE '%tablet%'",
        "search=TREL-20": "sequence_id = 20",
        "sub=hide": "parent IS NULL",
        "due_from=yesterday&priority=nonsense%27--": "priority = 'nonsense'",
    }.items():
        page = sam.open("board", f"{trellis.at}/issues/?{query}")
        number = trellis.one(listed + condition)
        expect(page.get_by_text(re.compile(rf"^{number} items?$"))).to_be_visible()


def test_filters_and_order_work_without_scripts(plain_sam: Visitor, trellis: Place) -> None:
    page = plain_sam.open("board", f"{trellis.at}/issues/?layout=table")
    page.get_by_label("Order").select_option("Name")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("group", name="Priority").get_by_label("High").check()
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("layout=table"))
    names = page.locator("tbody .wide-cell").all_inner_texts()
    assert names == [row[0] for row in trellis.rows(
        "SELECT name FROM items WHERE project = ? AND listed AND priority = 'high' ORDER BY name", trellis.id
    )]  # fmt: skip


# -- the panel ---------------------------------------------------------------------------------------------------


def test_an_item_opens_in_a_panel_beside_the_list_and_closes_again(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?layout=kanban")
    page.get_by_role("link", name="Tablets with battery saving show an old plan").click()
    panel = page.get_by_role("complementary", name="Work item")
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    expect(page).to_have_url(re.compile(f"layout=kanban&peek={trellis.item(20)}"))
    panel.get_by_label("State").select_option("In Review")
    expect(column(page, "In Review")).to_contain_text("TREL-20")
    expect(panel.get_by_label("State").locator("option:checked")).to_have_text("In Review")
    page.keyboard.press("Escape")
    page.locator("body").press("Escape")
    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile("layout=kanban$"))
    page.go_back()
    expect(panel.get_by_role("heading", level=2)).to_be_visible()
    panel.get_by_role("link", name="Open full page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tablets with battery saving show an old plan")
    path = trellis.item_at(20)
    assert len(trellis.office.call(trellis.office.company.journal.requests, "board", path)) >= 2


def test_a_comment_in_the_panel_stays_in_the_panel(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?peek={trellis.item(20)}")
    panel = page.get_by_role("complementary", name="Work item")
    panel.get_by_role("textbox", name="Comment").fill("Seen on my own tablet, too.")
    panel.get_by_role("button", name="Comment", exact=True).click()
    expect(panel.get_by_text("Seen on my own tablet, too.")).to_be_visible()
    expect(page).to_have_url(re.compile("peek="))


def test_a_panel_for_what_does_not_exist_is_no_panel(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?peek=nonsense")
    expect(page.get_by_role("complementary", name="Work item")).to_have_count(0)
    expect(column(page, "Todo")).to_be_visible()
