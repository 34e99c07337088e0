"""Only a session's own pages can post its forms, and log-in never leads to another site."""

from __future__ import annotations

import pytest
import requests

from dayjob.company import pages
from tests.company.pages.gallery import SESSION, open_gallery
from tests.company.serving import Served

TOKEN = pages.form_token(SESSION)


def test_a_form_without_the_sessions_token_is_refused(office: Served) -> None:
    gallery, address = open_gallery(office, "chat")
    for fields in ({}, {pages.FIELD: ""}, {pages.FIELD: pages.form_token("another session")}):
        answer = requests.post(f"{address}/note", {"note": "x", **fields}, timeout=10)
        assert answer.status_code == 403
        assert "This form is out of date" in answer.text
    assert gallery.notes == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://elsewhere.test"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused_even_with_the_token(office: Served, headers: dict[str, str]) -> None:
    gallery, address = open_gallery(office, "chat")
    answer = requests.post(f"{address}/note", {"note": "x", pages.FIELD: TOKEN}, headers=headers, timeout=10)
    assert answer.status_code == 403
    assert gallery.notes == []


@pytest.mark.parametrize("where", [{"data": {pages.FIELD: TOKEN}}, {"data": {"requesttoken": TOKEN}}])
def test_the_token_may_be_a_field(office: Served, where: dict[str, dict[str, str]]) -> None:
    gallery, address = open_gallery(office, "chat")
    where["data"]["note"] = "kept"
    answer = requests.post(f"{address}/note", **where, allow_redirects=False, timeout=10)  # type: ignore[arg-type]
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert gallery.notes == ["kept"]


def test_the_token_may_be_a_header(office: Served) -> None:
    gallery, address = open_gallery(office, "chat")
    requests.post(f"{address}/note", {"note": "kept"}, headers={"x-csrf-token": TOKEN}, timeout=10)
    assert gallery.notes == ["kept"]


def test_pages_carry_the_one_policy_and_no_inline_script_or_style(office: Served) -> None:
    answer = requests.get(open_gallery(office, "chat")[1], timeout=10)
    assert answer.headers["content-security-policy"] == pages.POLICY
    assert "unsafe" not in pages.POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "style=" not in answer.text
    assert "<style" not in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "address", ["//elsewhere.test", "http://elsewhere.test", "/\\elsewhere.test", "javascript:alert(1)", "/a\nb", ""]
)
def test_an_address_that_leads_away_leads_home(address: str) -> None:
    assert pages.local(address, "/home") == "/home"


def test_an_address_of_this_server_is_kept() -> None:
    assert pages.local("/channel/general?msg=1", "/home") == "/channel/general?msg=1"


def test_assets_are_immutable_and_nothing_else_is_served(office: Served) -> None:
    address = open_gallery(office, "chat")[1]
    page = requests.get(address, timeout=10).text
    style = page.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = requests.get(address + style, timeout=10)
    assert "immutable" in answer.headers["cache-control"]
    again = requests.get(address + style, headers={"if-none-match": answer.headers["etag"]}, timeout=10)
    assert again.status_code == 304
    for path in ("/-/assets/base.css", "/-/assets/../templates/ui.html", "/-/assets/%2e%2e/assets.py", "/-/assets/"):
        request = requests.Request("GET", address).prepare()
        request.url = address + path
        assert requests.Session().send(request, timeout=10).status_code == 404
