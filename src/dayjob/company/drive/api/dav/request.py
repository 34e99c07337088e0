"""A WebDAV request: the space it addresses, its path, and its headers read and checked once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.types import Receive, Scope

from dayjob.company.drive.api.headers import Headers
from dayjob.company.drive.errors import BadRequest, Forbidden, TooLarge
from dayjob.company.drive.names import encode_path
from dayjob.company.drive.rows import Place
from dayjob.company.drive.store.view import View

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

XML_LIMIT = 1024 * 1024
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Space:
    """A tree of files under one address: `href` is the address of its top, without the trailing slash."""

    view: View
    href: str

    def address(self, path: str, *, folder: bool = False) -> str:
        """The percent-encoded address of a path, as it stands in answers."""
        encoded = self.href + encode_path(path)
        return f"{encoded}/" if folder and not encoded.endswith("/") else encoded


@dataclass(slots=True)
class DavRequest:
    """One request to a file space. `resolve` turns an address of this drive into (space, path)."""

    drive: Drive
    scope: Scope
    receive: Receive
    headers: Headers
    space: Space
    path: str
    resolve: Callable[[str], tuple[Space, str] | None]
    tokens: frozenset[str] = frozenset()
    """Lock tokens the client has shown in its `If` header; filled in when the header is evaluated."""

    @property
    def method(self) -> str:
        return str(self.scope["method"])

    @property
    def view(self) -> View:
        return self.space.view

    def locate(self) -> Place:
        return self.view.locate(self.path)

    def require_unlocked(self, place: Place, *, deep: bool = False, membership: bool = False) -> None:
        """Refuse where a lock stands whose token the client has not shown."""
        self.view.require_unlocked(place, self.tokens, deep=deep, membership=membership)

    def depth(self, default: str, allowed: tuple[str, ...] | None = None) -> int | None:
        """The Depth header as a number; None means all the way down."""
        text = self.headers.get("depth", default).strip().lower()
        if allowed is not None and text not in allowed:
            raise BadRequest(f"Depth must be {' or '.join(allowed)} here.")
        if text == "infinity":
            return None
        if not _WHOLE_NUMBER.fullmatch(text):
            raise BadRequest("Depth must be a number or 'infinity'.")
        return int(text)

    def overwrite(self) -> bool:
        text = self.headers.get("overwrite", "T").strip().upper()
        if text not in ("T", "F"):
            raise BadRequest("Overwrite must be T or F.")
        return text == "T"

    def destination(self) -> tuple[Space, str]:
        """Where the Destination header points, which must be inside this drive."""
        text = self.headers.get("destination")
        if not text:
            raise BadRequest("The Destination header is missing.")
        found = self.resolve(address_path(text))
        if found is None:
            raise Forbidden("The Destination lies outside of what this request may reach.")
        return found

    def mtime(self) -> int | None:
        """`X-OC-Mtime`, which may be a decimal number; None when it is absent."""
        text = self.headers.get("x-oc-mtime")
        if text is None:
            return None
        try:
            value = int(float(text))
        except (ValueError, OverflowError) as error:
            raise BadRequest("X-OC-Mtime must be a Unix time.") from error
        if not -(2**40) < value < 2**40:
            raise BadRequest("X-OC-Mtime is out of range.")
        return value

    def length(self) -> int | None:
        """How many bytes the client says it sends."""
        for name in ("content-length", "x-expected-entity-length", "oc-total-length"):
            text = self.headers.get(name, "").strip()
            if _WHOLE_NUMBER.fullmatch(text):
                return int(text)
        return None

    async def body(self, limit: int = XML_LIMIT) -> bytes:
        """The whole body, if it is reasonably small."""
        parts, size = [], 0
        declared = self.headers.get("content-length", "0")
        if _WHOLE_NUMBER.fullmatch(declared) and int(declared) > limit:
            raise TooLarge(f"The request body is larger than {limit} bytes.")
        while True:
            message = await self.receive()
            if message["type"] != "http.request":
                break
            size += len(message.get("body", b""))
            if size > limit:
                raise TooLarge(f"The request body is larger than {limit} bytes.")
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                break
        return b"".join(parts)


def address_path(text: str) -> str:
    """The raw path of an address in a header (whole or from the root); `BadRequest` when it is none."""
    if len(text) > 16000 or any(ord(char) < 32 for char in text):
        raise BadRequest("The address is not valid.")
    try:
        parts = urlsplit(text.strip())
    except ValueError as error:
        raise BadRequest("The address is not valid.") from error
    if not parts.path.startswith("/") or (parts.scheme and parts.scheme not in ("http", "https")):
        raise BadRequest("The address must be an http address or start with '/'.")
    # Headers arrive as latin-1; an address that was not percent-encoded is UTF-8 in disguise.
    return parts.path if parts.path.isascii() else parts.path.encode("latin-1", "replace").decode("utf-8", "replace")
