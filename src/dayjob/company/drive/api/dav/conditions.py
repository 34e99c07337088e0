"""May this request go ahead? The `If` header with its lock tokens and etags, and HTTP's own preconditions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from dayjob.company.drive.api.dav.request import DavRequest, address_path
from dayjob.company.drive.errors import BadRequest, DriveError, PreconditionFailed
from dayjob.company.drive.rows import Place

_TOKEN = re.compile(
    r"\s*(?:(?P<uri><[^<>\s]+>)|(?P<open>\()|(?P<close>\))|(?P<not>[Nn][Oo][Tt]\b)|\[(?P<etag>[^\]]+)\])"
)
_MOST = 500


@dataclass(frozen=True, slots=True)
class Condition:
    """One term: a lock token or an etag, asked to hold or (negated) not to hold."""

    negated: bool
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A list of terms that must all hold, for the named resource or the one asked for."""

    resource: str | None
    conditions: tuple[Condition, ...]


def parse_if(text: str) -> list[Clause]:
    """The lists of an `If` header; `BadRequest` when it does not follow RFC 4918, section 10.4."""
    clauses: list[Clause] = []
    resource: str | None = None
    inside: list[Condition] | None = None
    negated = False
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(clauses) > _MOST:
            raise BadRequest("The If header cannot be read.")
        at = found.end()
        kind = found.lastgroup
        if inside is None:
            if kind == "uri":
                resource = found["uri"][1:-1]
            elif kind == "open":
                inside = []
            else:
                raise BadRequest("The If header cannot be read: a list must start with '('.")
        elif kind == "close":
            if not inside or negated:
                raise BadRequest("The If header cannot be read: a list is empty.")
            clauses.append(Clause(resource, tuple(inside)))
            inside = None
        elif kind == "not":
            negated = True
        elif kind == "uri":
            inside.append(Condition(negated, "token", found["uri"][1:-1]))
            negated = False
        elif kind == "etag":
            inside.append(Condition(negated, "etag", found["etag"]))
            negated = False
        else:
            raise BadRequest("The If header cannot be read.")
    if inside is not None or not clauses:
        raise BadRequest("The If header cannot be read: it ends too early.")
    return clauses


def check(request: DavRequest, place: Place) -> None:
    """Evaluate every condition the request carries; note the lock tokens it has shown."""
    headers = request.headers
    if (text := headers.get("if")) is not None:
        clauses = parse_if(text)
        request.tokens = frozenset(
            one.value for clause in clauses for one in clause.conditions if one.kind == "token" and not one.negated
        )
        if not any(_holds(request, clause, place) for clause in clauses):
            raise PreconditionFailed("None of the conditions in the If header holds.")
    etag = None if place.node is None else request.view.etag(place)
    if (text := headers.get("if-match")) is not None and not etag_in(text, etag):
        raise PreconditionFailed("An If-Match header was specified, but the etag is another one.")
    reading = request.method in ("GET", "HEAD")
    if (text := headers.get("if-none-match")) is not None and not reading and etag_in(text, etag):
        raise PreconditionFailed("An If-None-Match header was specified, but there is such a resource.")
    if (
        (text := headers.get("if-unmodified-since")) is not None
        and place.node is not None
        and "if-match" not in headers
    ):
        moment = http_date(text)
        if moment is not None and place.node.mtime > moment:
            raise PreconditionFailed("The resource has changed since the time in If-Unmodified-Since.")


def _holds(request: DavRequest, clause: Clause, place: Place) -> bool:
    view = request.view
    if clause.resource is not None:
        try:
            found = request.resolve(address_path(clause.resource))
        except DriveError:
            found = None
        if found is None:
            return all(condition.negated for condition in clause.conditions)
        view = found[0].view
        place = view.locate(found[1])
    tokens = {lock.token for lock in request.drive.locks.on(place.owner, place.path)}
    etag = None if place.node is None else view.etag(place)
    for condition in clause.conditions:
        fits = condition.value in tokens if condition.kind == "token" else etag_in(condition.value, etag)
        if fits == condition.negated:
            return False
    return True


def etag_in(header: str, etag: str | None) -> bool:
    """Whether a list of etags (or `*`) names this one; None stands for a resource that is not there."""
    if etag is None:
        return False
    if header.strip() == "*":
        return True
    return any(one.strip().removeprefix("W/").strip('"') == etag for one in header.split(","))


def http_date(text: str) -> int | None:
    """An HTTP date as Unix time; None when it is not one, which HTTP says to pass over."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def not_modified(request: DavRequest, etag: str, mtime: int) -> bool:
    """Whether a reader's copy is still good (304)."""
    if (text := request.headers.get("if-none-match")) is not None:
        return etag_in(text, etag)
    if (text := request.headers.get("if-modified-since")) is not None:
        moment = http_date(text)
        return moment is not None and mtime <= moment
    return False
