"""HTTP as the services hear it: a request line and headers of bounded length, and no fragments.

What is too long is answered here, before any service or the journal sees it, as the web server in front of the real
services would: 414 for the address, 431 for the headers. The connection ends with the answer.
"""

from __future__ import annotations

from starlette.types import Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

ADDRESS_LIMIT = 16 * 1024
"""Bytes of a request's path and query."""
HEADERS_LIMIT = 64 * 1024
"""Bytes of all headers of a request."""
HEADERS_COUNT = 200
FRAME_LIMIT = 1024 * 1024
"""Bytes of one message on a websocket; a longer one ends the connection (1009)."""

_TOO_LONG = {414: "URI Too Long", 431: "Request Header Fields Too Large"}


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol with the bounds above."""

    _refusal = 0
    _header_bytes = 0

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0

    def on_url(self, url: bytes) -> None:
        if len(self.url) + len(url) > ADDRESS_LIMIT:
            self._refuse(414)
        if b"#" in url:
            # A request line with `#` is malformed, and must not act on what stands before the sign.
            raise ValueError("a request target has no fragment")  # the parser answers 400
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > HEADERS_LIMIT or len(self.headers) >= HEADERS_COUNT:
            self._refuse(431)
        super().on_header(name, value)

    def _refuse(self, status: int) -> None:
        self._refusal = status
        raise ValueError(_TOO_LONG[status])  # the parser stops, and asks for the answer below

    def send_400_response(self, msg: str) -> None:
        if not self._refusal:
            super().send_400_response(msg)
            return
        reason = _TOO_LONG[self._refusal]
        head = [f"HTTP/1.1 {self._refusal} {reason}\r\n".encode()]
        head += [b"%s: %s\r\n" % pair for pair in self.server_state.default_headers]
        body = f"{self._refusal} {reason}\n".encode()
        head.append(b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n" % len(body))
        self.transport.write(b"".join([*head, b"connection: close\r\n\r\n", body]))
        self.transport.close()


async def closed_websocket(scope: Scope, send: Send) -> bool:
    """Close a websocket, for an app that has none; False when it is a request."""
    if scope["type"] != "websocket":
        return False
    await send({"type": "websocket.close", "code": 1003})
    return True
