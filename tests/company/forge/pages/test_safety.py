"""What people write is shown and never run; what somebody may not see is not there; what was done is written down."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import requests

from dayjob.agent.clicker_program import Visitor as Wanderer
from tests.company.forge.pages.conftest import At, cookie
from tests.company.forge.pages.workshop import PASSWORD, SHED, Api
from tests.company.pages.browser import Visitor, expect
from tests.company.pages.nasty import PASSWORD as NASTY
from tests.company.pages.nasty import PICTURE, SCRIPT, TEXT
from tests.company.serving import Served

pytestmark = pytest.mark.xdist_group("forge-pages-safety")


def nasty_project(served: Served) -> str:
    api = Api(served, "nasty-root-token")
    made = api("POST", "/projects", name="Trap", description=TEXT, visibility="public", topics=[SCRIPT])
    at = f"/projects/{made['id']}"
    files = {
        "README.md": TEXT,
        f"{SCRIPT.replace('/', '_')}.py": TEXT,
        "x.svg": f"<svg>{SCRIPT}</svg>",
        "x.html": SCRIPT,
    }
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in files.items()]
    api("POST", f"{at}/repository/commits", branch="main", commit_message=TEXT, actions=actions)
    branch = "x<img-src=x-onerror=alert(1)>"
    api("POST", f"{at}/repository/commits", branch=branch, start_branch="main", commit_message=SCRIPT,
        actions=[{"action": "update", "file_path": "x.html", "content": PICTURE}])  # fmt: skip
    api("POST", f"{at}/labels", name=SCRIPT, color="#ff0000", description=PICTURE)
    api("POST", f"{at}/milestones", title=SCRIPT, description=TEXT)
    api("POST", f"{at}/issues", title=SCRIPT, description=TEXT, labels=SCRIPT, milestone_id=1)
    api("POST", f"{at}/issues/1/notes", body=TEXT)
    api("POST", f"{at}/merge_requests", title=PICTURE, description=TEXT, source_branch=branch, target_branch="main")
    api("POST", f"{at}/wikis", title=SCRIPT.replace("/", "_"), content=TEXT)
    api("POST", f"{at}/releases", tag_name="v1", ref="main", name=SCRIPT, description=TEXT)
    api("POST", f"{at}/boards", name=SCRIPT)
    return "/root/trap"


def test_no_text_of_a_colleague_ever_runs(nasty_office: Served, somebody: Callable[..., Visitor]) -> None:
    trap = nasty_project(nasty_office)
    root = somebody(nasty_office, "root", NASTY)
    odd = quote(f"{SCRIPT.replace('/', '_')}.py")
    for path in (
        "/", trap, f"{trap}/-/tree/main", f"{trap}/-/blob/main/{odd}", f"{trap}/-/blob/main/README.md",
        f"{trap}/-/blob/main/x.svg", f"{trap}/-/blame/main/{odd}", f"{trap}/-/commits/main", f"{trap}/-/commit/main",
        f"{trap}/-/branches", f"{trap}/-/tags", f"{trap}/-/releases", f"{trap}/-/issues", f"{trap}/-/issues/1",
        f"{trap}/-/merge_requests/1", f"{trap}/-/merge_requests/1/diffs", f"{trap}/-/merge_requests/1/commits",
        f"{trap}/-/boards", f"{trap}/-/milestones/1", f"{trap}/-/labels", f"{trap}/-/wikis",
        f"{trap}/-/project_members",
        f"{trap}/edit", "/eve.lind", "/search?search=alert&scope=blobs", "/search?search=alert&scope=issues",
        f"/search?search={quote(SCRIPT)}", f"/explore/projects?name={quote(PICTURE)}", "/admin/users",
    ):  # fmt: skip
        page = root.open("forge", path)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("document.querySelectorAll('main script, main [onerror], main [onmouseover]').length") == 0
    expect(root.open("forge", f"{trap}/-/issues/1").get_by_role("heading", level=1)).to_have_text(SCRIPT)


def test_a_raw_file_is_never_a_page(workshop: Served, api: Api) -> None:
    at = "/projects/garden%2Fshed/repository/files"
    api("POST", f"{at}/evil.html", branch="watering", content=SCRIPT, commit_message="x")
    jar = {"_gitlab_session": cookie(workshop, "sam")["value"]}
    answer = requests.get(f"{workshop.url('forge')}{SHED}/-/raw/watering/evil.html", cookies=jar, timeout=30)
    assert answer.headers["content-type"].startswith("text/plain")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_what_is_private_is_not_there(workshop: Served, api: Api, somebody: Callable[..., Visitor]) -> None:
    secret = api("POST", "/projects", name="Secret", initialize_with_readme=True)["id"]
    api("POST", f"/projects/{secret}/issues", title="Hidden words")
    api("POST", "/projects/garden%2Fshed/issues", title="Whispered words", confidential=True)
    gus = somebody(workshop, "gus")
    for path in ("/root/secret", "/root/secret/-/issues/1", "/root/secret/-/raw/main/README.md", f"{SHED}/-/issues/4"):
        page = gus.open("forge", path)
        expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
        gus.expect_console("404")
    for path in (f"{SHED}/-/issues?state=all", "/search?search=words&scope=issues", "/explore/projects"):
        assert "words" not in gus.open("forge", path).get_by_role("main").get_by_role("list").all_inner_texts()
        assert "Secret" not in gus.page.content()
    assert "Whispered" not in gus.open("forge", "/root").content()
    page = gus.open("forge", f"{SHED}/-/issues/2")
    expect(page.get_by_role("button", name="Close issue")).to_have_count(0)


def test_the_journal_says_who_opened_what_and_what_they_changed(workshop: Served, at: At) -> None:
    page = at(f"{SHED}/-/merge_requests/1")
    page.get_by_role("textbox", name="Comment").fill("For the record.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("For the record.")).to_be_visible()
    rows: list[Any] = workshop.call(lambda: list(workshop.company.journal.requests()))
    seen = [(one.method, one.path, one.account) for one in rows if one.service == "forge"]
    assert ("GET", f"{SHED}/-/merge_requests/1", "sam") in seen
    assert ("POST", f"{SHED}/-/merge_requests/1/notes", "sam") in seen
    told = [str(one) for one in workshop.call(lambda: workshop.company.changes("forge"))]
    assert any("For the record." in one for one in told)


def test_the_everyday_path_works_without_scripts(workshop: Served, somebody: Callable[..., Visitor], api: Api) -> None:
    sam = somebody(workshop, "sam", java_script_enabled=False)
    page = sam.open("forge", f"{SHED}/-/issues/new")
    page.get_by_role("textbox", name="Title").fill("By hand")
    page.get_by_role("button", name="Create issue").click()
    page.get_by_role("textbox", name="Comment").fill("Still here.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("Still here.")).to_be_visible()
    iid = page.url.rpartition("/")[2].partition("#")[0]
    page.get_by_role("complementary", name="Details").get_by_label("Edit labels").click()
    page.get_by_role("checkbox", name="bug").check()
    page.get_by_role("button", name="Save labels").click()
    page = sam.open("forge", f"{SHED}/-/boards")
    page.get_by_label(f"Move #{iid}", exact=True).click()
    page.get_by_role("button", name="Move to doing").and_(page.locator(":visible")).click()
    assert api.get(f"/projects/garden%2Fshed/issues/{iid}")["labels"] == ["bug", "doing"]
    page = sam.open("forge", f"{SHED}/-/merge_requests/1/diffs")
    page.get_by_role("link", name="Comment on line 6 of src/app.py").last.focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Comment on line 6").fill("Without a script.")
    page.get_by_role("button", name="Add comment").click()
    expect(page.get_by_text("Without a script.")).to_be_visible()


@pytest.mark.parametrize("seed", [1, 2])
def test_whoever_clicks_at_random_meets_no_error(
    workshop: Served, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"username": "maya", "password": PASSWORD, "email": "maya@blank.test"}
    Wanderer(workshop.url("forge"), given, random.Random(seed)).wander(120)
    walked = capsys.readouterr().out.splitlines()
    assert len(walked) > 100
    assert [one for one in walked if one.rpartition(" ")[2].startswith("5")] == []
