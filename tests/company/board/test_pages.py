"""The way in through a browser: an address, then a password, then the workspace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import requests

from tests.company.serving import Served


def sign_in(served: Served, email: str, password: str) -> requests.Session:
    browser = requests.Session()
    url = served.url("board")
    first = browser.get(url, timeout=10)
    assert '<label for="email">Email</label>' in first.text
    assert ">Continue</button>" in first.text
    second = browser.post(f"{url}/sign-in/email", data={"email": email}, timeout=10)
    if "Enter password" in second.text:
        assert ">Go to workspace</button>" in second.text
        browser.post(f"{url}/auth/sign-in/", data={"email": email, "password": password}, timeout=10)
    return browser


def test_a_person_signs_in_and_out(larkspur: Served) -> None:
    browser = sign_in(larkspur, "sam.reed@larkspur.test", "sam-reed-first-day")
    home = browser.get(larkspur.url("board"), timeout=10)
    assert home.url.endswith("/larkspur/projects/")
    assert re.findall(r"<strong>(\w+)</strong>", home.text) == ["WEB", "TREL", "PLAT", "OFF", "CARE"]
    browser.post(f"{larkspur.url('board')}/auth/sign-out/", timeout=10)
    assert ">Continue</button>" in browser.get(larkspur.url("board"), timeout=10).text


@pytest.mark.parametrize(
    ("email", "password"),
    [("sam.reed@larkspur.test", "wrong"), ("nobody@larkspur.test", "x"), ("mara.lindqvist@larkspur.test", "")],
)
def test_nobody_else_gets_in(larkspur: Served, email: str, password: str) -> None:
    browser = sign_in(larkspur, email, password)
    assert browser.cookies.get("session-id") is None
    assert ">Continue</button>" in browser.get(f"{larkspur.url('board')}/larkspur/projects/", timeout=10).text


def test_signing_in_does_not_lead_elsewhere(larkspur: Served) -> None:
    url = larkspur.url("board")
    form = {"email": "sam.reed@larkspur.test", "password": "sam-reed-first-day"}
    for path in ("https://evil.test/", "//evil.test/", "/\\evil.test"):
        answer = requests.post(
            f"{url}/auth/sign-in/", data={**form, "next_path": path}, allow_redirects=False, timeout=10
        )
        assert answer.headers["location"] == "/"


def test_what_people_typed_is_shown_as_text(larkspur: Served) -> None:
    url = larkspur.url("board")
    answer = requests.get(f"{url}/?next_path=/%22%3E%3Cscript%3E", timeout=10)
    assert "<script>" not in answer.text


@pytest.mark.skipif(not Path("/usr/bin/chromium").exists(), reason="needs Debian's chromium")
def test_a_browser_signs_in_by_the_names_on_the_page(larkspur: Served) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        page.goto(larkspur.url("board"))
        page.get_by_label("Email").fill("sam.reed@larkspur.test")
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("Enter password").fill("sam-reed-first-day")
        page.get_by_role("button", name="Go to workspace").click()
        page.wait_for_url("**/larkspur/projects/")
        listed = page.get_by_role("listitem").all_inner_texts()
        assert listed == ["WEB Website", "TREL Trellis", "PLAT Platform", "OFF Office", "CARE Customer care"]
        browser.close()
