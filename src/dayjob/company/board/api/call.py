"""One API call: who asks for what, whether they may, and the answer. Endpoints are plain functions from Call to Reply.

A call runs in one synchronous stretch after its body was read, which is what makes it atomic. `permission` names one
of Plane's permission classes; each looks at the caller's role in the workspace and in the project of the path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from dayjob.company.board.errors import Forbidden, NotThere, Unreadable
from dayjob.company.board.rows import Item, Project, User, Workspace
from dayjob.company.board.store import accounts, items, projects, workspaces
from dayjob.company.board.store.base import Store
from dayjob.http import bodies
from dayjob.http.routing import Router

if TYPE_CHECKING:
    import sqlite3

    from dayjob.company.board import Board

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
WORKSPACE = "/api/v1/workspaces/{slug}"
PROJECT = WORKSPACE + "/projects/{project_id}"


@dataclass(slots=True)
class Reply:
    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Call:
    board: Board
    method: str
    params: dict[str, str]
    raw_query: bytes
    user: User
    store: Store
    origin: str
    """Scheme and host as the client wrote them, for links in answers."""
    body: Any = None
    _query: dict[str, str] | None = None

    @property
    def db(self) -> sqlite3.Connection:
        return self.store.db

    @property
    def slug(self) -> str:
        return self.params["slug"]

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters; of one given twice the last counts, as in Django."""
        if not self.raw_query:
            return {}
        if self._query is None:
            pairs = parse_qsl(self.raw_query.decode("latin-1"), keep_blank_values=True, max_num_fields=1000)
            self._query = dict(pairs)
        return self._query

    def flag(self, name: str) -> bool | None:
        """A true-or-false parameter; None when it is absent."""
        value = self.query.get(name)
        if value is None:
            return None
        if value not in ("true", "false", "1", "0"):
            raise Unreadable(f"Invalid {name} parameter.")
        return value in ("true", "1")

    def words(self, name: str) -> list[str]:
        """A comma-separated parameter (`fields`, `expand`)."""
        return [one for one in self.query.get(name, "").split(",") if one]

    def payload(self) -> dict[str, Any]:
        """The body as an object; no body is an empty one."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise Unreadable(f"Invalid data. Expected a dictionary, but got {type(self.body).__name__}.")
        return self.body

    # -- what the path names -------------------------------------------------------------------------------------

    def project(self) -> Project:
        """The project to read, or to change something in."""
        found = self.any_project()
        return found if self.method in SAFE else projects.open_to_changes(found)

    def any_project(self) -> Project:
        """The project itself, archived or not."""
        return projects.project(self.db, self.slug, self.params["project_id"])

    def open_project(self) -> Project:
        """The project, for what an archived one no longer shows."""
        found = self.project()
        if found.archived_at is not None:
            raise NotThere
        return found

    def item(self) -> Item:
        return items.item(self.db, self.project().id, self.params["issue_id"])

    def seen(self, ids: Iterable[str]) -> list[Item]:
        """The items with these ids that lie in projects the caller sees."""
        return items.seen(self.db, self.slug, self.user.id, ids)

    def workspace(self) -> Workspace:
        return workspaces.workspace(self.db, self.slug)

    def project_role(self) -> int:
        return accounts.project_role(self.db, self.params["project_id"], self.user.id)


Endpoint = Callable[[Call], Reply]
Permission = Callable[[Call], bool]

routes = Router(tolerant=True)


@dataclass(frozen=True, slots=True)
class Route:
    endpoint: Endpoint
    permission: Permission


def endpoint(methods: str, *patterns: str, permission: Permission) -> Callable[[Endpoint], Endpoint]:
    """Register an endpoint under each pattern."""

    def register(function: Endpoint) -> Endpoint:
        route = Route(function, permission)
        for pattern in patterns:
            routes.add(methods, pattern, route)
        return function

    return register


def spellings(tail: str = "") -> tuple[str, str]:
    """A path below a project's items under both of Plane's names for them."""
    return (f"{PROJECT}/work-items{tail}", f"{PROJECT}/issues{tail}")


# -- Plane's permission classes ----------------------------------------------------------------------------------


def anyone(call: Call) -> bool:
    return True


def workspace_member(call: Call) -> bool:
    return accounts.workspace_role(call.db, call.slug, call.user.id) > 0


def workspace_editor(call: Call) -> bool:
    """Members read; administrators and members write."""
    role = accounts.workspace_role(call.db, call.slug, call.user.id)
    return role > 0 if call.method in SAFE else role >= accounts.MEMBER


def workspace_colleague(call: Call) -> bool:
    """Administrators and members; guests do not see who else is there."""
    return accounts.workspace_role(call.db, call.slug, call.user.id) >= accounts.MEMBER


def workspace_admin(call: Call) -> bool:
    """Members read; administrators write."""
    role = accounts.workspace_role(call.db, call.slug, call.user.id)
    return role > 0 if call.method in SAFE else role == accounts.ADMIN


def project_base(call: Call) -> bool:
    """The workspace's members read; its administrators and members create; administrators change."""
    role = accounts.workspace_role(call.db, call.slug, call.user.id)
    if call.method in SAFE:
        return role > 0
    if call.method == "POST":
        return role >= accounts.MEMBER
    return role == accounts.ADMIN or (role > 0 and call.project_role() == accounts.ADMIN)


def project_entity(call: Call) -> bool:
    """The project's members read, its administrators and members write; the workspace's administrators always may."""
    if accounts.workspace_role(call.db, call.slug, call.user.id) == accounts.ADMIN:
        return True
    role = call.project_role()
    return role > 0 if call.method in SAFE else role >= accounts.MEMBER


def project_member(call: Call) -> bool:
    """Whoever is in some project reads; the workspace's administrators and members create; the project's change."""
    if call.method in SAFE:
        return accounts.in_some_project(call.db, call.slug, call.user.id)
    if call.method == "POST":
        return accounts.workspace_role(call.db, call.slug, call.user.id) >= accounts.MEMBER
    return call.project_role() >= accounts.MEMBER


def project_lite(call: Call) -> bool:
    """Everyone in the project, guests too."""
    return call.project_role() > 0


def project_admin(call: Call) -> bool:
    """Whoever is in some project reads; the project's administrators (and the workspace's) write."""
    if call.method in SAFE and accounts.in_some_project(call.db, call.slug, call.user.id):
        return True
    workspace_role = accounts.workspace_role(call.db, call.slug, call.user.id)
    return workspace_role == accounts.ADMIN or call.project_role() == accounts.ADMIN


def require(may: bool) -> None:
    if not may:
        raise Forbidden


# -- bodies ------------------------------------------------------------------------------------------------------


def _no_constant(name: str) -> Any:
    raise ValueError(f"Out of range float values are not JSON compliant: {name}")


def parse_json(body: bytes) -> Any:
    """The JSON a client sent, or a refusal in Django REST framework's words."""
    try:
        found = bodies.parse_json(body.decode("utf-8"), parse_constant=_no_constant)
        if b"\\u" in body:
            # An escape can spell half a character, which no text column takes.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Unreadable("JSON parse error - lone surrogate in a string") from None
    except ValueError as error:
        raise Unreadable(f"JSON parse error - {error}") from None
    return found
