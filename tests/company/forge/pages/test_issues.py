"""Issues: finding, opening, answering, changing, closing; boards, milestones and labels."""

from __future__ import annotations

import pytest

from tests.company.forge.pages.conftest import At
from tests.company.forge.pages.workshop import SHED, SHED_API, Api
from tests.company.pages.browser import expect

pytestmark = pytest.mark.xdist_group("forge-pages-issues")


def test_the_list_is_filtered_sorted_and_searched(at: At) -> None:
    page = at(f"{SHED}/-/issues")
    rows = page.get_by_role("main").get_by_role("listitem")
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Label").select_option("bug")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("The roof leaks")
    page.get_by_role("link", name="Clear all filters").click()
    page.get_by_role("combobox", name="Assignee").select_option("Sam Reed")
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="Clear all filters").click()
    page.get_by_role("searchbox", name="Search in titles and descriptions").fill("shears")
    page.get_by_role("button", name="Filter").click()
    expect(rows).to_contain_text(["Sharpen the shears"])
    page.get_by_role("link", name="Clear all filters").click()
    page.get_by_role("combobox", name="Milestone").select_option("Spring")
    expect(rows).to_contain_text(["The roof leaks"])
    page = at(f"{SHED}/-/issues?state=all&sort=title-asc&author_username=root")
    expect(rows).to_contain_text(["Paint the door", "Sharpen the shears", "The roof leaks"])
    page.get_by_role("link", name="Closed 1").click()
    expect(rows).to_contain_text(["Paint the door"])


def test_many_issues_come_in_pages(at: At, api: Api) -> None:
    made = [api("POST", f"{SHED_API}/issues", title=f"Small thing {number}")["iid"] for number in range(21)]
    page = at(f"{SHED}/-/issues?search=Small+thing")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(1)
    for iid in made:
        api("DELETE", f"{SHED_API}/issues/{iid}")


def test_an_issue_is_opened_with_everything_at_once(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/issues")
    page.get_by_role("link", name="New issue").first.click()
    page.get_by_role("textbox", name="Title").fill("Fix the <gate>")
    page.get_by_role("textbox", name="Description").fill("It **squeaks**, says @maya.")
    page.get_by_role("group", name="Assignees").get_by_role("checkbox", name="Maya Holt").first.check()
    page.get_by_role("group", name="Labels").get_by_role("checkbox", name="idea").first.check()
    page.get_by_role("combobox", name="Milestone").select_option("Spring")
    page.get_by_label("Due date").fill("2026-04-01")
    page.get_by_role("button", name="Create issue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Fix the <gate>")
    expect(page.get_by_role("link", name="@maya").first).to_have_attribute("href", "/maya")
    found = api.get(f"{SHED_API}/issues", search="gate")[0]
    assert (found["labels"], found["due_date"], found["milestone"]["title"]) == (["idea"], "2026-04-01", "Spring")
    assert [one["username"] for one in found["assignees"]] == ["maya"]
    assert found["author"]["username"] == "sam"


def test_a_comment_is_written_changed_and_deleted(at: At) -> None:
    page = at(f"{SHED}/-/issues/2")
    page.get_by_role("textbox", name="Comment").fill("I do it *today*. See #1 and !1.")
    page.get_by_role("button", name="Comment", exact=True).click()
    mine = page.get_by_role("article", name="Comment by Sam Reed")
    expect(mine.get_by_role("emphasis")).to_have_text("today")
    expect(mine.get_by_role("link", name="#1")).to_have_attribute("href", f"{SHED}/-/issues/1")
    mine.get_by_role("link", name="Edit comment").click()
    page.get_by_role("textbox", name="Edit comment").fill("I do it tomorrow.")
    page.get_by_role("button", name="Save comment").click()
    expect(mine).to_contain_text("I do it tomorrow.")
    mine.get_by_role("button", name="Delete comment").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete comment").click()
    expect(mine).to_have_count(0)


def test_a_thread_is_begun_and_answered(at: At) -> None:
    page = at(f"{SHED}/-/issues/2")
    page.get_by_role("textbox", name="Comment").fill("Which stone?")
    page.get_by_role("checkbox", name="Start a thread").check()
    page.get_by_role("button", name="Comment", exact=True).click()
    thread = page.get_by_role("region", name="Thread")
    thread.get_by_text("Reply", exact=True).first.click()
    thread.get_by_role("textbox", name="Reply").fill("The grey one.")
    thread.get_by_role("button", name="Send reply").click()
    expect(page.get_by_role("region", name="Thread").get_by_role("article")).to_have_count(2)


def test_details_are_changed_one_by_one(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/issues/2")
    details = page.get_by_role("complementary", name="Details")

    def open_part(name: str) -> None:
        details.get_by_label(f"Edit {name}", exact=True).click()

    open_part("assignees")
    details.get_by_role("checkbox", name="Sam Reed").check()
    details.get_by_role("button", name="Save assignees").click()
    open_part("labels")
    details.get_by_role("checkbox", name="bug").check()
    details.get_by_role("button", name="Save labels").click()
    open_part("milestone")
    details.get_by_role("combobox", name="Choose a milestone").select_option("Spring")
    details.get_by_role("button", name="Save milestone").click()
    open_part("due date")
    details.get_by_label("Choose a due date").fill("2026-04-02")
    details.get_by_role("button", name="Save due date").click()
    open_part("weight")
    details.get_by_role("spinbutton", name="Weight").fill("3")
    details.get_by_role("button", name="Save weight").click()
    open_part("confidentiality")
    details.get_by_role("checkbox", name="Confidential").check()
    details.get_by_role("button", name="Save confidentiality").click()
    expect(page.get_by_role("status")).to_contain_text("Issue saved.")
    found = api.get(f"{SHED_API}/issues/2")
    assert ("bug" in found["labels"], found["milestone"]["title"], found["due_date"]) == (True, "Spring", "2026-04-02")
    assert (found["weight"], found["confidential"]) == (3, True)
    assert [one["username"] for one in found["assignees"]] == ["sam"]
    api("PUT", f"{SHED_API}/issues/2", confidential=False, labels="doing,idea")


def test_an_issue_is_edited_closed_and_reopened(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/issues/2")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Title").fill("Sharpen all shears")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sharpen all shears")
    page.get_by_role("button", name="Close issue", exact=True).click()
    expect(page.get_by_role("main").get_by_text("Closed", exact=True)).to_be_visible()
    assert api.get(f"{SHED_API}/issues/2")["closed_by"]["username"] == "sam"
    page.get_by_role("textbox", name="Comment").fill("Not yet.")
    page.get_by_role("button", name="Comment & reopen issue").click()
    expect(page.get_by_role("article", name="Comment by Sam Reed").last).to_contain_text("Not yet.")
    assert api.get(f"{SHED_API}/issues/2")["state"] == "opened"


def test_a_card_is_moved_by_its_menu_and_by_hand(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/boards")
    doing = page.get_by_role("region", name="doing")
    page.get_by_role("button", name="Move #1", exact=True).click()
    page.get_by_role("button", name="Move to doing").and_(page.locator(":visible")).click()
    expect(doing.get_by_role("link", name="The roof leaks")).to_be_visible()
    assert "doing" in api.get(f"{SHED_API}/issues/1")["labels"]
    card = doing.get_by_role("listitem").filter(has_text="The roof leaks")
    card.drag_to(page.get_by_role("region", name="Closed").get_by_role("list"))
    expect(page.get_by_role("region", name="Closed").get_by_role("link", name="The roof leaks")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("#1 moved to Closed.")
    assert api.get(f"{SHED_API}/issues/1")["state"] == "closed"
    card = page.get_by_role("region", name="Closed").get_by_role("listitem").filter(has_text="The roof leaks")
    card.drag_to(page.get_by_role("region", name="Open").get_by_role("list"))
    expect(page.get_by_role("region", name="Open").get_by_role("link", name="The roof leaks")).to_be_visible()
    found = api.get(f"{SHED_API}/issues/1")
    assert (found["state"], found["labels"]) == ("opened", ["bug"])


def test_lists_and_boards_are_added_and_removed(at: At) -> None:
    page = at(f"{SHED}/-/boards")
    page.get_by_role("button", name="New list").click()
    page.get_by_role("combobox", name="Label of the list").select_option("idea")
    page.get_by_role("button", name="Add list").click()
    expect(page.get_by_role("region", name="idea")).to_be_visible()
    page.get_by_role("button", name="Remove list idea").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove list").click()
    expect(page.get_by_role("region", name="idea")).to_have_count(0)
    page.get_by_role("button", name="More").click()
    page.get_by_role("textbox", name="New board's name").fill("Second")
    page.get_by_role("button", name="Create board").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Second")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Delete board").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete board").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Development")


def test_a_milestone_lives(at: At) -> None:
    page = at(f"{SHED}/-/milestones")
    page.get_by_role("link", name="New milestone").click()
    page.get_by_role("textbox", name="Title").fill("Autumn")
    page.get_by_label("Start date").fill("2026-10-02")
    page.get_by_role("textbox", name="Description").fill("Leaves")
    page.get_by_label("Due date").fill("2026-10-31")
    page.get_by_role("button", name="Save milestone").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Title").fill("Late autumn")
    page.get_by_role("button", name="Save milestone").click()
    page.get_by_role("button", name="Close milestone").click()
    page.get_by_role("button", name="Reopen milestone").click()
    page.get_by_role("button", name="Delete milestone").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete milestone").click()
    expect(page.get_by_role("status")).to_contain_text("Milestone Late autumn deleted.")
    page.get_by_role("link", name="Spring").click()
    expect(page.get_by_role("region", name="Issues")).to_contain_text("The roof leaks")


def test_a_label_lives(at: At) -> None:
    page = at(f"{SHED}/-/labels")
    page.get_by_role("link", name="New label").click()
    page.get_by_role("textbox", name="Name").fill("wish")
    page.get_by_label("Colour").fill("#123456")
    page.get_by_role("button", name="Save label").click()
    page.get_by_role("link", name="Edit label wish").click()
    page.get_by_role("textbox", name="Name").fill("wishes")
    page.get_by_role("button", name="Save label").click()
    page.get_by_role("button", name="Delete label wishes").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete label").click()
    expect(page.get_by_role("button", name="Delete label wishes")).to_have_count(0)
