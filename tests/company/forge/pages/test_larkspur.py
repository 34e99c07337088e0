"""Larkspur's own projects in the browser, as Sam sees them on the first day; also the pictures of the documentation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.company.pages.browser import NARROW, Visitor, expect
from tests.company.serving import Served

pytestmark = pytest.mark.xdist_group("forge-pages-larkspur")
TRELLIS = "/larkspur/trellis"


def test_the_main_pages_show_larkspur(office: Served, somebody: Callable[..., Visitor]) -> None:
    sam = somebody(office, "sam.reed", "sam-reed-first-day")
    page = sam.open("forge", "/")
    expect(page.get_by_role("region", name="Your projects")).to_contain_text("trellis")
    sam.shoot("forge-home")
    page = sam.open("forge", TRELLIS)
    expect(page.get_by_role("link", name="README.md")).to_be_visible()
    sam.shoot("forge-project")
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    sam.shoot("forge-project-phone")
    page.set_viewport_size({"width": 1280, "height": 720})
    page = sam.open("forge", f"{TRELLIS}/-/issues")
    expect(page.get_by_role("main").get_by_role("listitem")).not_to_have_count(0)
    sam.shoot("forge-issues")
    page = sam.open("forge", f"{TRELLIS}/-/merge_requests")
    page.get_by_role("main").get_by_role("listitem").get_by_role("link").first.click()
    expect(page.locator(".js-mr-header")).to_have_attribute("data-state", "opened")
    sam.shoot("forge-merge-request")
    page.get_by_role("navigation", name="Merge request").get_by_role("link", name="Changes").click()
    expect(page.locator(".diff tr.add").first).to_be_visible()
    page.emulate_media(color_scheme="dark")
    sam.shoot("forge-changes-dark")
    page.emulate_media(color_scheme="light")
    page = sam.open("forge", f"{TRELLIS}/-/boards")
    expect(page.get_by_role("region", name="Open")).to_be_visible()
    sam.shoot("forge-board")
    page = sam.open("forge", f"{TRELLIS}/-/blob/main/trellis/schedule.py")
    expect(page.get_by_role("region", name="Content of schedule.py")).to_contain_text("def plan")
    sam.shoot("forge-file")
    page = sam.open("forge", f"{TRELLIS}/-/wikis/home")
    expect(page.get_by_test_id("wiki-page-content")).to_be_visible()
    sam.shoot("forge-wiki")
