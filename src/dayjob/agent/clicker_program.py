"""Wanders about in a company's pages like somebody who has not read the task: follows links, fills in and sends forms.

Runs inside the sandbox with the standard library only. Its input is JSON: seed, steps, services (name to address),
username, password, email; it prints one line a step.
"""

from __future__ import annotations

import json
import random
import sys
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

WORDS = (
    "done",
    "ok",
    "yes",
    "no",
    "approved",
    "finished",
    "report",
    "update",
    "please",
    "thanks",
    "total",
    "fixed",
    "42",
)
LEAVING = ("log out", "logout", "sign out", "sign_out", "sign-out")
LONGEST_PAGE = 2_000_000


@dataclass
class Field:
    """One control of a form, with what may be chosen in it."""

    name: str
    kind: str
    value: str = ""
    choices: list[str] = field(default_factory=list)
    checked: bool = False


@dataclass
class Form:
    """One form: where it goes, how, its controls, and the words on it."""

    action: str
    method: str
    encoding: str
    fields: list[Field] = field(default_factory=list)
    words: str = ""

    def asks_for(self, kind: str) -> bool:
        return any(each.kind == kind for each in self.fields)


class Page(HTMLParser):
    """What a page offers: links, forms, and words to repeat."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.words: list[str] = []
        self._form: Form | None = None
        self._select: Field | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href"):
            self.links.append(urljoin(self.address, given["href"]))
        elif tag == "form":
            action = urljoin(self.address, given.get("action") or self.address)
            method = given.get("method", "get").lower()
            self._form = Form(action, method, given.get("enctype", ""), words=action)
            self.forms.append(self._form)
        elif self._form is not None:
            self._control(self._form, tag, given)

    def _control(self, form: Form, tag: str, given: dict[str, str]) -> None:
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "option" and self._select is not None:
            self._select.choices.append(value)
        elif tag in ("input", "button", "textarea", "select") and name and "disabled" not in given:
            kind = given.get("type", "submit" if tag == "button" else "text") if tag in ("input", "button") else tag
            made = Field(name, kind.lower(), value, checked="checked" in given)
            form.fields.append(made)
            self._select = made if tag == "select" else self._select

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._form is not None:
            self._form.words += " " + data.strip()
        self.words += [word for word in data.split() if 2 < len(word) < 30][:50]


class Visitor:
    """One browser without scripts: cookies, pages, forms."""

    def __init__(self, address: str, given: dict[str, Any], chance: random.Random) -> None:
        self.address = address
        self.given = given
        self.chance = chance
        self.heard: list[str] = []
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def open(self, address: str, data: bytes | None = None, kind: str = "") -> Page | None:
        request = urllib.request.Request(address, data, {"Accept": "text/html", "Origin": self.address})
        if kind:
            request.add_header("Content-Type", kind)
        try:
            answer = self.opener.open(request, timeout=20)
        except urllib.error.HTTPError as refused:
            answer = refused
        except (OSError, ValueError) as error:
            print(f"- {address}: {error}")
            return None
        with answer:
            body = answer.read(LONGEST_PAGE)
            print(f"- {'GET' if data is None else 'POST'} {address} {answer.status}")
            if "html" not in answer.headers.get("Content-Type", ""):
                return None
            page = Page(answer.url, body.decode("utf-8", "replace"))
        self.heard = (self.heard + page.words)[-2000:]
        return page

    def send(self, form: Form) -> Page | None:
        parts = [(one, self._filled(one)) for one in form.fields]
        pairs = [(one.name, value) for one, value in parts if value is not None and one.kind != "file"]
        if form.method == "get":
            return self.open(f"{form.action.partition('?')[0]}?{urlencode(pairs)}")
        if "multipart" not in form.encoding:
            return self.open(form.action, urlencode(pairs).encode(), "application/x-www-form-urlencoded")
        border = uuid.UUID(int=self.chance.getrandbits(128)).hex
        body = b""
        for name, value in pairs:
            body += f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for one in form.fields:
            if one.kind == "file":
                head = f'--{border}\r\nContent-Disposition: form-data; name="{one.name}"; filename="{self._word()}.txt"'
                body += f"{head}\r\nContent-Type: text/plain\r\n\r\n{self._text()}\r\n".encode()
        return self.open(form.action, body + f"--{border}--\r\n".encode(), f"multipart/form-data; boundary={border}")

    def _filled(self, one: Field) -> str | None:
        if one.kind == "password":
            return str(self.given["password"])
        if one.kind == "email":
            return str(self.given["email"])
        if one.kind in ("checkbox", "radio"):
            return (one.value or "on") if self.chance.random() < 0.5 else None
        if one.kind == "select":
            return self.chance.choice(one.choices) if one.choices else None
        if one.kind == "textarea":
            return self._text()
        if one.kind in ("text", "search", ""):
            return self._text() if self.chance.random() < 0.7 else self._word()
        if one.kind == "number":
            return str(self.chance.randrange(100))
        if one.kind in ("date", "datetime-local"):
            return f"2026-03-{self.chance.randrange(10, 29)}"
        if one.kind in ("submit", "button", "image", "reset"):
            return one.value if self.chance.random() < 0.5 else None
        return one.value

    def _word(self) -> str:
        return self.chance.choice(self.heard or WORDS)

    def _text(self) -> str:
        return " ".join(
            self.chance.choice(WORDS if self.chance.random() < 0.5 else self.heard or WORDS) for _ in range(6)
        )

    def sign_in(self) -> Page | None:
        """Fill in what the log-in page asks for, over as many pages as it takes."""
        page = self.open(self.address + "/")
        for _ in range(3):
            asked = [form for form in page.forms if form.asks_for("password") or form.asks_for("email")] if page else []
            if not asked:
                return page
            for each in asked[0].fields:
                if each.kind == "text":
                    each.kind, each.value = "hidden", str(self.given["username"])
            page = self.send(asked[0])
        return page

    def wander(self, steps: int) -> None:
        home = page = self.sign_in()
        for _ in range(steps):
            ways: list[str | Form] = []
            if page is not None:
                ways += [link for link in page.links if self._inside(link)]
                ways += [form for form in page.forms for _ in range(3) if self._stays(form)]
            way = self.chance.choice(ways) if ways and self.chance.random() < 0.9 else None
            if way is None:
                page = self.open(home.address if home else self.address + "/")
            elif isinstance(way, str):
                page = self.open(way)
            else:
                page = self.send(way)

    def _inside(self, link: str) -> bool:
        here, there = urlsplit(self.address), urlsplit(link)
        return there.netloc == here.netloc and not any(word in link.lower() for word in LEAVING)

    def _stays(self, form: Form) -> bool:
        if form.method not in ("get", "post"):  # a dialog's own form goes nowhere
            return False
        return self._inside(form.action) and not any(word in form.words.lower() for word in LEAVING)


def main() -> None:
    given = json.load(sys.stdin)
    for name, address in sorted(given["services"].items()):
        print(f"{name}:")
        Visitor(address, given, random.Random(f"{given['seed']} {name}")).wander(given["steps"])


if __name__ == "__main__":
    main()
