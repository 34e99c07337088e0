"""What somebody keeps on the drive is in no answer to those it is not shared with, whichever address they ask."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest

from dayjob.company.drive.api.ocs.wire import ROUTES
from dayjob.company.drive.pages.page import router
from dayjob.company.world import Snapshot
from tests.company.crawling import SEARCHED, crawl, filled, given_away, secret
from tests.company.drive.client import Client
from tests.company.serving import Served, serve

OF_KIM = ("remote.php/dav/files/kim", "remote.php/dav/trash-bin/kim", "remote.php/dav/uploads/kim",
          "remote.php/dav/principals/users/kim")  # fmt: skip
ROOTS = ("remote.php/webdav", "remote.php/dav/files/lee", *OF_KIM, "remote.php/dav", "remote.php/dav/files",
         "remote.php/dav/trash-bin", "remote.php/dav/uploads", "public.php/webdav")  # fmt: skip


@dataclass
class Office:
    served: Served
    words: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[object]] = field(default_factory=dict)
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    trash: list[str] = field(default_factory=list)

    def word(self, what: str) -> str:
        return self.words.setdefault(what, secret(what))

    def addresses(self) -> Iterator[str]:
        yield from filled(router.patterns("GET"), self.values)
        yield from (f"/index.php{path}" for path in filled(router.patterns("GET"), self.values))
        for version in (1, 2):
            for path in filled(ROUTES.patterns("GET"), self.values):
                for query in ("", f"&search={SEARCHED}&itemType=file", "&shared_with_me=true", "&path=/&subfiles=true",
                              "&path=/Plans&reshares=true", "&state=all&shared_with_me=true"):  # fmt: skip
                    yield f"/ocs/v{version}.php{path}?format=json{query}"
        for word in (SEARCHED, "plan"):
            yield from (f"/index.php/apps/files/search?{name}={word}" for name in ("q", "query", "search", "text"))
        for folder in ("/", "/Plans"):
            yield f"/index.php/apps/files?dir={quote(folder)}"
            yield from (f"/index.php/apps/files?dir={quote(folder)}&view={view}" for view in ("trashbin", "sharingout"))
            yield f"/index.php/apps/files/ajax/download.php?dir={quote(folder)}&files=deep.txt"
            yield f"/index.php/apps/files/ajax/download.php?dir={quote(folder)}"
        yield from self.rooted()

    def rooted(self) -> Iterator[str]:
        yield from self.trash
        for root in (*ROOTS, *(f"remote.php/dav/public-files/{token}" for token in self.values["token"])):
            yield f"/{root}/"
            yield from (f"/{root}/{quote(str(path))}" for path in self.values["path"])


def headers_of(client: Client) -> dict[str, str]:
    assert client.session.auth is not None
    name, password = client.session.auth  # type: ignore[misc]  # it is a pair here
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


@pytest.fixture(scope="module")
def office(blank_snapshot: Snapshot) -> Iterator[Office]:
    with serve(blank_snapshot) as served:
        found = Office(served)
        root = Client(served.url("drive"))
        kim, lee, gus = (root.add_user(name) for name in ("kim", "lee", "gus"))
        name = found.word("name")
        kim.mkcol("/Plans")
        kim.mkcol("/Plans/open")
        kim.put(f"/Plans/{name}.txt", found.word("text"))
        kim.put("/Plans/deep.txt", found.word("deep"))
        kim.put("/Plans/page.md", f"# {found.word('markdown')}")
        kim.put("/Plans/gone.txt", found.word("gone"))
        kim.dav("DELETE", "/Plans/gone.txt")
        kim.put("/Plans/open/seen.txt", "everybody may see this")
        kim.share("/Plans", 0, shareWith="gus")
        once = kim.share("/Plans/deep.txt", 0, shareWith="lee")
        kim.ocs("DELETE", f"/apps/files_sharing/api/v1/shares/{once['id']}")
        opened = kim.share("/Plans/open", 3)
        locked = kim.share("/Plans", 3, password="a-password-of-links")
        gone = kim.share("/Plans", 3)
        kim.ocs("DELETE", f"/apps/files_sharing/api/v1/shares/{gone['id']}")
        kim.ocs("POST", "/privatedata/setattribute/notes/mine", data={"value": found.word("attribute")})
        tokens = [opened["token"], locked["token"], gone["token"]]
        found.trash = [quote(one.href) for one in kim.find("/", depth="1", root="/remote.php/dav/trash-bin/kim")]
        paths = [f"Plans/{one}" for one in (f"{name}.txt", "deep.txt", "page.md", "gone.txt", "open/seen.txt")]
        found.values = {
            "path": ["Plans", *paths, "deep.txt", "../deep.txt", "open/../deep.txt"], "token": list(tokens),
            "userid": ["kim"], "username": ["kim"], "groupid": ["admin"], "appid": ["files"], "app": ["notes"],
            "key": ["mine"], "shares/id": list(range(1, 8)), "f/id": list(range(1, 30)), "number": [0, 1],
            "what": ["folder", "text"], "size": [32], "redirect": ["x"], "download/name": ["x"],
        }  # fmt: skip
        found.people = {"kim": headers_of(kim), "lee": headers_of(lee), "root": headers_of(root), "nobody": {},
                        "gus": headers_of(gus)}  # fmt: skip
        yield found


def asked(office: Office, who: str) -> dict[str, str]:
    base, headers = office.served.url("drive"), office.people[who]
    found = crawl(base, headers, office.addresses(), links=True)
    listed = crawl(base, {**headers, "Depth": "infinity"}, office.rooted(), method="PROPFIND")
    return {**found, **{f"PROPFIND {path}": text for path, text in listed.items()}}


def test_whoever_keeps_it_finds_every_secret(office: Office) -> None:
    assert set(given_away(asked(office, "kim"), office.words)) == set(office.words)


def test_whoever_it_is_shared_with_finds_what_is_there(office: Office) -> None:
    assert set(given_away(asked(office, "gus"), office.words)) == {"name", "text", "deep", "markdown"}


@pytest.mark.parametrize("who", ["nobody", "lee", "root"])
def test_no_address_tells_others_what_somebody_keeps(office: Office, who: str) -> None:
    answers = asked(office, who)
    # The name of a file is in addresses that hold it; the rest nobody can guess.
    assert given_away(answers, {name: word for name, word in office.words.items() if name != "name"}) == {}
    unnamed = {path: text for path, text in answers.items() if office.words["name"] not in path}
    assert given_away(unnamed, office.words) == {}
    assert any("everybody may see this" in text for text in answers.values())
