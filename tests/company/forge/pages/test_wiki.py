"""The wiki: reading, writing, history, deleting."""

from __future__ import annotations

import pytest

from tests.company.forge.pages.conftest import At
from tests.company.forge.pages.workshop import SHED, SHED_API, Api
from tests.company.pages.browser import expect

pytestmark = pytest.mark.xdist_group("forge-pages-wiki")


def test_pages_lead_to_each_other(at: At) -> None:
    page = at(f"{SHED}/-/wikis")
    expect(page.get_by_role("heading", level=1)).to_have_text("home")
    expect(page.get_by_role("heading", level=2, name="Welcome")).to_be_visible()
    page.get_by_role("link", name="[[setup]]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("setup")
    page.get_by_role("complementary", name="Wiki pages").get_by_role("link", name="home").click()
    page.get_by_role("link", name="the setup").click()
    expect(page.get_by_text("Take a spade.")).to_be_visible()


def test_a_page_is_written_changed_looked_back_at_and_deleted(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/wikis/home")
    page.get_by_role("link", name="New page").click()
    page.get_by_role("textbox", name="Title").fill("tools/rakes and hoes")
    page.get_by_role("textbox", name="Content").fill("Two rakes.")
    page.get_by_role("button", name="Create page").click()
    expect(page.get_by_test_id("wiki-page-content")).to_have_text("Two rakes.")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Content").fill("Three rakes.")
    page.get_by_role("textbox", name="Commit message").fill("Count again")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_text("Last edited by Sam Reed")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("link", name="Count again")).to_be_visible()
    page.get_by_role("link", name="sam created page: tools/rakes and hoes").click()
    expect(page.get_by_test_id("wiki-page-content")).to_have_text("Two rakes.")
    page.get_by_role("link", name="See the latest version").click()
    assert api.get(f"{SHED_API}/wikis/tools%2Frakes-and-hoes")["content"] == "Three rakes."
    page.get_by_role("button", name="Delete page").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete page").click()
    expect(page.get_by_role("status")).to_contain_text("deleted.")
    assert "tools" not in str(api.get(f"{SHED_API}/wikis"))


def test_a_page_is_renamed(at: At, api: Api) -> None:
    api("POST", f"{SHED_API}/wikis", title="ladders", content="One.")
    page = at(f"{SHED}/-/wikis/ladders/edit")
    page.get_by_role("textbox", name="Title").fill("long ladders")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("long ladders")
    assert "ladders" not in [one["slug"] for one in api.get(f"{SHED_API}/wikis")]
