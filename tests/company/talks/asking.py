"""A service asked without sockets: requests in, answers out, at a time that stands still but for a second a request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from starlette.types import Message

from dayjob.company.company import Company
from dayjob.company.host import Door
from dayjob.company.pages.forms import form_token
from dayjob.company.world import Snapshot
from tests.company.bare import StillClock


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    def json(self) -> Any:
        return json.loads(self.body)


class Asked:
    """One company and one of its services. Use as `with Asked(snapshot, "forge") as forge`."""

    def __init__(self, snapshot: Snapshot, service: str) -> None:
        self.clock = StillClock()
        self.company = Company(snapshot, clock=self.clock)
        self.host = f"{service}.test"
        self.signed_in: dict[str, dict[str, str]] = {}
        """The headers of those who have signed in, for services that ask them to."""
        self._browsers: dict[str, dict[str, str]] = {}
        self._door = Door(self.company, self.company.service(service), "people")
        self._runner = asyncio.Runner()

    def __enter__(self) -> Asked:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.__exit__(kind, error, trace)
        self.company.close()

    def ask(self, method: str, address: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
        self.clock.forward(seconds=1)
        return self._runner.run(self._ask(method, address, body, headers or {}))

    def browse(self, who: str, way: str, address: str, body: str, enter: Callable[[], dict[str, str]]) -> Answer:
        """A page in somebody's browser: `PAGE` opens it, `FORM` sends it, with the token its own page would have.

        `enter` gives the cookies of a new session, the session's secret first.
        """
        if who != "nobody" and who not in self._browsers:
            self._browsers[who] = enter()
        cookies = self._browsers.get(who, {})
        headers = {"cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        if way == "PAGE":
            return self.ask("GET", address, headers=headers)
        token = form_token(next(iter(cookies.values()), ""))
        headers |= {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{self.host}"}
        return self.ask("POST", address, f"{body}&authenticity_token={token}".encode(), headers)

    async def _ask(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        path, _, query = address.partition("?")
        given = {"host": self.host, "content-length": str(len(body)), **headers}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 50000), "server": (self.host, 80), "state": {},
        }  # fmt: skip
        sent: list[Message] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._door(scope, receive, send)
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in sent[0].get("headers", ())]
        cookies = dict(value.partition(";")[0].split("=", 1) for name, value in pairs if name == "set-cookie")
        return Answer(sent[0]["status"], dict(pairs), b"".join(one.get("body", b"") for one in sent[1:]), cookies)
