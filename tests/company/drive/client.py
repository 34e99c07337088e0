"""A thin WebDAV and OCS client for tests: it sends exactly what it is told and shows exactly what comes back."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import requests

DAV = "{DAV:}"
OC = "{http://owncloud.org/ns}"


@dataclass(slots=True)
class Found:
    """One response of a multi-status: the decoded address and the properties that were there."""

    href: str
    properties: dict[str, str]
    elements: dict[str, ET.Element]
    missing: set[str]


class Client:
    """Somebody with an account (or nobody), speaking to one drive."""

    def __init__(self, url: str, user: str | None = "root", password: str = "blank-root-pass") -> None:
        self.url = url
        self.user = user
        self.session = requests.Session()
        self.session.trust_env = False
        if user is not None:
            self.session.auth = (user, password)

    def raw(self, method: str, path: str, **options: Any) -> requests.Response:
        """A request to any path of the drive, as it stands."""
        return self.session.request(method, self.url + path, timeout=30, allow_redirects=False, **options)

    def dav(self, method: str, path: str, **options: Any) -> requests.Response:
        return self.raw(method, "/remote.php/webdav" + quote(path), **options)

    def put(self, path: str, content: bytes | str = b"content", **headers: str) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.dav("PUT", path, data=content.encode() if isinstance(content, str) else content, headers=named)

    def get(self, path: str) -> bytes:
        answer = self.dav("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.content

    def mkcol(self, path: str) -> requests.Response:
        return self.dav("MKCOL", path)

    def transport(self, method: str, source: str, target: str, **headers: str) -> requests.Response:
        destination = f"{self.url}/remote.php/webdav{quote(target)}"
        return self.dav(method, source, headers={"Destination": destination, **headers})

    def find(self, path: str, *names: str, depth: str = "0", root: str = "/remote.php/webdav") -> list[Found]:
        body = None
        if names:
            asked = "".join(f'<x:{name.split("}")[1]} xmlns:x="{name[1:].split("}")[0]}"/>' for name in names)
            body = f'<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop>{asked}</d:prop></d:propfind>'
        answer = self.raw("PROPFIND", root + quote(path), headers={"Depth": depth}, data=body)
        assert answer.status_code == 207, answer.text
        return parse(answer.content)

    def names(self, path: str = "/") -> list[str]:
        """The names in a folder, in the order they are listed."""
        return [one.href.rstrip("/").rpartition("/")[2] for one in self.find(path, depth="1")[1:]]

    def property(self, path: str, name: str) -> str:
        return self.find(path, name)[0].properties[name]

    def ocs(self, method: str, path: str, *, version: int = 1, **options: Any) -> Any:
        """The `ocs` object of a JSON answer, with the HTTP status added to its meta part."""
        joint = "&" if "?" in path else "?"
        answer = self.raw(
            method, f"/ocs/v{version}.php{path}{joint}format=json", headers={"OCS-APIREQUEST": "true"}, **options
        )
        found = answer.json()["ocs"]
        found["meta"]["http"] = answer.status_code
        return found

    def share(self, path: str, kind: int, **options: Any) -> Any:
        answer = self.ocs(
            "POST", "/apps/files_sharing/api/v1/shares", data={"path": path, "shareType": kind, **options}
        )
        assert answer["meta"]["statuscode"] == 100, answer
        return answer["data"]

    def add_user(self, username: str, password: str = "secret-of-theirs") -> Client:
        """Make an account (as an administrator) and speak as it."""
        answer = self.ocs("POST", "/cloud/users", data={"userid": username, "password": password})
        assert answer["meta"]["statuscode"] == 100, answer
        return Client(self.url, username, password)


def parse(content: bytes) -> list[Found]:
    found = []
    for response in ET.fromstring(content).iter(f"{DAV}response"):
        one = Found(unquote(response.findtext(f"{DAV}href") or ""), {}, {}, set())
        for part in response.iter(f"{DAV}propstat"):
            good = " 200 " in (part.findtext(f"{DAV}status") or "")
            for element in part.find(f"{DAV}prop") or []:
                if good:
                    one.properties[element.tag] = element.text or ""
                    one.elements[element.tag] = element
                else:
                    one.missing.add(element.tag)
        found.append(one)
    return found
