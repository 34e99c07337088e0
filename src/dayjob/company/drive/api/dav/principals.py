"""The top of `/remote.php/dav/` and its principals, as far as clients ask on their way to the files."""

from __future__ import annotations

from xml.sax.saxutils import escape

from starlette.responses import Response

from dayjob.company.drive.api.dav.finding import Question
from dayjob.company.drive.api.dav.reading import CLASSES
from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.errors import MethodNotAllowed, NotFound
from dayjob.company.drive.rows import User
from dayjob.company.drive.shapes.xml import DAV, XML_TYPE, element, multistatus, propstat, response, tag

_FOLDERS = ("files", "principals", "trash-bin", "uploads")


async def top(request: DavRequest, user: User, parts: list[str]) -> Response:
    """Answer for the folders above the spaces: the root, `principals/…`, and `files/`, `uploads/` and the like."""
    if request.method == "OPTIONS":
        return Response(b"", 200, {"allow": "OPTIONS, PROPFIND, GET, HEAD", "dav": CLASSES, "ms-author-via": "DAV"})
    if request.method in ("GET", "HEAD"):
        return Response("WebDAV clients find their files here.\n", media_type="text/plain")
    if request.method != "PROPFIND":
        raise MethodNotAllowed(f"{request.method} means nothing here.")
    question = Question(await request.body())
    depth = request.depth("1")
    shown = [parts]
    if depth != 0:
        shown += [[*parts, name] for name in _inside(parts, user)]
    answers = []
    for one in shown:
        values = _values(request, user, one)
        names = question.names or tuple(values)
        found = [_filled(name, values[name]) for name in names if name in values]
        missing = [element(name) for name in names if name not in values]
        stats = [propstat("".join(found), 200)] + ([propstat("".join(missing), 404)] if missing else [])
        answers.append(response("/".join(["/remote.php/dav", *one, ""]), stats))
    return Response(multistatus(answers), 207, media_type=XML_TYPE)


def _inside(parts: list[str], user: User) -> tuple[str, ...]:
    match parts:
        case []:
            return _FOLDERS
        case ["principals"]:
            return ("users", "groups")
        case ["files" | "uploads" | "trash-bin"] | ["principals", "users"]:
            return (user.username,)
        case ["principals", "groups"] | ["principals", "users", _]:
            return ()
    raise NotFound("There is nothing at this address.")


def _values(request: DavRequest, user: User, parts: list[str]) -> dict[str, str]:
    principal = request.drive.principal(user.username)
    values = {
        f"{DAV}resourcetype": "<d:collection/>",
        f"{DAV}current-user-principal": f"<d:href>{principal}</d:href>",
        f"{DAV}principal-collection-set": "<d:href>/remote.php/dav/principals/users/</d:href>",
    }
    match parts:
        case ["principals", "users", name]:
            found = request.drive.accounts.get(name)
            if found is None:
                raise NotFound(f"There is no account {name}.")
            values[f"{DAV}resourcetype"] = "<d:principal/>"
            values[f"{DAV}displayname"] = escape(found.name)
            values[f"{DAV}principal-URL"] = f"<d:href>{request.drive.principal(found.username)}</d:href>"
            values["{http://sabredav.org/ns}email-address"] = escape(found.email or "")
        case [] | [("files" | "uploads" | "trash-bin" | "principals")] | ["principals", ("users" | "groups")]:
            pass
        case [("files" | "uploads" | "trash-bin"), _]:
            pass
        case _:
            raise NotFound("There is nothing at this address.")
    return values


def _filled(name: str, inner: str) -> str:
    begin, end = tag(name)
    return f"{begin}>{inner}{end}"
