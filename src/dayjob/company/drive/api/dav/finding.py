"""PROPFIND and REPORT: what is there, and what is known about it."""

from __future__ import annotations

from starlette.responses import Response

from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.errors import BadRequest, Forbidden, UnsupportedMedia
from dayjob.company.drive.rows import Place
from dayjob.company.drive.shapes.properties import LIVE, USUAL, Facts
from dayjob.company.drive.shapes.xml import DAV, OC, XML_TYPE, element, multistatus, parse, propstat, response, tag

_MOST_RESULTS = 1000


class Question:
    """Which properties a client asks for: named ones, only the names, or the usual set."""

    def __init__(self, body: bytes, root_name: str = f"{DAV}propfind") -> None:
        self.names: tuple[str, ...] | None = None
        self.only_names = False
        self.more: tuple[str, ...] = ()
        if not body.strip():
            return
        root = parse(body)
        if root.tag != root_name:
            raise BadRequest(f"The request body must be a {root_name} element.")
        for child in root:
            if child.tag == f"{DAV}prop":
                self.names = tuple(dict.fromkeys(one.tag for one in child))
            elif child.tag == f"{DAV}propname":
                self.only_names = True
            elif child.tag == f"{DAV}include":
                self.more = tuple(one.tag for one in child)


def describe(question: Question, facts: Facts, place: Place, *, minimal: bool = False) -> str:
    """One `response` element about one place."""
    node = place.there
    href = facts.space.address(place.seen, folder=node.is_folder)
    if question.names is None:
        dead = facts.dead(node.id)
        if question.only_names:
            known = [name for name, make in LIVE.items() if make(facts, place) is not None]
            return response(href, [propstat("".join(map(element, (*known, *dead))), 200)])
        live = [_live(name, facts, place) for name in dict.fromkeys((*USUAL, *question.more))]
        return response(href, [propstat("".join([one for one in live if one is not None] + list(dead.values())), 200)])
    found, missing = [], []
    dead_names = [name for name in question.names if name not in LIVE]
    dead = facts.dead(node.id) if dead_names else {}
    for name in question.names:
        one = _live(name, facts, place) if name in LIVE else dead.get(name)
        if one is not None:
            found.append(one)
        else:
            missing.append(element(name))
    parts = []
    if found or not missing or minimal:
        parts.append(propstat("".join(found), 200))
    if missing and not minimal:
        parts.append(propstat("".join(missing), 404))
    return response(href, parts)


def _live(name: str, facts: Facts, place: Place) -> str | None:
    make = LIVE.get(name)
    inner = make(facts, place) if make is not None else None
    if inner is None:
        return None
    begin, end = tag(name)
    return f"{begin}>{inner}{end}" if inner else f"{begin}/>"


def _minimal(request: DavRequest) -> bool:
    return "return=minimal" in request.headers.get("prefer", "") or request.headers.get("brief", "").lower() == "t"


def answer(request: DavRequest, question: Question, places: list[Place]) -> Response:
    facts = Facts(request.space, places)
    minimal = _minimal(request)
    body = multistatus([describe(question, facts, place, minimal=minimal) for place in places])
    return Response(body, 207, {"vary": "Brief,Prefer"}, media_type=XML_TYPE)


async def propfind(request: DavRequest) -> Response:
    question = Question(await request.body())
    depth = request.depth("infinity")
    place = request.view.need(request.path)
    places = [place]
    if depth is None:
        places += request.view.walk(place)
    elif depth > 0:
        level = request.view.entries(place)
        places += level if depth == 1 else _down(request, level, depth - 1)
    return answer(request, question, places)


def _down(request: DavRequest, level: list[Place], depth: int) -> list[Place]:
    """A level and some below it, each folder directly followed by what it holds."""
    found = []
    for place in level:
        found.append(place)
        if depth > 0:
            found += _down(request, request.view.entries(place), depth - 1)
    return found


async def report(request: DavRequest) -> Response:
    """`filter-files` (favorites) and `search-files` (by name)."""
    body = await request.body()
    root = parse(body)
    top = request.view.need(request.path)
    if root.tag == f"{OC}filter-files":
        question = Question(body, root.tag)
        rules = root.find(f"{OC}filter-rules")
        if rules is None or not len(rules):
            raise BadRequest("A filter-files report needs at least one rule.")
        if any(rule.tag != f"{OC}favorite" for rule in rules):
            raise Forbidden("The only rule of filter-files here is favorite.")
        if any((rule.text or "").strip() not in ("1", "yes", "true") for rule in rules):
            places = []
        else:
            places = request.view.favorites(top)
    elif root.tag == f"{OC}search-files":
        question = Question(body, root.tag)
        pattern = (root.findtext(f"{OC}search/{OC}pattern") or "").strip()
        limit = root.findtext(f"{OC}search/{OC}limit") or "30"
        if not pattern or not (limit.isascii() and limit.isdigit()):
            raise BadRequest("A search-files report needs a pattern, and its limit must be a number.")
        places = request.view.search(top, pattern, min(int(limit), _MOST_RESULTS))
    else:
        raise UnsupportedMedia(f"The report {root.tag} is not supported here.")
    return answer(request, question, places)
