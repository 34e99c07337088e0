"""Public links: pages, downloads and WebDAV for people without an account."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from tests.company.drive.client import Client
from tests.company.serving import Served


@pytest.fixture
def nobody(root: Client) -> Client:
    return Client(root.url, None)


def link(token: str, password: str, root: Client) -> Client:
    """Somebody who uses a link's token to come in by WebDAV."""
    return Client(root.url, token, password)


def public(client: Client, method: str, path: str, **options: object) -> int:
    return client.raw(method, f"/public.php/webdav{path}", **options).status_code


def test_the_page_of_a_link_names_an_absolute_download_that_needs_no_account(root: Client, nobody: Client) -> None:
    root.put("/report.txt", "for everybody")
    made = root.share("/report.txt", 3)
    assert made["url"] == f"{root.url}/index.php/s/{made['token']}"
    for address in (f"/index.php/s/{made['token']}", f"/s/{made['token']}"):
        page = nobody.raw("GET", address)
        assert page.status_code == 200
        found = re.search(r'"(http[^"]*/download)"', page.text)
        assert found is not None
        answer = nobody.raw("GET", found[1].removeprefix(root.url))
        assert answer.content == b"for everybody"
        assert "report.txt" in answer.headers["Content-Disposition"]


def test_the_download_address_uses_the_name_the_visitor_used(root: Client, nobody: Client) -> None:
    root.put("/report.txt")
    token = root.share("/report.txt", 3)["token"]
    page = nobody.raw("GET", f"/s/{token}", headers={"Host": "larkspur.test:8092"})
    assert f'"http://larkspur.test:8092/index.php/s/{token}/download"' in page.text
    evil = nobody.raw("GET", f"/s/{token}", headers={"Host": 'x"><script>'})
    assert "<script>" not in evil.text


def test_a_folder_comes_as_a_zip_and_its_files_one_by_one(root: Client, nobody: Client) -> None:
    root.mkcol("/docs")
    root.mkcol("/docs/inner")
    root.put("/docs/a.txt", "A")
    root.put("/docs/inner/b.txt", "B")
    token = root.share("/docs", 3)["token"]
    whole = zipfile.ZipFile(io.BytesIO(nobody.raw("GET", f"/s/{token}/download").content))
    assert whole.testzip() is None
    assert whole.namelist() == ["docs/", "docs/a.txt", "docs/inner/", "docs/inner/b.txt"]
    assert whole.read("docs/inner/b.txt") == b"B"
    assert nobody.raw("GET", f"/s/{token}/download?path=/inner&files=b.txt").content == b"B"
    assert "b.txt" in nobody.raw("GET", f"/s/{token}?path=/inner").text
    assert nobody.raw("GET", f"/s/{token}/download?path=/&files=../secret").status_code == 400


def test_a_password_is_asked_for_once_a_session(root: Client, nobody: Client) -> None:
    root.put("/secret.txt", "hush")
    token = root.share("/secret.txt", 3, password="open sesame")["token"]
    asked = nobody.raw("GET", f"/s/{token}")
    assert asked.status_code == 302
    assert asked.headers["Location"].endswith("/authenticate")
    assert nobody.raw("GET", f"/s/{token}/download").status_code == 302
    assert nobody.raw("POST", f"/s/{token}/authenticate", data={"password": "wrong"}).status_code == 401
    assert nobody.raw("GET", f"/s/{token}/download").status_code == 302
    assert nobody.raw("POST", f"/s/{token}/authenticate", data={"password": "open sesame"}).status_code == 303
    assert nobody.raw("GET", f"/s/{token}/download").content == b"hush"
    assert Client(root.url, None).raw("GET", f"/s/{token}/download").status_code == 302


def test_a_link_ends_after_its_last_day(blank: Served, root: Client, nobody: Client) -> None:
    root.put("/a.txt")
    today = blank.company.clock.now().date().isoformat()
    token = root.share("/a.txt", 3, expireDate=today)["token"]
    assert nobody.raw("GET", f"/s/{token}/download").status_code == 200
    blank.company.clock.origin -= 48 * 3600
    assert nobody.raw("GET", f"/s/{token}").status_code == 404
    assert nobody.raw("GET", f"/s/{token}/download").status_code == 404
    assert public(link(token, "", root), "PROPFIND", "/") == 401


def test_a_link_that_never_was_is_404(nobody: Client) -> None:
    assert nobody.raw("GET", "/s/nosuchtoken").status_code == 404
    assert nobody.raw("GET", "/index.php/s/nosuchtoken/download").status_code == 404


def test_a_reading_link_over_webdav_reads_and_no_more(root: Client) -> None:
    root.mkcol("/docs")
    root.put("/docs/a.txt", "A")
    root.put("/outside.txt")
    visitor = link(root.share("/docs", 3)["token"], "", root)
    assert [one.href for one in visitor.find("/", depth="1", root="/public.php/webdav")] == [
        "/public.php/webdav/",
        "/public.php/webdav/a.txt",
    ]
    assert visitor.raw("GET", "/public.php/webdav/a.txt").content == b"A"
    assert public(visitor, "PUT", "/a.txt", data=b"x") == 403
    assert public(visitor, "PUT", "/b.txt", data=b"x") == 403
    assert public(visitor, "DELETE", "/a.txt") == 403
    assert public(visitor, "GET", "/../outside.txt") in (400, 404)
    assert visitor.raw("GET", "/public.php/webdav/%2e%2e/outside.txt").status_code in (400, 404)
    away = {"Destination": f"{root.url}/remote.php/webdav/stolen.txt"}
    assert public(visitor, "COPY", "/a.txt", headers=away) == 403
    assert visitor.raw("PROPFIND", "/remote.php/webdav/").status_code == 401


def test_an_editing_link_over_webdav_edits_inside_the_folder(root: Client) -> None:
    root.mkcol("/docs")
    visitor = link(root.share("/docs", 3, publicUpload="true")["token"], "", root)
    assert public(visitor, "PUT", "/a.txt", data=b"x") == 201
    assert public(visitor, "MKCOL", "/in") == 201
    away = {"Destination": f"{root.url}/public.php/webdav/in/b.txt"}
    assert public(visitor, "MOVE", "/a.txt", headers=away) == 201
    assert root.get("/docs/in/b.txt") == b"x"
    assert public(visitor, "DELETE", "/in") == 204
    assert public(visitor, "DELETE", "/") == 403
    assert root.names() == ["docs"]


def test_an_upload_link_takes_files_and_shows_nothing(root: Client, nobody: Client) -> None:
    root.mkcol("/inbox")
    token = root.share("/inbox", 3, permissions=4)["token"]
    visitor = link(token, "", root)
    assert public(visitor, "PUT", "/a.txt", data=b"first") == 201
    assert public(visitor, "PUT", "/a.txt", data=b"second") == 201
    assert public(visitor, "PROPFIND", "/") == 404
    assert public(visitor, "GET", "/a.txt") == 404
    assert nobody.raw("GET", f"/s/{token}/download").status_code == 404
    assert "a.txt" not in nobody.raw("GET", f"/s/{token}").text
    assert root.get("/inbox/a.txt") == b"first"
    assert root.get("/inbox/a (2).txt") == b"second"


def test_a_links_password_guards_webdav_too(root: Client) -> None:
    root.put("/a.txt", "A")
    token = root.share("/a.txt", 3, password="pw")["token"]
    assert public(link(token, "", root), "GET", "/a.txt") == 401
    assert public(link(token, "wrong", root), "GET", "/a.txt") == 401
    assert link(token, "pw", root).raw("GET", "/public.php/webdav/a.txt").content == b"A"
    assert link(token, "pw", root).raw("GET", "/public.php/webdav").content == b"A"
    assert Client(root.url, "public", "pw").raw("GET", f"/remote.php/dav/public-files/{token}/a.txt").content == b"A"


def test_a_link_can_be_changed_and_taken_back(root: Client, nobody: Client) -> None:
    root.mkcol("/docs")
    made = root.share("/docs", 3)
    address = f"/apps/files_sharing/api/v1/shares/{made['id']}"
    changed = root.ocs("PUT", address, data={"password": "pw", "publicUpload": "true", "name": "Box"})["data"]
    assert (changed["permissions"], changed["name"]) == (15, "Box")
    assert "pw" not in (changed["share_with"], changed["share_with_displayname"])
    assert root.ocs("PUT", address, data={"permissions": 31})["meta"]["statuscode"] == 400
    root.ocs("PUT", address, data={"password": ""})
    assert nobody.raw("GET", f"/s/{made['token']}").status_code == 200
    root.ocs("DELETE", address)
    assert nobody.raw("GET", f"/s/{made['token']}").status_code == 404
