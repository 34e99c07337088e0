"""Somebody of the company does something: the service's own handlers, asked in process, as that person.

No credentials are made for it and no listener is passed: the visit itself says who acts (`journal.acting_as`), which
nothing that comes in over a socket can. What is refused to that person over the wire is refused here alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode

from starlette.types import Message

from dayjob.company.journal import Role, Visit, current

if TYPE_CHECKING:
    from dayjob.company.company import Company


_XML_MESSAGE = re.compile(r"<s:message>(.*?)</s:message>", re.DOTALL)
"""What the drive says of a request it refuses."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service said."""

    status: int
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def sentence(self) -> str:
        """Why it was refused, as far as the answer tells."""
        text = self.body.decode("utf-8", "replace").strip()
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if told := _XML_MESSAGE.search(text):
            text = unescape(told[1])
        if isinstance(found, dict):
            said = next((found[key] for key in ("message", "error", "detail") if found.get(key)), text)
            text = said if isinstance(said, str) else json.dumps(said)
        return f"{self.status} {' '.join(text.split())}".strip()[:300]


@dataclass(slots=True)
class Doer:
    """A person who acts in a company. `mark` is what of the timeline is done: it is written down with the change."""

    company: Company
    username: str
    role: Role = "timeline"
    mark: str | None = None

    async def read(self, service: str, path: str, /, **query: Any) -> Any:
        """What the person sees there as JSON; None where it is not there for them. Leaves no trace in the journal."""
        visit = Visit(service, self.role, self.company.phase, "GET", path, acts_as=self.username)
        answer = await self._ask(visit, path, urlencode(query), b"", {})
        return answer.json() if answer.ok else None

    async def look(self, service: str, method: str, path: str, headers: Mapping[str, str]) -> Answer:
        """A question that is no GET, such as a PROPFIND. Leaves no trace in the journal."""
        visit = Visit(service, self.role, self.company.phase, method, unquote(path), acts_as=self.username)
        return await self._ask(visit, path, "", b"", headers)

    async def do(
        self,
        service: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Do it; the journal has it as this person's."""
        path, _, query = path.partition("?")
        visit = self.company.visit(service, self.role, method, unquote(path), query)
        visit.acts_as, visit.mark = self.username, self.mark
        given = dict(headers or {})
        content = raw if raw is not None else b""
        if form is not None:
            content, given["content-type"] = urlencode(form).encode(), "application/x-www-form-urlencoded"
        elif body is not None:
            content, given["content-type"] = json.dumps(body).encode(), "application/json"
        try:
            answer = await self._ask(visit, path, query, content, given)
            visit.status = answer.status
        finally:
            self.company.record(visit)
        self.mark = visit.mark
        return answer

    async def _ask(self, visit: Visit, path: str, query: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        host = self.company.world.url(visit.service).partition("//")[2]
        every = {"host": host, "ocs-apirequest": "true", "content-length": str(len(body)), **headers}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": visit.method, "scheme": "http",
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in every.items()],
            "client": ("127.0.0.1", 0), "server": (self.company.world.host, 80), "dayjob.role": self.role,
        }  # fmt: skip
        sent = False
        status, parts = 500, []

        async def receive() -> Message:
            nonlocal sent
            if sent:
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                parts.append(message.get("body", b""))

        token = current.set(visit)
        try:
            await self.company.service(visit.service)(scope, receive, send)
        finally:
            current.reset(token)
        return Answer(status, b"".join(parts))
