"""Merge requests: opening, reviewing line by line, approving, merging."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.company.forge.pages.conftest import At
from tests.company.forge.pages.workshop import SHED, SHED_API, Api
from tests.company.pages.browser import expect

pytestmark = pytest.mark.xdist_group("forge-pages-merge-requests")


def test_a_merge_request_is_opened_from_the_list(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/merge_requests")
    page.get_by_role("link", name="New merge request").first.click()
    page.get_by_role("combobox", name="Source branch").select_option("old/paint")
    page.get_by_role("button", name="Compare branches and continue").click()
    expect(page.get_by_role("region", name="Changes in paint.txt")).to_be_visible()
    page.get_by_role("textbox", name="Title").fill("Paint it red")
    page.get_by_role("checkbox", name="Mark as draft").check()
    page.get_by_role("group", name="Reviewers").get_by_role("checkbox", name="Maya Holt").first.check()
    page.get_by_role("button", name="Create merge request").click()
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "opened")
    expect(page.get_by_text("It cannot be merged yet.")).to_be_visible()
    page.get_by_role("button", name="Mark as ready").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Paint it red")
    page.get_by_role("button", name="Close merge request").click()
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "closed")
    page.get_by_role("button", name="Reopen merge request").click()
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "opened")
    found: Any = api.get(f"{SHED_API}/merge_requests", search="Paint")[0]
    assert ([one["username"] for one in found["reviewers"]], found["author"]["username"]) == (["maya"], "sam")


def test_a_line_is_commented_on_answered_and_resolved(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/merge_requests/1/diffs")
    page.get_by_role("link", name="Comment on line 6 of src/app.py").last.focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Comment on line 6").fill("What of *snow*?")
    page.get_by_role("button", name="Add comment").click()
    thread = page.get_by_role("region", name="Thread")
    expect(thread).to_contain_text("What of snow?")
    thread.get_by_text("Reply", exact=True).first.click()
    thread.get_by_role("textbox", name="Reply").fill("It melts.")
    thread.get_by_role("button", name="Send reply").click()
    expect(page.get_by_role("region", name="Thread").get_by_role("article")).to_have_count(2)
    page.get_by_role("button", name="Resolve thread").click()
    expect(page.get_by_text("Resolved by Sam Reed")).to_be_visible()
    note = api.get(f"{SHED_API}/merge_requests/1/discussions")[-1]["notes"][0]
    assert (note["position"]["new_path"], note["position"]["new_line"], note["resolved"]) == ("src/app.py", 6, True)
    page.get_by_role("link", name="Overview").last.click()
    expect(page.get_by_role("link", name="src/app.py, line 6")).to_be_visible()
    page.get_by_role("button", name="Reopen thread").click()
    expect(page.get_by_role("button", name="Resolve thread")).to_be_visible()


def test_a_reviewer_comments_approves_and_takes_it_back(at: At, api: Api) -> None:
    page = at("/")
    page.get_by_role("region", name="Waiting for your review").get_by_role("link", name="Wait for the rain").click()
    page.get_by_role("textbox", name="Comment").fill("Looks right to me.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("article", name="Comment by Sam Reed").last).to_contain_text("Looks right to me.")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("region", name="Merging")).to_contain_text("Approved by Sam Reed")
    page.get_by_role("button", name="Revoke approval").click()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    assert api.get(f"{SHED_API}/merge_requests/1/approvals")["approved_by"] == []


def test_details_are_changed(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/merge_requests/1", as_="maya")
    details = page.get_by_role("complementary", name="Details")
    details.get_by_label("Edit reviewers", exact=True).click()
    details.get_by_role("checkbox", name="Maya Holt").and_(page.locator(":visible")).check()
    details.get_by_role("button", name="Save reviewers").click()
    details.get_by_label("Edit labels", exact=True).click()
    details.get_by_role("checkbox", name="bug").check()
    details.get_by_role("button", name="Save labels").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Title").fill("Wait for rain")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Wait for rain")
    found = api.get(f"{SHED_API}/merge_requests/1")
    assert sorted(one["username"] for one in found["reviewers"]) == ["maya", "sam"]
    assert found["labels"] == ["bug", "idea"]


def test_a_developer_may_not_merge_into_a_protected_branch(at: At) -> None:
    page = at(f"{SHED}/-/merge_requests/1")
    expect(page.get_by_role("button", name="Merge", exact=True)).to_have_count(0)
    expect(page.get_by_text("Ready to merge by members who can write to main.")).to_be_visible()


def test_merging_squashes_deletes_the_branch_and_closes_the_issue(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/merge_requests/1/commits", as_="maya")
    expect(page.get_by_role("link", name="Wait for the rain")).to_be_visible()
    page.get_by_role("link", name="Overview").last.click()
    page.get_by_role("checkbox", name="Delete source branch").check()
    page.get_by_role("checkbox", name="Squash commits").check()
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "merged")
    expect(page.get_by_role("region", name="Merging")).to_contain_text("Merged by Maya Holt")
    assert "watering" not in [one["name"] for one in api.get(f"{SHED_API}/repository/branches")]
    assert api.get(f"{SHED_API}/issues/1")["state"] == "closed"
    page.get_by_role("link", name="Merge requests").first.click()
    page.get_by_role("link", name="Merged 1").click()
    expect(page.get_by_role("main").get_by_role("listitem")).to_contain_text([re.compile("Wait for (the )?rain")])
