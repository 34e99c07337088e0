"""What a browser sees: log-in, session, folder, and the small addresses clients probe."""

from __future__ import annotations

import io
import re
import zipfile
from html.parser import HTMLParser

import pytest

from tests.company.drive.client import Client


class Fields(HTMLParser):
    """The fields and buttons of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inputs: list[dict[str, str | None]] = []
        self.buttons = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "input":
            self.inputs.append(dict(attrs))
        self.buttons += tag == "button"


@pytest.fixture
def browser(root: Client) -> Client:
    return Client(root.url, None)


def log_in(browser: Client, **more: str) -> str:
    answer = browser.raw("POST", "/index.php/login", data={"user": "root", "password": "blank-root-pass", **more})
    assert answer.status_code == 303
    return answer.headers["Location"]


def test_the_log_in_page_has_two_required_fields_the_first_focused_and_one_button(browser: Client) -> None:
    assert browser.raw("GET", "/").headers["Location"] == "/index.php/login"
    fields = Fields(browser.raw("GET", "/index.php/login").text)
    seen = [one for one in fields.inputs if one.get("type") != "hidden"]
    assert [one["name"] for one in seen] == ["user", "password"]
    assert all("required" in one for one in seen)
    assert ["autofocus" in one for one in seen] == [True, False]
    assert fields.buttons == 1


def test_a_session_opens_the_pages_and_webdav_until_it_is_closed(root: Client, browser: Client) -> None:
    root.mkcol("/a folder")
    root.put("/a folder/note <1>.txt", "hello")
    assert browser.dav("PROPFIND", "/").status_code == 401
    assert log_in(browser) == "/index.php/apps/files/"
    page = browser.raw("GET", "/index.php/apps/files/").text
    assert "/index.php/apps/files/?dir=/a%20folder" in page
    inside = browser.raw("GET", "/index.php/apps/files/?dir=/a%20folder").text
    assert "note &lt;1&gt;.txt" in inside
    assert "note <1>" not in inside
    found = re.search(r'href="(/remote.php/webdav/[^"]+)"', inside)
    assert found is not None
    assert browser.raw("GET", found[1]).content == b"hello"
    assert browser.put("/from-browser.txt").status_code == 401
    token = browser.raw("GET", "/index.php/csrftoken").json()["token"]
    assert browser.put("/from-browser.txt", requesttoken=token).status_code == 201
    assert browser.raw("GET", "/index.php/logout").status_code == 403
    assert browser.raw("GET", f"/index.php/logout?requesttoken={token}").status_code == 303
    assert browser.dav("PROPFIND", "/").status_code == 401


def test_a_session_speaks_ocs_only_with_the_header_or_the_token_that_no_other_site_can_send(browser: Client) -> None:
    log_in(browser)
    assert browser.raw("GET", "/ocs/v2.php/cloud/user").status_code == 401
    assert browser.ocs("GET", "/cloud/user")["data"]["id"] == "root"
    token = browser.raw("GET", "/index.php/csrftoken").json()["token"]
    assert browser.raw("GET", "/ocs/v2.php/cloud/user", headers={"requesttoken": token}).status_code == 200


def test_wrong_credentials_show_the_page_again(browser: Client) -> None:
    answer = browser.raw("POST", "/index.php/login", data={"user": "root<b>", "password": "wrong"})
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert "root&lt;b&gt;" in answer.text
    assert browser.dav("PROPFIND", "/").status_code == 401


def test_after_log_in_one_is_where_one_wanted_to_be_and_never_elsewhere(browser: Client) -> None:
    asked = browser.raw("GET", "/index.php/apps/files/?dir=/x").headers["Location"]
    assert asked == "/index.php/login?redirect_url=%2Findex.php%2Fapps%2Ffiles%2F%3Fdir%3D%2Fx"
    assert log_in(browser, redirect_url="/index.php/apps/files/?dir=/x") == "/index.php/apps/files/?dir=/x"
    for evil in ("http://evil.test/", "//evil.test/", "/\\evil.test", "/a\r\nSet-Cookie: x=y"):
        assert log_in(browser, redirect_url=evil) == "/index.php/apps/files/"


def test_a_folder_downloads_as_a_zip(root: Client) -> None:
    root.mkcol("/docs")
    root.put("/docs/a.txt", "A")
    got = root.raw("GET", "/index.php/apps/files/ajax/download.php?dir=/docs")
    assert zipfile.ZipFile(io.BytesIO(got.content)).namelist() == ["docs/", "docs/a.txt"]
    assert root.raw("GET", "/index.php/apps/files/ajax/download.php?dir=/docs&files=a.txt").content == b"A"
    assert root.raw("GET", "/index.php/apps/files/ajax/download.php?dir=/../..").status_code == 400


def test_a_private_link_leads_whoever_may_see_the_file(root: Client) -> None:
    other = root.add_user("other")
    root.mkcol("/work")
    root.put("/work/a.txt")
    id = root.property("/work/a.txt", "{http://owncloud.org/ns}fileid")
    assert root.raw("GET", f"/index.php/f/{id}").headers["Location"] == "/index.php/apps/files/?dir=/work/a.txt"
    assert other.raw("GET", f"/f/{id}").status_code == 404
    root.share("/work", 0, shareWith="other")
    assert other.raw("GET", f"/f/{id}").status_code == 302


def test_clients_find_out_what_this_is(browser: Client) -> None:
    status = browser.raw("GET", "/status.php").json()
    assert (status["installed"], status["maintenance"], status["productname"]) == (True, False, "ownCloud")
    assert status["version"].startswith("10.")
    assert browser.raw("GET", "/.well-known/webdav").headers["Location"] == "/remote.php/dav/"
    assert browser.raw("GET", "/index.php/204").status_code == 204
    assert browser.raw("GET", "/index.php/avatar/root/32").json()["data"]["displayname"] == "admin"
    assert browser.raw("GET", "/nothing/here").status_code == 404
