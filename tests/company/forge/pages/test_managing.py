"""Members, settings, new projects and groups, one's own account, search, to-dos."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.company.forge.pages.conftest import At
from tests.company.forge.pages.workshop import PASSWORD, PIXEL, SHED, SHED_API, Api
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

pytestmark = pytest.mark.xdist_group("forge-pages-managing")


def test_a_member_is_invited_gets_another_role_and_is_removed(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/project_members", as_="maya")
    page.get_by_role("combobox", name="Username").fill("gus")
    page.get_by_role("combobox", name="Role", exact=True).select_option("Reporter")
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("row", name="Gus Guest")).to_contain_text("Direct")
    page.get_by_role("combobox", name="Role of Gus Guest").select_option("Developer")
    page.get_by_role("button", name="Change role of Gus Guest").click()
    expect(page.get_by_role("status")).to_contain_text("Role changed.")
    assert [one["access_level"] for one in api.get(f"{SHED_API}/members")] == [30]
    page.get_by_role("button", name="Remove Gus Guest").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("row", name="Gus Guest")).to_have_count(0)


def test_an_unknown_name_is_refused_with_a_sentence(workshop: Served, somebody: Callable[..., Visitor]) -> None:
    maya = somebody(workshop, "maya")
    page = maya.open("forge", f"{SHED}/-/project_members")
    page.get_by_role("combobox", name="Username").fill("nobody")
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("alert")).to_have_text("There is no account of that name.")
    maya.expect_console("422")


def test_settings_belong_to_maintainers(workshop: Served, somebody: Callable[..., Visitor]) -> None:
    sam = somebody(workshop, "sam")
    page = sam.open("forge", SHED)
    expect(page.get_by_role("link", name="Settings")).to_have_count(0)
    page = sam.open("forge", f"{SHED}/edit")
    expect(page.get_by_role("alert")).to_have_text("You are not allowed to do this.")
    sam.expect_console("403")


def test_a_project_is_described_shown_pictured_and_archived(at: At, api: Api, tmp_path: Path) -> None:
    page = at(f"{SHED}/edit", as_="maya")
    page.get_by_role("textbox", name="Project name").fill("Potting shed")
    page.get_by_role("textbox", name="Description").fill("All the tools.")
    page.get_by_role("combobox", name="Visibility").select_option("public")
    page.get_by_role("combobox", name="Default branch").select_option("old/paint")
    page.get_by_role("button", name="Save general settings").click()
    expect(page.get_by_role("status")).to_contain_text("Settings saved.")
    found = api.get(SHED_API)
    assert (found["name"], found["visibility"], found["default_branch"]) == ("Potting shed", "public", "old/paint")
    page.get_by_role("combobox", name="Default branch").select_option("main")
    page.get_by_role("button", name="Save general settings").click()
    picture = tmp_path / "shed.png"
    picture.write_bytes(PIXEL)
    page.get_by_label("Picture file").set_input_files(picture)
    page.get_by_role("button", name="Save picture").click()
    expect(page.get_by_role("button", name="Remove picture")).to_be_visible()
    shown = requests.get(api.get(SHED_API)["avatar_url"], timeout=30)
    assert shown.content == PIXEL
    page.get_by_role("spinbutton", name="Approvals needed before merging").fill("1")
    page.get_by_role("checkbox", name="All threads must be resolved before merging").check()
    page.get_by_role("button", name="Save features").click()
    assert api.get(SHED_API)["only_allow_merge_if_all_discussions_are_resolved"] is True
    page.get_by_role("button", name="Archive project").click()
    expect(page.get_by_text("The project is read-only.")).to_be_visible()
    page = at(f"{SHED}/-/issues/1", as_="maya")
    expect(page.get_by_role("textbox", name="Comment")).to_have_count(0)
    page = at(f"{SHED}/edit", as_="maya")
    page.get_by_role("button", name="Unarchive project").click()
    expect(page.get_by_role("status")).to_contain_text("Project is active again.")


def test_a_branch_is_protected_and_let_go(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/settings/repository", as_="maya")
    page.get_by_role("combobox", name="Branch", exact=True).fill("release/*")
    page.get_by_role("combobox", name="Allowed to push").select_option("No one")
    page.get_by_role("button", name="Protect", exact=True).click()
    expect(page.get_by_role("main").get_by_text("release/*", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Who may push to release/*").select_option("Push to: Maintainers")
    page.get_by_role("button", name="Save protection of release/*").click()
    expect(page.get_by_role("status")).to_contain_text("Protection of release/* saved.")
    rule = api.get(f"{SHED_API}/protected_branches/release%2F*")
    assert rule["push_access_levels"][0]["access_level"] == 40
    page.get_by_role("button", name="Unprotect release/*").click()
    page.get_by_role("dialog").get_by_role("button", name="Unprotect").click()
    expect(page.get_by_role("main").get_by_text("release/*", exact=True)).to_have_count(0)


def test_a_project_is_made_starred_forked_and_deleted_by_its_typed_name(
    workshop: Served, somebody: Callable[..., Visitor], api: Api
) -> None:
    sam = somebody(workshop, "sam")
    page = sam.open("forge", "/")
    page.get_by_role("link", name="New project").first.click()
    page.get_by_role("textbox", name="Project name").fill("Compost Heap")
    page.get_by_role("textbox", name="Description").fill("Warm.")
    page.get_by_role("radio", name=re.compile("^Internal")).check()
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compost Heap")
    assert api.get("/projects/sam%2Fcompost-heap")["visibility"] == "internal"
    page.get_by_role("button", name="Star").click()
    expect(page.get_by_role("button", name="Unstar 1")).to_be_visible()
    page = sam.open("forge", "/sam/compost-heap/edit")
    page.get_by_role("textbox", name="Type sam/compost-heap to confirm").fill("compost")
    page.get_by_role("button", name="Delete project").click()
    expect(page.get_by_role("alert")).to_contain_text("Type sam/compost-heap to delete the project.")
    sam.expect_console("422")
    page.get_by_role("textbox", name="Type sam/compost-heap to confirm").fill("sam/compost-heap")
    page.get_by_role("button", name="Delete project").click()
    expect(page.get_by_role("status")).to_contain_text("Project sam/compost-heap deleted.")
    page = sam.open("forge", SHED)
    page.get_by_role("button", name="Fork").click()
    page.get_by_role("dialog").get_by_role("button", name="Fork").click()
    expect(page.get_by_text("Forked from")).to_be_visible()


def test_a_project_is_imported_from_the_company_and_from_nowhere_else(
    workshop: Served, somebody: Callable[..., Visitor], api: Api
) -> None:
    sam = somebody(workshop, "sam")
    page = sam.open("forge", "/projects/new?way=import")
    page.get_by_role("textbox", name="Git repository address").fill("https://example.com/a/b.git")
    page.get_by_role("button", name="Import project", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Only repositories of this company can be imported")
    sam.expect_console("422")
    page.get_by_role("textbox", name="Git repository address").fill(f"{workshop.url('forge')}{SHED}.git")
    page.get_by_role("textbox", name="Project name").fill("Shed again")
    page.get_by_role("button", name="Import project", exact=True).click()
    expect(page.get_by_role("link", name="src", exact=True)).to_be_visible()
    mine = {one["name"] for one in api.get("/projects/sam%2Fshed-again/repository/branches")}
    assert mine == {one["name"] for one in api.get(f"{SHED_API}/repository/branches")}


def test_a_group_is_made(at: At, api: Api) -> None:
    page = at("/groups/new", as_="maya")
    page.get_by_role("textbox", name="Group name").fill("Greenhouse")
    page.get_by_role("button", name="Create group").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Greenhouse")
    assert api.get("/groups/greenhouse")["name"] == "Greenhouse"


def test_a_person_changes_their_own_profile_and_password(at: At, workshop: Served) -> None:
    page = at("/-/user_settings/profile", as_="gus")
    page.get_by_role("textbox", name="Job title").fill("Beekeeper")
    page.get_by_role("textbox", name="Bio").fill("Likes <b>bees</b>.")
    page.get_by_role("button", name="Save profile").click()
    page.get_by_role("link", name="View profile").click()
    expect(page.get_by_text("Beekeeper")).to_be_visible()
    expect(page.get_by_text("Likes <b>bees</b>.")).to_be_visible()
    page = at("/-/user_settings/profile", as_="gus")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("another-long-1")
    page.get_by_label("New password again").fill("another-long-1")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("status")).to_contain_text("Password changed.")
    answer = requests.post(
        f"{workshop.url('forge')}/users/sign_in", {"user[login]": "gus", "user[password]": "another-long-1"},
        timeout=30, allow_redirects=False,
    )  # fmt: skip
    assert answer.status_code == 302


def test_a_token_is_shown_once_works_and_is_revoked(at: At, workshop: Served) -> None:
    page = at("/-/user_settings/personal_access_tokens")
    page.get_by_role("textbox", name="Token name").fill("script")
    page.get_by_role("checkbox", name="read_api").check()
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_role("textbox", name="Your new token").input_value()
    address = f"{workshop.url('forge')}/api/v4/user"
    assert requests.get(address, headers={"PRIVATE-TOKEN": secret}, timeout=30).json()["username"] == "sam"
    page = at("/-/user_settings/personal_access_tokens")
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke script").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Token revoked.")
    assert requests.get(address, headers={"PRIVATE-TOKEN": secret}, timeout=30).status_code == 401


def test_search_finds_every_kind(at: At) -> None:
    page = at("/")
    page.get_by_role("searchbox", name="Search projects, issues and code").fill("rain")
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="What to search").get_by_role("link", name="Merge requests").click()
    expect(page.get_by_role("main").get_by_role("link", name="Wait for the rain")).to_be_visible()
    for words, scope, found in (
        ("beds", "Code", "garden/shed: src/app.py"), ("roof", "Issues", "The roof leaks"), ("spade", "Wiki", "setup"),
        ("maya", "Users", "Maya Holt"), ("spring", "Milestones", "Spring"), ("drips", "Comments", "on garden/shed"),
    ):  # fmt: skip
        page = at(f"/search?search={words}")
        page.get_by_role("navigation", name="What to search").get_by_role("link", name=scope).click()
        expect(page.get_by_role("main").get_by_role("link", name=found).first).to_be_visible()


def test_to_dos_are_worked_off(at: At) -> None:
    page = at("/dashboard/todos")
    page.get_by_role("button", name="Mark as done: The roof leaks").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as done.")
    page.get_by_role("button", name="Mark all as done").click()
    page.get_by_role("dialog").get_by_role("button", name="Mark all as done").click()
    expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()


def test_a_project_is_imported_from_its_export(at: At, workshop: Served, api: Api, tmp_path: Path) -> None:
    archive = tmp_path / "shed_export.tar.gz"
    answer = requests.get(
        f"{workshop.url('forge')}/api/v4{SHED_API}/export/download", headers={"PRIVATE-TOKEN": "root-token"}, timeout=60
    )
    archive.write_bytes(answer.content)
    page = at("/projects/new?way=import")
    page.get_by_label("Or an export of a project").set_input_files(archive)
    page.get_by_role("textbox", name="Project name").fill("Shed from a box")
    page.get_by_role("button", name="Import project", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Shed from a box")
    assert "The roof leaks" in [one["title"] for one in api.get("/projects/sam%2Fshed-from-a-box/issues")]
