"""One request to the API: who asks, with which arguments, and how the answer is put together.

Handlers take a `Call` and return plain data (or a `Response`). What they cannot do they raise as `Refused`.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.errors import Refused, bad, forbidden, not_found
from dayjob.company.forge.rows.ci import Job
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import Token, User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, job_tokens, namespaces, projects
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.namespaces import VISIBILITY
from dayjob.http.bodies import parse_json

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

PER_PAGE, MOST_PER_PAGE = 20, 100
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_TRUE = frozenset({"true", "t", "1", "yes", "y", "on"})
_FALSE = frozenset({"false", "f", "0", "no", "n", "off"})


class Json(Response):
    """A JSON answer, rendered once."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else _dumps(content).encode("utf-8", "replace")


class Call:
    """A request on its way through a handler."""

    def __init__(
        self, forge: Forge, request: Request, path: dict[str, str], args: dict[str, Any], *, address: str = ""
    ) -> None:
        self.forge = forge
        self.store: Store = forge.store
        self.request = request
        self.path = path
        self.args = args
        self.address = address
        self.user: User | None = None
        self.token: Token | None = None
        self.job: Job | None = None
        """The running job whose token asks, for the account that started it."""
        self.passing = False
        """Whether the answer may be another one within the day although nothing is changed."""

    # -- who -----------------------------------------------------------------------------------------------------

    @property
    def me(self) -> User:
        """The account that asks; nobody is 401."""
        if self.user is None:
            raise Refused(401, {"message": "401 Unauthorized"})
        return self.user

    def signed_in(self) -> None:
        """Nobody is 401."""
        _ = self.me

    def admin(self) -> User:
        if not self.me.admin:
            raise forbidden()
        return self.me

    @cached_property
    def base(self) -> str:
        """The address the client reached us at, so that every link in an answer works for it."""
        host = self.request.headers.get("host") or self.forge.company.world.url("forge").partition("//")[2]
        return f"http://{host}"

    # -- what it is about ----------------------------------------------------------------------------------------

    def project(self, level: int = 0, name: str | None = None) -> Project:
        """The project in the path: 404 unless it may be seen, 403 unless the caller has the level, and 403 for
        changes of what is only read in an archived one."""
        found = projects.find(self.store, name if name is not None else self.path["id"])
        if found is not None and self.job is not None and not job_tokens.reaches(self.store, self.job, found):
            found = None
        if found is None or not access.can_see_project(self.store, self.user, found):
            if level and self.user is None:
                self.signed_in()
            raise not_found("Project")
        if level:
            self.require(found, level)
        if self.request.method not in ("GET", "HEAD") and not access.takes_work(found, self._changed_part):
            self.signed_in()
            raise forbidden()
        return found

    @property
    def _changed_part(self) -> str:
        """The part of a project that the address is about: `issues` of `/api/v4/projects/3/issues/1`. Marks that
        people make for themselves (`/api/v4/projects/3/issues/1/todo`) are no part of it."""
        words = [word for word in self.address.split("/") if word]
        if len(words) < 5 or words[2] != "projects":
            return ""
        for_oneself = len(words) == 7 and words[6] in ("subscribe", "unsubscribe", "todo")
        if for_oneself and self.request.method == "POST" and words[4] in ("issues", "merge_requests", "labels"):
            return ""
        return words[4]

    def require(self, project: Project, level: int) -> None:
        self.signed_in()
        if access.project_level(self.store, self.user, project) < level:
            raise forbidden()

    def code_project(self, level: int = 0) -> Project:
        """The project in the path, for those who may read its code."""
        project = self.project(level)
        self.reader(project)
        return project

    def reader(self, project: Project) -> None:
        """Code of a private project is for reporters and up; guests see issues only."""
        if not access.may_read_code(self.store, self.user, project):
            raise forbidden()

    def group(self, level: int = 0, name: str | None = None) -> Namespace:
        found = namespaces.find(self.store, name if name is not None else self.path["id"], "group")
        if found is None or not access.can_see_group(self.store, self.user, found):
            if level and self.user is None:
                self.signed_in()
            raise not_found("Group")
        if level:
            self.signed_in()
            if access.group_level(self.store, self.user, found) < level:
                raise forbidden()
        return found

    def access_level(self, name: str, default: int | None = None) -> int:
        """One of the levels of access, from the arguments."""
        level: int = self.integer(name, default)
        if level not in access.LEVELS:
            raise bad(f"{name} does not have a valid value")
        return level

    def place(self, kind: str, level: int = 0) -> Project | Namespace:
        """The project or the group in the path."""
        return self.project(level) if kind == "project" else self.group(level)

    def managed(self, kind: str) -> Project | Namespace:
        """The same for those who manage it: maintainers of a project, owners of a group."""
        return self.place(kind, access.MAINTAINER if kind == "project" else access.OWNER)

    def number(self, name: str) -> int:
        """A whole number in the path."""
        text = self.path[name]
        if not (text.isascii() and text.isdigit()) or len(text) > 18:
            raise bad(f"{name} is invalid")
        return int(text)

    # -- arguments -----------------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        return name in self.args

    def need(self, *names: str) -> None:
        missing = [name for name in names if self.args.get(name) is None]
        if missing:
            raise bad(", ".join(f"{name} is missing" for name in missing))

    def need_any(self, names: Sequence[str]) -> None:
        if not any(self.has(name) for name in names):
            raise bad(f"{', '.join(names)} are missing, at least one parameter must be provided")

    def text(self, name: str, default: Any = None) -> Any:
        """A string argument (numbers are taken as written); `default` when absent or null."""
        value = self.args.get(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return str(value)
        if not isinstance(value, str):
            raise bad(f"{name} is invalid")
        return value

    def needed(self, name: str) -> str:
        self.need(name)
        return str(self.text(name))

    def filled(self, name: str) -> str:
        """A string that may not be empty."""
        found = self.needed(name)
        if not found.strip():
            raise bad(f"{name} is empty")
        return found

    def integer(self, name: str, default: Any = None) -> Any:
        value = self.args.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, bool):
            raise bad(f"{name} is invalid")
        if isinstance(value, int):
            return value
        text = str(value).strip()
        if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 18:
            raise bad(f"{name} is invalid")
        return int(text)

    def boolean(self, name: str, default: Any = None) -> Any:
        value = self.args.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, bool):
            return value
        text = str(value).lower()
        if text in _TRUE:
            return True
        if text in _FALSE:
            return False
        raise bad(f"{name} is invalid")

    def choice(self, name: str, values: Sequence[str], default: Any = None) -> Any:
        value = self.args.get(name)
        if value is None:
            return default
        if str(value) not in values:
            raise bad(f"{name} does not have a valid value")
        return str(value)

    def names(self, name: str) -> list[str] | None:
        """A list written as an array or with commas; None when absent."""
        value = self.args.get(name)
        if value is None:
            return None
        if isinstance(value, str):
            return [one.strip() for one in value.split(",") if one.strip()]
        if isinstance(value, dict):
            value = list(value.values())
        if not isinstance(value, list):
            value = [value]
        found: list[str] = []
        for one in value:
            if isinstance(one, dict | list):
                raise bad(f"{name} is invalid")
            if one is not None and str(one).strip():
                found.extend(str(one).split(",") if self.request.method != "POST" and "," in str(one) else [str(one)])
        return found

    def numbers(self, name: str) -> list[int] | None:
        listed = self.names(name)
        if listed is None:
            return None
        for one in listed:
            if not (one.isascii() and one.removeprefix("-").isdigit()) or len(one) > 18:
                raise bad(f"{name} is invalid")
        return [int(one) for one in listed]

    def visibility(self, default: int | None = None) -> Any:
        value = self.choice("visibility", tuple(VISIBILITY))
        return default if value is None else VISIBILITY[value]

    def file(self, name: str) -> Upload | None:
        value = self.args.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, Upload):
            raise bad(f"{name} is invalid")
        return value

    # -- answers -------------------------------------------------------------------------------------------------

    def paging(self) -> tuple[int, int]:
        page = self.integer("page", 1)
        per_page = self.integer("per_page", PER_PAGE)
        if per_page < 1:
            raise bad("per_page does not have a valid value")
        return max(1, min(page, 2**40)), min(per_page, MOST_PER_PAGE)

    def listing(self, listing: Listing, render: Callable[[list[Any]], list[Any]]) -> Response:
        """One page of a listing, with the headers that say where the others are."""
        if self.args.get("pagination") == "keyset":
            return self._keyset(listing, render)
        page, per_page = self.paging()
        total = self.store.count(listing)
        rows = self.store.page(listing, per_page, (page - 1) * per_page)
        return Json(render(rows), headers=self.page_headers(page, per_page, total, None))

    def _keyset(self, listing: Listing, render: Callable[[list[Any]], list[Any]]) -> Response:
        """Pages that begin after a row instead of at a number: any page costs the same."""
        _, per_page = self.paging()
        down = self.args.get("sort", "desc") != "asc"
        rows = self.store.page(listing.after(self._cursor(), down=down), per_page + 1, 0)
        more = len(rows) > per_page
        rows = rows[:per_page]
        headers = {"x-per-page": str(per_page)}
        if more:
            name = ("id_before" if down else "id_after") if listing.row_class is Project else "cursor"
            last = rows[-1].id
            value = str(last) if name != "cursor" else base64.urlsafe_b64encode(_dumps({"id": last}).encode()).decode()
            headers["link"] = f'<{self.link(**{name: value})}>; rel="next"'
            headers["x-next-cursor"] = value
        return Json(render(rows), headers=headers)

    def _cursor(self) -> int | None:
        for name in ("id_after", "id_before"):
            if self.has(name):
                found: int | None = self.integer(name)
                return found
        if not self.args.get("cursor"):
            return None
        try:
            decoded = parse_json(base64.urlsafe_b64decode(str(self.args["cursor"]) + "=="))
            return int(decoded["id"])
        except (binascii.Error, ValueError, KeyError, TypeError):
            raise bad("cursor is invalid") from None

    def paged(self, items: Sequence[Any], render: Callable[[Any], Any] | None = None) -> Response:
        """One page of a list that is already here."""
        page, per_page = self.paging()
        start = (page - 1) * per_page
        found = items[start : start + per_page]
        return Json(
            [render(one) for one in found] if render else list(found),
            headers=self.page_headers(page, per_page, len(items), None),
        )

    def page_headers(self, page: int, per_page: int, total: int | None, more: bool | None) -> dict[str, str]:
        last = max(1, -(-total // per_page)) if total is not None else None
        has_next = page < last if last is not None else bool(more)
        links = []
        if page > 1 and (last is None or page - 1 <= last):
            links.append(f'<{self.link(page=page - 1, per_page=per_page)}>; rel="prev"')
        if has_next:
            links.append(f'<{self.link(page=page + 1, per_page=per_page)}>; rel="next"')
        links.append(f'<{self.link(page=1, per_page=per_page)}>; rel="first"')
        headers = {
            "x-next-page": str(page + 1) if has_next else "",
            "x-page": str(page),
            "x-per-page": str(per_page),
            "x-prev-page": str(page - 1) if page > 1 else "",
        }
        if last is not None:
            links.append(f'<{self.link(page=last, per_page=per_page)}>; rel="last"')
            headers["x-total"] = str(total)
            headers["x-total-pages"] = str(-(-(total or 0) // per_page))
        headers["link"] = ", ".join(links)
        return headers

    def link(self, **changes: Any) -> str:
        secret = ("private_token", "access_token", "job_token")
        pairs: list[tuple[str, Any]] = []
        for name, value in self.args.items():
            if name in changes or name in secret or isinstance(value, Upload):
                continue
            if isinstance(value, list):
                pairs.extend((f"{name}[]", one) for one in value)
            elif isinstance(value, dict):
                pairs.extend((f"{name}[{key}]", one) for key, one in value.items())
            elif value is not None:
                pairs.append((name, value))
        pairs.extend(changes.items())
        path = (self.request.scope.get("raw_path") or b"").partition(b"?")[0].decode("latin-1")
        return f"{self.base}{path}?{urlencode(pairs)}"

    def gone(self, what: str) -> NoReturn:
        raise not_found(what)


def no_content() -> Response:
    return Response(status_code=204)


def not_modified() -> Response:
    """What was asked for is so already."""
    return Response(status_code=304)


def created(data: Any) -> Response:
    return Json(data, 201)
