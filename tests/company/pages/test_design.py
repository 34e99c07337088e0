"""The shared design: accessible in both themes and widths, keyboard and forms, and nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dayjob.service_names import NAMES
from tests.company.pages.browser import Visitor, expect
from tests.company.pages.gallery import open_gallery
from tests.company.serving import Served

Visit = Callable[..., Visitor]


@pytest.mark.parametrize("service", NAMES)
def test_every_component_is_accessible_in_light_and_dark_on_laptop_and_phone(
    office: Served, visit: Visit, service: str
) -> None:
    sam = visit(office)
    _, address = open_gallery(office, service)
    sam.page.goto(address)
    sam.assert_good()
    if service == "chat":
        sam.shoot("components")


def test_the_first_page_is_small_and_asks_nobody_else(office: Served, visit: Visit) -> None:
    sam = visit(office)
    _, address = open_gallery(office, "chat")
    sizes: dict[str, int] = {}
    sam.page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    sam.page.goto(address)
    sam.page.wait_for_load_state("networkidle")
    assert len(sizes) >= 4
    assert all(url.startswith(address) for url in sizes)
    assert sum(sizes.values()) < 100_000


def test_a_form_saves_without_a_reload_and_says_so(office: Served, visit: Visit) -> None:
    sam = visit(office)
    gallery, address = open_gallery(office, "board")
    sam.page.goto(address)
    sam.page.evaluate("window.kept = true")
    sam.page.get_by_role("textbox", name="Note").fill("lunch at <noon>")
    sam.page.get_by_role("button", name="Save").click()
    expect(sam.page.get_by_role("region", name="Notes").get_by_role("listitem")).to_have_text("lunch at <noon>")
    expect(sam.page.get_by_role("status")).to_contain_text("Saved “lunch at <noon>”.")
    expect(sam.page.get_by_role("textbox", name="Note")).to_have_value("")
    assert sam.page.evaluate("window.kept")
    assert gallery.notes == ["lunch at <noon>"]


def test_the_same_form_works_without_scripts(office: Served, visit: Visit) -> None:
    sam = visit(office, java_script_enabled=False)
    gallery, address = open_gallery(office, "board")
    sam.page.goto(address)
    sam.page.get_by_role("textbox", name="Note").fill("by hand")
    sam.page.get_by_role("button", name="Save").click()
    expect(sam.page.get_by_text("Saved “by hand”.")).to_be_visible()
    sam.page.reload()
    expect(sam.page.get_by_text("Saved “by hand”.")).to_have_count(0)
    assert gallery.notes == ["by hand"]


def test_a_question_is_asked_before_and_no_means_no(office: Served, visit: Visit) -> None:
    sam = visit(office)
    gallery, address = open_gallery(office, "drive")
    sam.page.goto(address)
    sam.page.get_by_role("button", name="Ask first").click()
    question = sam.page.get_by_role("dialog", name="Are you sure?")
    expect(question).to_contain_text("Save a note that says “sure”?")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    assert gallery.notes == []
    sam.page.get_by_role("button", name="Ask first").click()
    question.get_by_role("button", name="Ask first").click()
    expect(sam.page.get_by_role("listitem").filter(has_text="sure")).to_be_visible()
    assert gallery.notes == ["sure"]


def test_menus_dialogs_and_search_answer_to_the_keyboard(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = sam.page
    page.goto(open_gallery(office, "forge")[1])
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("n")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="More").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Details")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Details")).to_be_hidden()
    expect(page.get_by_role("button", name="More")).to_be_focused()
    page.keyboard.press("n")
    expect(page.get_by_role("dialog", name="New room")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="New room")).to_be_hidden()


def test_the_theme_is_remembered(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = sam.page
    page.goto(open_gallery(office, "chat")[1])
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark").click()
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_the_navigation_is_a_drawer_on_a_phone_even_without_scripts(office: Served, visit: Visit) -> None:
    sam = visit(office, java_script_enabled=False, viewport={"width": 390, "height": 844})
    sam.page.goto(open_gallery(office, "chat")[1])
    room = sam.page.get_by_role("navigation", name="Chat").get_by_role("link", name="general")
    expect(room).to_be_hidden()
    sam.page.get_by_role("button", name="Show navigation").click()
    expect(room).to_be_visible()
    sam.page.keyboard.press("Escape")
    expect(room).to_be_hidden()


def test_the_bar_leads_to_the_other_services_of_the_same_company(office: Served, visit: Visit) -> None:
    sam = visit(office)
    sam.page.goto(open_gallery(office, "chat")[1])
    services = sam.page.get_by_role("navigation", name="Services").get_by_role("link")
    assert services.all_inner_texts() == ["Forge", "Board", "Drive"]
    assert services.first.get_attribute("href") == office.url("forge") + "/"
