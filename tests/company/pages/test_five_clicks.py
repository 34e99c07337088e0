"""Somebody who has never seen it finds the way: each everyday thing takes fewer than five clicks from log-in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]
PASSWORD = "sam-reed-first-day"


class Hand:
    """Clicks on what is visible, and counts; typing and the Enter key are not clicks."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, target: Locator) -> None:
        expect(target).to_be_visible()
        target.click()
        self.clicks += 1


@pytest.fixture
def hand() -> Hand:
    return Hand()


def come(visit: Visit, office: Served, service: str) -> Page:
    address = "sam.reed@larkspur.test" if service == "board" else "sam.reed"
    return visit(office).sign_in(service, address, PASSWORD)


def test_a_colleague_is_answered(office: Served, visit: Visit, hand: Hand) -> None:
    page = come(visit, office, "chat")
    hand.click(page.get_by_role("link", name=re.compile("launch")).first)
    box = page.get_by_role("textbox", name=re.compile("^Message"))
    box.fill("Good morning, I am Sam.")
    box.press("Enter")
    expect(page.get_by_text("Good morning, I am Sam.")).to_be_visible()
    assert hand.clicks < 5


def test_a_merge_request_is_opened(office: Served, visit: Visit, hand: Hand) -> None:
    page = come(visit, office, "forge")
    hand.click(page.get_by_role("link", name=re.compile(r"\btrellis$")).first)
    hand.click(page.get_by_role("link", name=re.compile("^Merge requests")).first)
    hand.click(page.get_by_role("link", name="New merge request").first)
    page.get_by_role("combobox", name="Source branch").select_option("colours")  # with the arrow keys, say
    hand.click(page.get_by_role("button", name="Compare branches and continue"))
    page.get_by_role("textbox", name="Title").fill("One more thing")
    page.get_by_role("textbox", name="Title").press("Enter")
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "opened")
    assert hand.clicks < 5


def test_a_card_is_moved(office: Served, visit: Visit, hand: Hand) -> None:
    page = come(visit, office, "board")
    hand.click(page.get_by_role("link", name=re.compile("Website")).first)
    hand.click(page.get_by_role("link", name="Board", exact=True).last)
    card = page.get_by_role("listitem").filter(has_text=re.compile(r"^\s*WEB-13"))
    card.drag_to(page.get_by_role("region", name="In Progress", exact=True), target_position={"x": 60, "y": 16})
    hand.clicks += 1
    expect(page.get_by_role("status").filter(has_text="WEB-13 moved to In Progress.")).to_be_visible()
    assert hand.clicks < 5


def test_a_file_is_shared(office: Served, visit: Visit, hand: Hand) -> None:
    page = come(visit, office, "drive")
    row = page.get_by_role("row").filter(has_text="notes.md")
    hand.click(row.get_by_role("button", name=re.compile("notes.md")).last)
    hand.click(page.get_by_role("link", name="Share", exact=True).or_(page.get_by_role("button", name="Share")).first)
    dialog = page.get_by_role("dialog", name="Share “notes.md”")
    dialog.get_by_label("Name or group").fill("priya.nair")
    hand.click(dialog.get_by_role("button", name="Share", exact=True))
    expect(dialog.get_by_role("combobox", name="What Priya Nair may do")).to_be_visible()
    assert hand.clicks < 5
