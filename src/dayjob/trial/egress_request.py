"""One request to the way out: where it goes, the head that is sent there, and how long its body is.

Nothing that two readers could read in two ways is passed on, so no second request travels inside the first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*\Z")
_TARGET = re.compile(r"[\x21-\x7e]+\Z")
_HOST = re.compile(r"[0-9A-Za-z._-]+\Z|[0-9A-Fa-f:.]+\Z")

# Said between neighbours, and not passed on; a request that would turn the connection into something else is none.
_OURS = {b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"host", b"http2-settings"}


@dataclass(frozen=True, slots=True)
class Request:
    """Where to, and what to send there first. `length` bytes of body follow, or chunks when it is None."""

    method: str
    host: str
    port: int
    head: bytes = b""
    length: int | None = 0

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"


def read_request(head: bytes) -> Request:
    """What a request's head asks for. Raises `ValueError` with a sentence when it is not plain."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, target, version = _first_line(first)
    if method == "CONNECT":
        name, _, number = target.rpartition(":")
        return Request(method, _host(name.removeprefix("[").removesuffix("]")), _port(number))
    url = urlsplit(target)
    if url.scheme != "http" or not url.hostname:
        raise ValueError(f"'{target[:80]}' is not an address a proxy can ask for")
    host, port = _host(url.hostname), _port(str(url.port or 80))
    headers = [_header(line) for line in lines]
    length = _length(headers, version)
    dropped = {word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")}
    kept = [
        name + b": " + value
        for name, value in headers
        if name not in _OURS | (dropped - {b"content-length", b"transfer-encoding"}) and not name.startswith(b"proxy-")
    ]
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    shown = f"[{host}]" if ":" in host else host
    # One request per connection: every further one has to pass the policy again. And to the host that was checked.
    start = [f"{method} {path} HTTP/1.1".encode("ascii"), f"host: {shown}{'' if port == 80 else f':{port}'}".encode()]
    return Request(method, host, port, b"\r\n".join([*start, *kept, b"connection: close", b"", b""]), length)


def _first_line(line: bytes) -> tuple[str, str, str]:
    parts = line.decode("latin-1").split(" ")
    if len(parts) != 3 or not _TOKEN.match(parts[0].encode("latin-1")) or not _TARGET.match(parts[1]):
        raise ValueError("the request's first line is not one")
    if parts[2] not in ("HTTP/1.0", "HTTP/1.1"):
        raise ValueError("only HTTP/1 is spoken here")
    return parts[0], parts[1], parts[2]


def _host(name: str) -> str:
    if not _HOST.match(name):
        raise ValueError(f"'{name[:80]}' is not a host's name")
    return name


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise ValueError(f"'{text[:20]}' is not a port")
    return int(text)


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not _TOKEN.match(name) or not _VALUE.match(value):
        raise ValueError("a header of the request is not one")
    return name.lower(), value.strip(b" \t")


def _length(headers: list[tuple[bytes, bytes]], version: str) -> int | None:
    """How long the body is, said once and in one way."""
    lengths = [value for name, value in headers if name == b"content-length"]
    coded = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    if coded:
        if lengths or coded != [b"chunked"] or version == "HTTP/1.0":
            raise ValueError("the request's body has no length that all would agree on")
        return None
    if len(lengths) > 1 or not all(re.fullmatch(rb"[0-9]{1,15}", one) for one in lengths):
        raise ValueError("the request's body has no length that all would agree on")
    return int(lengths[0]) if lengths else 0
