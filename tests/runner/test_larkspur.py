"""A merge request in Larkspur that goes red, is mended and merges itself."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import gitlab
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.company.pages.browser import CHROMIUM
from tests.runner.ci_office import ROOT, opened

WORLD = Path(__file__).parents[2] / "worlds" / "larkspur"


def git(folder: Path, *words: str) -> str:
    env = {
        **os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@larkspur.test",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@larkspur.test",
    }  # fmt: skip
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


BROKEN = """import unittest


class RoundingTest(unittest.TestCase):
    def test_a_minute_is_a_minute(self) -> None:
        self.assertEqual(60, 61)
"""


def in_a_browser(url: str, shown: list[tuple[str, str]]) -> None:
    """What these pages say to root, who signs in first."""

    def read(browser: Browser) -> None:
        page = browser.new_page()
        page.goto(f"{url}/users/sign_in")
        page.get_by_label("Username").fill(ROOT["username"])
        page.get_by_label("Password").fill(ROOT["password"])
        page.get_by_role("button", name="Sign in").click()
        for path, words in shown:
            page.goto(url + path)
            expect(page.get_by_role("main")).to_contain_text(words)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            read(browser)
        finally:
            browser.close()


@pytest.mark.skipif(not CHROMIUM.exists(), reason="pages are looked at in Debian's Chromium")
def test_what_breaks_a_test_of_larkspur_goes_red_and_its_fix_is_merged_by_itself(cache: Path, tmp_path: Path) -> None:
    def change(project: Any, action: str, content: str) -> None:
        one = {"action": action, "file_path": "tests/test_minutes.py", "content": content}
        there = {"branch": "minutes", "commit_message": "Count minutes", "actions": [one]}
        project.commits.create(there | ({"start_branch": project.default_branch} if action == "create" else {}))

    async def main() -> None:
        async with opened(cache, tmp_path, world=WORLD) as office:
            url = str(office.forge.base_url).removesuffix("/api/v4/")
            forge = gitlab.Gitlab(url, private_token=ROOT["token"])
            project = await asyncio.to_thread(forge.projects.get, "larkspur/timesheets")
            await asyncio.to_thread(change, project, "create", BROKEN)
            asked = {"source_branch": "minutes", "target_branch": project.default_branch, "title": "Count minutes"}
            request = await asyncio.to_thread(project.mergerequests.create, asked)
            await office.over()
            (red,) = await asyncio.to_thread(lambda: project.pipelines.list(ref="minutes", get_all=True))
            (job,) = await asyncio.to_thread(lambda: red.jobs.list(get_all=True))
            log = bytes(await asyncio.to_thread(project.jobs.get(job.id).trace)).decode()
            assert (red.status, "AssertionError: 60 != 61" in log) == ("failed", True), log
            here = "/larkspur/timesheets/-"
            page = f"{here}/merge_requests/{request.iid}"
            told = [(f"{here}/jobs/{job.id}", "AssertionError: 60 != 61"), (page, "Failed")]
            await asyncio.to_thread(in_a_browser, url, told)
            await asyncio.to_thread(change, project, "update", BROKEN.replace("61", "60"))
            await asyncio.to_thread(lambda: request.merge(auto_merge=True))
            await office.over()
            merged = await asyncio.to_thread(project.mergerequests.get, request.iid)
            assert (merged.state, merged.head_pipeline["status"]) == ("merged", "success")
            await asyncio.to_thread(in_a_browser, url, [(page, "Merged by"), (page, "Passed")])

    asyncio.run(main())
