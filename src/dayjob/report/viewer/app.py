"""The viewer as an ASGI app: pages over HTTP for this machine only, kept up to date while it is open."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from dayjob.report.viewer.index import Index
from dayjob.report.viewer.pages import Answer, Pages

log = logging.getLogger("dayjob.viewer")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Viewer:
    """Answers with pages. A request under another host's name is refused: it comes from a page elsewhere."""

    def __init__(self, index: Index) -> None:
        self.pages = Pages(index)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await (await self._answer(Request(scope, receive)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.headers.get("host", "").rsplit(":", 1)[0] not in _OWN_NAMES:
            return PlainTextResponse("This viewer answers to localhost only.\n", 421)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("There is only reading here.\n", 405, {"Allow": "GET, HEAD"})
        path = unquote(request.scope["raw_path"].decode("latin-1")).lstrip("/")
        answer, _ = await run_in_threadpool(self.pages.answer, path, dict(request.query_params))
        return _response(answer, request.headers.get("x-dayjob-version"))


def _response(answer: Answer, known: str | None) -> Response:
    page = answer.kind.startswith("text/")
    headers = {**HEADERS, "Content-Security-Policy": POLICY if page else "sandbox; default-src 'none'"}
    if known is not None and answer.version == known:
        return Response(status_code=204, headers=headers)
    return Response(answer.body, answer.status, headers, media_type=answer.kind)


@asynccontextmanager
async def kept_up_to_date(index: Index) -> AsyncIterator[None]:
    """Refresh the index for as long as the block lasts; a large run is looked at less often."""

    async def keep() -> None:
        while True:
            began = time.monotonic()
            try:
                await asyncio.to_thread(index.refresh)
            except (OSError, sqlite3.Error) as error:
                # A full disk or another viewer at the same index: what is known stays on show, and we look again.
                log.warning("the index %s is not up to date: %s", index.place, error)
            await asyncio.sleep(max(1.0, 10 * (time.monotonic() - began)))

    task = asyncio.create_task(keep())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
