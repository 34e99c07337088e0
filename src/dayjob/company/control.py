"""The control API (port 2999): is a service ready, put it back, and, behind a token, what happened.

A reset is done before it is answered, so a health check that follows cannot speak of a half-reset service. Resets are
open while a task is being set up and in `company serve`; once an examinee works they need the token.
"""

from __future__ import annotations

import hmac
import inspect
import tempfile
from dataclasses import asdict
from typing import ClassVar

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dayjob.company.archive import write_archive
from dayjob.company.clock import stamp
from dayjob.company.company import Company
from dayjob.company.moments import NAMES as NAMES_OF_DAYS
from dayjob.company.notices import as_text
from dayjob.company.waiting import CannotWait, left, until_when, wait
from dayjob.durations import spell_duration
from dayjob.http.bodies import parse_json, read_body
from dayjob.http.protocol import closed_websocket
from dayjob.http.routing import MethodNotAllowed, NotFound, Router, raw_path
from dayjob.service_names import NAMES, SERVICES

TOKEN_HEADER = "x-dayjob-token"

_CHUNK = 1024 * 1024
_WAIT_LIMIT = 64 * 1024

# Parts of the field's original set-up that clients ask about; here they are within chat.
_PARTS_OF_CHAT = ("redis", "sotopia")


class Control:
    """The ASGI app of one company's control API."""

    name: ClassVar[str] = "control"

    def __init__(self, company: Company) -> None:
        self.company = company

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await closed_websocket(scope, send):
            return
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    def failure(self, status: int, message: str) -> Response:
        return JSONResponse({"error": message}, status)

    def is_look(self, scope: Scope) -> bool:
        """Who asks here looks at no messages; a wait shows them by itself."""
        return False

    async def _answer(self, request: Request) -> Response:
        try:
            handler, request.scope["path_params"] = _router.match(request.method, raw_path(request))
        except NotFound:
            return self.failure(404, f"There is no {request.url.path} in the control API.")
        except MethodNotAllowed as error:
            response = self.failure(405, f"Use {' or '.join(error.allowed)} here.")
            response.headers["allow"] = ", ".join(error.allowed)
            return response
        found = handler(self, request)
        response = await found if inspect.isawaitable(found) else found
        assert isinstance(response, Response)
        return response

    def _has_token(self, request: Request) -> bool:
        given = request.headers.get(TOKEN_HEADER, "")
        return hmac.compare_digest(given.encode(), self.company.control_token.encode())

    def _refusal(self, request: Request, *, open_in: tuple[str, ...] = ()) -> Response | None:
        if self.company.phase in open_in or self._has_token(request):
            return None
        return self.failure(403, f"This needs the header {TOKEN_HEADER} with the company's control token.")

    # -- endpoints -----------------------------------------------------------------------------------------------

    def health(self, request: Request) -> Response:
        name = request.path_params["service"]
        service = "chat" if name in _PARTS_OF_CHAT else SERVICES.get(name, name)
        if service not in NAMES:
            return self.failure(404, f"There is no service '{name}'.")
        ready = self.company.ready(service)
        return JSONResponse({"message": f"{name} is {'ready' if ready else 'not ready'}"}, 200 if ready else 400)

    def reset(self, request: Request) -> Response:
        name = request.url.path.rpartition("reset-")[2]
        service = SERVICES.get(name, name)
        if refusal := self._refusal(request, open_in=("init", "serve")):
            return refusal
        self.company.reset(*(NAMES if service == "all" else (service,)))
        return JSONResponse({"message": f"{name} is back at its start"}, 202)

    def journal(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        asked = request.query_params
        since = asked.get("since", "0")
        if not (since.isascii() and since.isdigit()):
            return self.failure(400, "'since' must be the sequence number of a row.")
        rows = self.company.journal.requests(
            asked.get("service"),
            asked.get("path"),
            prefix=asked.get("prefix"),
            method=asked.get("method"),
            account=asked.get("account"),
            role=asked.get("role"),
            since=int(since),
        )
        return JSONResponse({"rows": [asdict(row) for row in rows], "notes": self._notes()})

    def accessed(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        asked = request.query_params
        if "service" not in asked or "path" not in asked:
            return self.failure(400, "Name a 'service' and a 'path'.")
        seen = self.company.journal.accessed(
            SERVICES.get(asked["service"], asked["service"]),
            asked["path"],
            method=asked.get("method"),
            account=asked.get("account"),
        )
        return JSONResponse({"accessed": seen, "notes": self._notes()})

    def changes(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        name = request.query_params.get("service")
        everyone = request.query_params.get("everyone", "") in ("1", "true")
        found = self.company.changes(SERVICES.get(name, name) if name else None, everyone=everyone)
        return JSONResponse({"changes": [asdict(one) for one in found], "notes": self._notes()})

    def _notes(self) -> list[str]:
        """What the journal says about itself: that it is full, and what it left out."""
        return [note.text for note in self.company.journal.notes]

    # -- time ----------------------------------------------------------------------------------------------------

    def clock(self, request: Request) -> Response:
        """What time it is here, and how much of it may still be let pass."""
        clock, rest = self.company.clock, left(self.company)
        told = {"now": clock.stamp(), "day": NAMES_OF_DAYS[clock.now().weekday()], "stepped": clock.stepped}
        return JSONResponse({**told, "left": spell_duration(rest) if rest is not None else None})

    async def wait(self, request: Request) -> Response:
        """Let time pass, and tell what the person who works here would notice."""
        try:
            raw = await read_body(request, _WAIT_LIMIT)
            asked = parse_json(raw) if raw.strip() else {}
        except ValueError:
            return self.failure(400, 'The body is not JSON; send {"for": "45m"} or {"until": "Tue 09:00"}.')
        if request.scope.get("dayjob.role") not in ("examinee", "people") and not self._has_token(request):
            return self.failure(403, "Only whoever works here lets time pass; others need the control token.")
        try:
            until = until_when(asked, self.company.clock.now())
            waited = await wait(self.company, until, self.company.world.examinee)
        except CannotWait as error:
            return self.failure(422, str(error))
        text = as_text(waited.notices, waited.now)
        if "text/plain" in request.headers.get("accept", ""):
            return PlainTextResponse(text)
        told = {"from": stamp(waited.began), "now": stamp(waited.now), "settled": waited.settled}
        return JSONResponse({**told, "notices": [one.as_dict() for one in waited.notices], "text": text})

    def snapshot(self, request: Request) -> Response:
        """The company as it is now: a tar of its databases and of the files it has written."""
        if refusal := self._refusal(request):
            return refusal
        file = tempfile.TemporaryFile(dir=self.company.folder)  # noqa: SIM115  # closed when it was sent
        write_archive(self.company, file)
        size = file.tell()
        file.seek(0)
        parts = iter(lambda: file.read(_CHUNK), b"")
        headers = {"content-length": str(size)}
        return StreamingResponse(
            parts, media_type="application/x-tar", headers=headers, background=BackgroundTask(file.close)
        )


_router = Router()
_router.add("GET", "/api/healthcheck/{service}", Control.health)
for _service in (*SERVICES, "all"):
    _router.add("POST", f"/api/reset-{_service}", Control.reset)
_router.add("GET", "/api/journal", Control.journal)
_router.add("GET", "/api/accessed", Control.accessed)
_router.add("GET", "/api/changes", Control.changes)
_router.add("GET", "/api/snapshot", Control.snapshot)
_router.add("GET", "/clock", Control.clock)
_router.add("POST", "/clock/wait", Control.wait)
