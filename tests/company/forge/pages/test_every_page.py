"""Every page of the forge: one heading, an accessible tree, no sideways scrolling, a silent console, not heavy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from tests.company.forge.pages.conftest import cookie
from tests.company.forge.pages.workshop import SHED, Api
from tests.company.pages.browser import NARROW, Visitor, expect
from tests.company.serving import Served

pytestmark = pytest.mark.xdist_group("forge-pages-every-page")
PROJECT = [
    "", "/-/tree/main", "/-/tree/main/src", "/-/blob/main/src/app.py", "/-/blob/main/README.md",
    "/-/blob/main/README.md?plain=1", "/-/blob/main/logo.png", "/-/blame/main/src/app.py", "/-/commits/main",
    "/-/commits/main/src/app.py", "/-/commit/watering", "/-/compare", "/-/compare/main...watering", "/-/branches",
    "/-/branches/new", "/-/tags", "/-/tags/new", "/-/releases", "/-/releases/v1.0", "/-/releases/new",
    "/-/edit/main/src/app.py", "/-/new/main/src", "/-/upload/main", "/-/delete/main/README.md", "/-/ci/editor",
    "/-/ci/editor?branch_name=watering", "/-/pipelines", "/-/pipelines/new", "/-/jobs", "/-/pipeline_schedules",
    "/-/pipeline_schedules/new", "/-/issues",
    "/-/issues?state=all&sort=title-asc", "/-/issues?search=nothing-like-it", "/-/issues/new", "/-/issues/1",
    "/-/issues/1/edit", "/-/merge_requests", "/-/merge_requests/new",
    "/-/merge_requests/new?merge_request[source_branch]=old/paint", "/-/merge_requests/1",
    "/-/merge_requests/1/commits",
    "/-/merge_requests/1/diffs", "/-/merge_requests/1/edit", "/-/boards", "/-/milestones", "/-/milestones/new",
    "/-/milestones/1", "/-/milestones/1/edit", "/-/labels", "/-/labels/new", "/-/labels/1/edit", "/-/wikis/home",
    "/-/wikis/new", "/-/wikis/pages", "/-/wikis/home/edit", "/-/wikis/home/history", "/-/project_members", "/edit",
    "/-/settings/repository",
]  # fmt: skip
SITE = [
    "/", "/dashboard/projects", "/dashboard/issues", "/dashboard/merge_requests?reviewer_username=sam",
    "/dashboard/todos", "/explore/projects", "/explore/groups", "/garden", "/groups/garden/-/issues",
    "/groups/garden/-/merge_requests", "/groups/garden/-/milestones", "/groups/garden/-/labels",
    "/groups/garden/-/group_members", "/projects/new", "/projects/new?way=import", "/groups/new", "/maya", "/search",
    "/search?search=shed", "/search?search=beds&scope=blobs", "/search?search=roof&scope=issues",
    "/-/user_settings/profile", "/-/user_settings/personal_access_tokens",
]  # fmt: skip


@pytest.fixture(scope="module")
def maya(workshop: Served, chromium: object) -> Visitor:
    """One browser for all pages of this module."""
    from playwright.sync_api import Browser

    assert isinstance(chromium, Browser)
    found = Visitor(chromium, workshop)
    found.context.add_cookies([cookie(workshop, "maya")])  # type: ignore[list-item]  # a subset of its keys
    return found


@pytest.mark.parametrize("path", [*SITE, *(SHED + path for path in PROJECT)])
def test_a_page_is_accessible_and_fits_a_laptop_and_a_phone(maya: Visitor, path: str) -> None:
    page = maya.open("forge", path)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    maya.assert_accessible()
    maya.at_widths()
    problems, maya.problems = maya.problems, []
    assert problems == []


@pytest.mark.parametrize("path", ["/", SHED, f"{SHED}/-/merge_requests/1/diffs", f"{SHED}/-/boards"])
def test_the_main_pages_are_accessible_in_the_dark_and_on_a_phone(maya: Visitor, path: str) -> None:
    maya.open("forge", path)
    maya.assert_good()


def test_no_page_is_heavy_and_none_asks_anybody_else(maya: Visitor, workshop: Served) -> None:
    jar = {one["name"]: one["value"] for one in maya.context.cookies()}
    for path in (*SITE, *(SHED + one for one in PROJECT)):
        text = requests.get(workshop.url("forge") + path, cookies=jar, timeout=30).text
        assert len(text) < 60_000, path
        assert "style=" not in text, path


def test_the_sidebar_is_a_drawer_on_a_phone(maya: Visitor) -> None:
    page = maya.open("forge", SHED)
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    expect(page.get_by_role("link", name="Boards")).to_be_hidden()
    page.get_by_role("button", name="Show navigation").click()
    page.get_by_role("link", name="Boards").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Development")
    page.set_viewport_size({"width": 1280, "height": 720})


def test_the_sidebar_counts_what_is_open(maya: Visitor, api: Api) -> None:
    opened = api.get("/projects/garden%2Fshed")["open_issues_count"]
    page = maya.open("forge", f"{SHED}/-/issues")
    entry = page.get_by_role("navigation", name="Forge").get_by_role("link", name="Issues")
    expect(entry).to_have_text(f"Issues{opened}")
    expect(entry).to_have_attribute("aria-current", "page")


def test_administrators_see_the_accounts(workshop: Served, somebody: Callable[..., Visitor]) -> None:
    root = somebody(workshop, "root", "blank-root-pass")
    page = root.open("forge", "/admin/users")
    root.assert_accessible()
    page.get_by_role("searchbox", name="Name, username or email").fill("gus")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("button", name="Block Gus Guest").click()
    page.get_by_role("dialog").get_by_role("button", name="Block").click()
    expect(page.get_by_role("row", name="Gus Guest")).to_contain_text("Blocked")
    page.get_by_role("button", name="Unblock Gus Guest").click()
    page.get_by_role("dialog").get_by_role("button", name="Unblock").click()
    expect(page.get_by_role("row", name="Gus Guest")).not_to_contain_text("Blocked")
