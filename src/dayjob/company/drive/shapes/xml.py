"""XML as WebDAV speaks it: bodies read without entities or external references, multi-status answers written."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, ParseError, tostring
from xml.sax.saxutils import escape, quoteattr

from defusedxml.ElementTree import fromstring

from dayjob.company.drive.errors import BadRequest

DAV = "{DAV:}"
OC = "{http://owncloud.org/ns}"
OCS = "{http://open-collaboration-services.org/ns}"
_PREFIXES = {"DAV:": "d", "http://owncloud.org/ns": "oc", "http://sabredav.org/ns": "s"}
_DEEPEST = 60
XML_TYPE = "application/xml; charset=utf-8"

STATUS = {
    200: "HTTP/1.1 200 OK",
    403: "HTTP/1.1 403 Forbidden",
    404: "HTTP/1.1 404 Not Found",
    409: "HTTP/1.1 409 Conflict",
    423: "HTTP/1.1 423 Locked",
    424: "HTTP/1.1 424 Failed Dependency",
}
HEAD = (
    '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" '
    'xmlns:oc="http://owncloud.org/ns">'
)
TAIL = "</d:multistatus>"


def parse(body: bytes) -> Element:
    """The root element of a request body; `BadRequest` for anything malformed, with a DTD, or nested absurdly."""
    try:
        root: Element = fromstring(body, forbid_dtd=True)
    except (ParseError, ValueError, LookupError) as error:
        raise BadRequest("The request body is not XML this server reads.") from error
    level: list[Element] = [root]
    for _ in range(_DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return root
    raise BadRequest("The request body is nested too deeply.")


@functools.lru_cache(1024)
def tag(name: str) -> tuple[str, str]:
    """How an element of this name begins and ends: `{DAV:}href` → (`<d:href`, `</d:href>`)."""
    namespace, _, local = name[1:].rpartition("}") if name.startswith("{") else ("", "", name)
    if prefix := _PREFIXES.get(namespace):
        return f"<{prefix}:{local}", f"</{prefix}:{local}>"
    if not namespace:
        return f'<{local} xmlns=""', f"</{local}>"
    return f"<x1:{local} xmlns:x1={quoteattr(namespace)}", f"</x1:{local}>"


def element(name: str, inner: str = "") -> str:
    begin, end = tag(name)
    return f"{begin}>{inner}{end}" if inner else f"{begin}/>"


def serialise(found: Element) -> str:
    """An element as text that stands on its own, so that it can be stored and set into any answer."""
    found.tail = None
    return tostring(found, encoding="unicode")


def propstat(inner: str, status: int) -> str:
    return f"<d:propstat><d:prop>{inner}</d:prop><d:status>{STATUS[status]}</d:status></d:propstat>"


def response(href: str, parts: Iterable[str]) -> str:
    return f"<d:response><d:href>{href}</d:href>{''.join(parts)}</d:response>"


def multistatus(responses: Sequence[str]) -> bytes:
    return f"{HEAD}{''.join(responses)}{TAIL}".encode()


def error(wire_name: str, message: str, inner: str = "") -> bytes:
    """The body of a refusal."""
    clean = "".join(char if char in "\n\t" or ord(char) >= 32 else "?" for char in message)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">\n'
        f"  <s:exception>{escape(wire_name)}</s:exception>\n"
        f"  <s:message>{escape(clean)}</s:message>\n{inner}</d:error>\n"
    ).encode("utf-8", "replace")
