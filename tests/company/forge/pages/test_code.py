"""Code in the browser: looking, who wrote it, changing it, branches, tags, releases."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.company.forge.pages.conftest import At
from tests.company.forge.pages.workshop import SHED, SHED_API, Api
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

pytestmark = pytest.mark.xdist_group("forge-pages-code")


def raw(api: Api, path: str, ref: str) -> str:
    found = api.get(f"{SHED_API}/repository/files/{quote(path, safe='')}", ref=ref)
    return base64.b64decode(found["content"]).decode()


def test_from_the_project_to_a_line_its_author_and_its_history(at: At) -> None:
    page = at(SHED)
    expect(page.get_by_role("heading", level=1)).to_have_text("Shed")
    expect(page.get_by_label("Clone with HTTP")).to_have_value(re.compile(r"/garden/shed\.git$"))
    expect(page.get_by_role("img", name=re.compile("Languages: Python"))).to_be_visible()
    expect(page.get_by_role("img", name="logo")).to_have_js_property("naturalWidth", 1)
    page.get_by_role("link", name="src", exact=True).click()
    page.get_by_role("link", name="app.py", exact=True).click()
    expect(page.get_by_text("Waters the garden.")).to_be_visible()
    page.get_by_role("link", name="Line 4", exact=True).click()
    assert page.url.endswith("/-/blob/main/src/app.py#L4")
    page.get_by_role("link", name="Blame").click()
    expect(page.get_by_role("link", name="Water the beds")).to_be_visible()
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="Water the beds").click()
    expect(page.get_by_role("region", name="Changes in src/app.py")).to_contain_text("def plan(beds):")
    page.get_by_role("link", name="Browse files").click()
    expect(page.get_by_role("link", name="README.md")).to_be_visible()


def test_links_in_a_readme_lead_to_the_files_they_mean(at: At) -> None:
    page = at(SHED)
    page.get_by_role("link", name="the notes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("notes.md")
    page.get_by_role("link", name="Show source").click()
    expect(page.get_by_role("region", name="Content of notes.md")).to_be_visible()


def test_addresses_without_the_dash_still_lead_there(at: At) -> None:
    expect(at(f"{SHED}/issues/1").get_by_role("heading", level=1)).to_have_text("The roof leaks")
    expect(at(f"{SHED}/blob/main/src/app.py").get_by_role("heading", level=1)).to_have_text("app.py")


def test_a_branch_with_a_slash_is_found_in_an_address(at: At) -> None:
    page = at(f"{SHED}/-/tree/old/paint")
    page.get_by_role("link", name="paint.txt").click()
    expect(page.get_by_role("region", name="Content of paint.txt")).to_have_text("1red")
    page.get_by_role("button", name=re.compile("^Switch branch or tag")).click()
    expect(page.get_by_role("link", name="watering")).to_have_attribute("href", f"{SHED}/-/blob/watering/paint.txt")


def test_a_maintainer_edits_a_file_where_it_is(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/blob/main/docs/notes.md", as_="maya")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Content").fill("Notes\n\nOil the hinges.\n")
    page.get_by_role("textbox", name="Commit message").fill("Note the hinges")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("status")).to_contain_text("Committed to main.")
    expect(page.get_by_text("Oil the hinges.")).to_be_visible()
    assert raw(api, "docs/notes.md", "main") == "Notes\n\nOil the hinges.\n"
    head = api.get(f"{SHED_API}/repository/commits", ref_name="main")[0]
    assert (head["title"], head["author_name"]) == ("Note the hinges", "Maya Holt")


def test_a_change_to_a_protected_branch_goes_to_a_branch_of_ones_own_and_on_to_a_merge_request(
    at: At, api: Api
) -> None:
    page = at(f"{SHED}/-/edit/main/README.md")
    expect(page.get_by_text("You cannot push to main, so the change goes to a new branch.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Target branch")).to_have_value("sam-main-patch-1")
    page.get_by_role("textbox", name="Content").fill("# Shed\n\nMind the step.\n")
    page.get_by_role("textbox", name="Commit message").fill("Warn of the step")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New merge request")
    expect(page.get_by_role("textbox", name="Title")).to_have_value("Warn of the step")
    page.get_by_role("button", name="Create merge request").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Warn of the step")
    assert "Mind the step." not in raw(api, "README.md", "main")
    assert "Mind the step." in raw(api, "README.md", "sam-main-patch-1")


def test_what_was_typed_survives_a_refusal(workshop: Served, somebody: Callable[..., Visitor]) -> None:
    sam = somebody(workshop, "sam")
    page = sam.open("forge", f"{SHED}/-/new/watering")
    page.get_by_role("textbox", name="File name").fill("README.md")
    page.get_by_role("textbox", name="Content").fill("Long thoughts")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("alert")).to_have_text("A file with this name already exists")
    sam.expect_console("422")
    expect(page.get_by_role("textbox", name="Content")).to_have_value("Long thoughts")
    page.get_by_role("textbox", name="File name").fill("src/new idea.txt")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("new idea.txt")


def test_the_pipeline_editor_tells_whether_the_file_is_valid_and_commits_it(
    workshop: Served, somebody: Callable[..., Visitor], at: At, api: Api
) -> None:
    api("POST", f"{SHED_API}/repository/branches", branch="brush/new", ref="main")
    sam = somebody(workshop, "sam")
    page = sam.open("forge", f"{SHED}/-/branches")
    page.get_by_role("link", name="Pipeline editor").click()
    verdict = page.get_by_role("region", name="What the file says")
    expect(verdict).to_contain_text("There is no .gitlab-ci.yml on main yet.")
    page.get_by_role("combobox", name="Branch", exact=True).select_option("brush/new")
    expect(page.get_by_role("textbox", name="Target branch")).to_have_value("brush/new")
    content = page.get_by_role("textbox", name="Content of .gitlab-ci.yml")
    content.fill("paint:\n  stage: nowhere\n  script: brush\n")
    page.get_by_role("button", name="Validate").click()
    expect(verdict).to_contain_text("This file is not valid")
    expect(verdict).to_contain_text("nowhere")
    expect(content).to_have_value("paint:\n  stage: nowhere\n  script: brush\n")
    sam.assert_good()
    content.fill("paint:\n  script: brush\n")
    page.get_by_role("button", name="Validate").click()
    expect(verdict).to_contain_text("This file is valid.")
    expect(page.get_by_role("region", name="Jobs by stage")).to_contain_text("paint")
    assert ".gitlab-ci.yml" not in str(api.get(f"{SHED_API}/repository/tree", ref="brush/new")), "looked at, not saved"
    sam.assert_good()
    page.get_by_role("textbox", name="Commit message").fill("Paint by itself")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("status")).to_contain_text("Committed to brush/new.")
    expect(content).to_have_value("paint:\n  script: brush\n")
    assert raw(api, ".gitlab-ci.yml", "brush/new") == "paint:\n  script: brush\n"
    assert [one["ref"] for one in api.get(f"{SHED_API}/pipelines")] == ["brush/new"]
    changed = {"branch": "brush/new", "commit_message": "Twice", "content": "paint:\n  script: brush twice\n"}
    api("PUT", f"{SHED_API}/repository/files/.gitlab-ci.yml", **changed)
    content.fill("paint:\n  script: roller\n")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("alert")).to_contain_text("Someone changed this file since you opened it.")
    expect(content).to_have_value("paint:\n  script: roller\n")
    sam.expect_console("422")
    api("DELETE", f"{SHED_API}/repository/branches/brush%2Fnew")


def test_the_pipeline_editor_has_the_rules_of_every_file(
    workshop: Served, somebody: Callable[..., Visitor], api: Api
) -> None:
    sam = somebody(workshop, "sam")
    page = sam.open("forge", f"{SHED}/-/ci/editor")
    page.get_by_role("textbox", name="Content of .gitlab-ci.yml").fill("dig:\n  script: spade\n")
    expect(page.get_by_text("You cannot push to main")).to_be_visible()
    page.get_by_role("textbox", name="Target branch").fill("main")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("alert").first).to_contain_text("not allowed to push")
    sam.expect_console("422")
    page.get_by_role("textbox", name="Target branch").fill("with-ci")
    page.get_by_role("button", name="Commit changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New merge request")
    assert raw(api, ".gitlab-ci.yml", "with-ci") == "dig:\n  script: spade\n"
    api("DELETE", f"{SHED_API}/repository/branches/with-ci")
    gus = somebody(workshop, "gus")
    gus.open("forge", f"{SHED}/-/ci/editor")
    expect(gus.page.get_by_text("Only developers of the project can change its files.")).to_be_visible()
    gus.expect_console("403")


def test_files_are_uploaded_and_deleted(at: At, api: Api, tmp_path: Path) -> None:
    file = tmp_path / "plan <b>.csv"
    file.write_text("bed,water\n1,2\n")
    page = at(f"{SHED}/-/upload/watering/docs")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("plan <b>.csv")
    assert raw(api, "docs/plan <b>.csv", "watering") == "bed,water\n1,2\n"
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete file").click()
    expect(page.get_by_role("status")).to_contain_text("Committed to watering.")
    assert "plan" not in str(api.get(f"{SHED_API}/repository/tree", ref="watering", path="docs"))


def test_branches_are_made_compared_and_deleted(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/branches")
    page.get_by_role("link", name="New branch").first.click()
    page.get_by_role("textbox", name="Branch name").fill("feature/lamp")
    page.get_by_role("combobox", name="Create from").fill("main")
    page.get_by_role("button", name="Create branch").click()
    expect(page.get_by_role("status")).to_contain_text("Branch feature/lamp created.")
    page = at(f"{SHED}/-/branches?search=lamp")
    page.get_by_role("button", name="Delete branch feature/lamp").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete branch").click()
    expect(page.get_by_role("status")).to_contain_text("Branch feature/lamp deleted.")
    assert "feature/lamp" not in [one["name"] for one in api.get(f"{SHED_API}/repository/branches")]
    page.get_by_role("link", name="Compare old/paint").click()
    expect(page.get_by_role("region", name="Changes in paint.txt")).to_contain_text("red")
    page.get_by_role("link", name="Create merge request").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value("Paint")


def test_tags_and_releases_are_made(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/tags/new")
    page.get_by_role("textbox", name="Tag name").fill("v1.1")
    page.get_by_role("textbox", name="Message").fill("Second harvest")
    page.get_by_role("button", name="Create tag").click()
    expect(page.get_by_text("Second harvest")).to_be_visible()
    page.get_by_role("link", name="Create release v1.1").click()
    page.get_by_role("textbox", name="Release title").fill("Harvest two")
    page.get_by_role("textbox", name="Release notes").fill("* shears\n* !1")
    page.get_by_role("checkbox", name="Spring").check()
    page.get_by_role("button", name="Create release").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Harvest two")
    expect(page.get_by_role("article").get_by_role("link", name="!1")).to_have_attribute(
        "href", f"{SHED}/-/merge_requests/1"
    )
    assert api.get(f"{SHED_API}/releases/v1.1")["milestones"][0]["title"] == "Spring"
    page.get_by_role("button", name="Delete release Harvest two").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete release").click()
    expect(page.get_by_role("heading", name="Harvest two")).to_have_count(0)
    page = at(f"{SHED}/-/tags?search=v1.1")
    page.get_by_role("button", name="Delete tag v1.1").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete tag").click()
    expect(page.get_by_role("status")).to_contain_text("Tag v1.1 deleted.")


def test_a_commit_is_commented_on_and_reverted(at: At, api: Api) -> None:
    page = at(f"{SHED}/-/commit/old%2Fpaint")
    page.get_by_role("textbox", name="Comment").fill("Which red?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("article", name="Comment by Sam Reed")).to_contain_text("Which red?")
    page.get_by_role("button", name="Options").click()
    page.get_by_role("textbox", name="Revert on branch").fill("old/paint")
    page.get_by_role("button", name="Revert", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text('Revert "Paint"')


def test_a_file_and_an_archive_are_downloaded(at: At) -> None:
    page = at(SHED)
    page.get_by_role("button", name="Clone").click()
    with page.expect_download() as found:
        page.get_by_role("link", name="Download zip").click()
    assert found.value.suggested_filename.startswith("shed-main-")
