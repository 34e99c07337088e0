"""One request as a handler sees it: who asks, with which parameters. A value of the wrong kind is refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from dayjob.company.chat.api.forms import Form
from dayjob.company.chat.errors import ChatError, invalid, no_room, no_user
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Page, Store
from dayjob.company.chat.store.access import signed_in
from dayjob.company.chat.store.conditions import ALL, Condition, asked
from dayjob.company.clock import moment, stamp
from dayjob.http.bodies import parse_json

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

Json = dict[str, Any]
Value = TypeVar("Value")


class Call:
    """The parameters of a request are its query (GET, DELETE) or its body (POST, PUT), by name."""

    __slots__ = ("base", "body", "chat", "form", "path", "query", "somebody", "store", "token")

    def __init__(
        self,
        chat: Chat,
        somebody: User | None,
        token: str | None,
        path: dict[str, str],
        query: Json,
        body: Any,
        base: str,
    ) -> None:
        self.chat = chat
        self.store: Store = chat.store
        self.somebody = somebody
        self.token = token
        self.path = path
        self.query = query
        self.body = body
        self.base = base
        self.form: Form | None = None

    # -- who -----------------------------------------------------------------------------------------------------

    @property
    def user(self) -> User:
        """The signed-in account."""
        return signed_in(self.somebody)

    def require(self, *permissions: str) -> None:
        """Refuse the endpoint to whoever holds none of these."""
        self.store.access.require_endpoint(self.user, *permissions)

    # -- parameters ----------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Json:
        if self.body is None:
            return self.query
        return self.body if isinstance(self.body, dict) else {}

    def get(self, *names: str) -> Any:
        """The first of these that was given."""
        parameters = self.parameters
        for name in names:
            if (value := parameters.get(name)) is not None:
                return value
        return None

    def text(self, *names: str) -> str | None:
        value = self.get(*names)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        raise invalid(f"{names[0]} must be string")

    def need(self, *names: str) -> str:
        """A text that must be there and not be empty."""
        value = self.text(*names)
        if value is None or not value.strip():
            raise invalid(f"must have required property '{names[0]}'")
        return value

    def flag(self, *names: str, default: bool = False) -> bool:
        value = self.get(*names)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        if value in (0, 1):
            return bool(value)
        if isinstance(value, str) and value.lower() in ("true", "false", "1", "0", ""):
            return value.lower() in ("true", "1")
        raise invalid(f"{names[0]} must be boolean")

    def need_flag(self, name: str) -> bool:
        if self.get(name) is None:
            raise invalid(f"must have required property '{name}'")
        return self.flag(name)

    def number(self, name: str, default: int = 0) -> int:
        value = self.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, bool):
            raise invalid(f"{name} must be number")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value.strip()):
            value = int(value)
        if not isinstance(value, int) or abs(value) > 2**53:
            raise invalid(f"{name} must be number")
        return value

    def items(self, *names: str) -> list[Any]:
        """A list; a comma-separated text counts as one."""
        value = self.get(*names)
        if value is None:
            return []
        if isinstance(value, str):
            return [one.strip() for one in value.split(",") if one.strip()]
        if not isinstance(value, list):
            raise invalid(f"{names[0]} must be array")
        return value

    def texts(self, *names: str) -> list[str]:
        found = self.items(*names)
        if not all(isinstance(one, str) for one in found):
            raise invalid(f"{names[0]} must be an array of strings")
        return found

    def mapping(self, name: str) -> Json | None:
        value = self.get(name)
        if isinstance(value, str):
            value = _loads(value, name)
        if value is not None and not isinstance(value, dict):
            raise invalid(f"{name} must be object")
        return value

    def need_mapping(self, name: str) -> Json:
        value = self.mapping(name)
        if value is None:
            raise invalid(f"must have required property '{name}'")
        return value

    def moment(self, name: str, default: str | None = None) -> str | None:
        """A date as the store writes it."""
        value = self.get(name)
        if value is None or value == "":
            return default
        return as_stamp(value, name)

    def since(self, name: str = "updatedSince") -> str:
        return self.moment(name) or ""

    def need_form(self) -> Form:
        """The form this endpoint takes; one sent without files need not be multipart."""
        if self.form is None:
            self.form = Form()
            self.form.fields = {name: value for name, value in self.parameters.items() if isinstance(value, str)}
        return self.form

    # -- lists ---------------------------------------------------------------------------------------------------

    def page(self, columns: dict[str, str] | None = None, order: str = "") -> Page:
        """`count`, `offset` and `sort`; `columns` maps the names a client may sort by to SQL."""
        settings = self.store.settings
        upper = settings.number("API_Upper_Count_Limit") or 100
        usual = settings.number("API_Default_Count") or 50
        count = self._whole("count", usual)
        count = min(count, upper)
        if count <= 0 and not settings.get("API_Allow_Infinite_Count"):
            count = usual
        return Page(self._whole("offset", 0), max(count, 0), self._sort(columns or {}) or order)

    def _whole(self, name: str, default: int) -> int:
        value = self.query.get(name) if name in self.query else self.parameters.get(name)
        if value is None or value == "":
            return default
        try:
            return max(0, min(int(value), 2**31)) if not isinstance(value, list | dict) else default
        except (ValueError, OverflowError):
            raise ChatError("Invalid offset or count", "error-invalid-params") from None

    def _sort(self, columns: dict[str, str]) -> str:
        text = self.query.get("sort")
        if not text:
            return ""
        wanted = _loads(text, "sort")
        if not isinstance(wanted, dict) or not all(value in (1, -1) for value in wanted.values()):
            raise ChatError(f'Invalid sort parameter provided: "{text}"', "error-invalid-sort")
        parts = [f"{columns[key]} {'ASC' if value == 1 else 'DESC'}" for key, value in wanted.items() if key in columns]
        return ", ".join(parts)

    def wanted(self, columns: dict[str, str]) -> Condition:
        """The `query` parameter as a condition over known columns."""
        text = self.query.get("query")
        if not text:
            return ALL
        wanted = _loads(text, "query")
        if not isinstance(wanted, dict):
            raise ChatError(f'Invalid query parameter provided: "{text}"', "error-invalid-query")
        return asked(wanted, columns)

    def chosen(self, found: list[Json]) -> list[Json]:
        """Only the `fields` a client asked for (or all but those it did not want)."""
        text = self.query.get("fields")
        if not text:
            return found
        wanted = _loads(text, "fields")
        if not isinstance(wanted, dict) or not all(value in (0, 1) for value in wanted.values()):
            raise ChatError(f'Invalid fields parameter provided: "{text}"', "error-invalid-fields")
        names = {str(key).partition(".")[0]: value for key, value in wanted.items()}
        if any(names.values()):
            keep = {key for key, value in names.items() if value} | {"_id"}
            return [{key: value for key, value in one.items() if key in keep} for one in found]
        return [{key: value for key, value in one.items() if key not in names} for one in found]

    # -- things named by parameters ------------------------------------------------------------------------------

    def the_user(self) -> User:
        """The account named by `userId`, `username` or `user`."""
        accounts = self.store.accounts
        if (given := self.text("userId")) is not None:
            found = accounts.get(given)
        elif (given := self.text("username", "user")) is not None:
            found = accounts.named(given)
        else:
            raise ChatError(
                'The required "userId" or "username" param was not provided', "error-user-param-not-provided"
            )
        if found is None:
            raise ChatError(
                'The required "userId" or "username" param provided does not match any users', "error-invalid-user"
            )
        return found

    def the_users(self, users: list[Any]) -> list[User]:
        """Accounts by username (or id); an unknown one is refused."""
        found = []
        for one in users:
            if not isinstance(one, str):
                raise invalid("members must be an array of strings")
            user = self.store.accounts.named(one) or self.store.accounts.get(one)
            if user is None:
                raise no_user()
            found.append(user)
        return found

    def the_room(self, types: str = "cp") -> Room:
        """The room named by `roomId` or `roomName`, if it is one of these types and one the caller may know of."""
        rooms = self.store.rooms
        if (id := self.text("roomId")) is not None:
            found = rooms.get(id)
        elif (name := self.text("roomName")) is not None:
            found = rooms.named(name)
        else:
            raise ChatError('The parameter "roomId" or "roomName" is required', "error-roomid-param-not-provided")
        if found is None or found.type not in types:
            raise no_room()
        return found

    def the_message(self, *names: str) -> Message:
        id = self.text(*names)
        if not id:
            raise ChatError(
                f'The required "{names[0]}" param is missing.', f"error-{names[0].lower()}-param-not-provided"
            )
        found = self.store.messages.must(id)
        if not self.store.access.may_read(self.user, self.store.rooms.must(found.room_id)):
            raise ChatError("Not allowed", "error-not-allowed")
        return found

    def readable(self, room: Room) -> Room:
        if not self.store.access.may_read(self.user, room):
            raise no_room()
        return room


def as_stamp(value: Any, name: str) -> str:
    try:
        if isinstance(value, dict) and "$date" in value:
            value = value["$date"]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return stamp(datetime.fromtimestamp(value / 1000, UTC))
        if isinstance(value, str):
            # A plus sign that stood for itself in a query string arrives as a space.
            return stamp(moment(re.sub(r" (\d\d:?\d\d)$", r"+\1", value.strip())))
    except (ValueError, OverflowError, OSError):
        pass
    raise ChatError(f'The "{name}" parameter must be a valid date.', "error-invalid-date")


def _loads(text: Any, name: str) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return parse_json(text)
    except ValueError:
        raise ChatError(f'Invalid {name} parameter provided: "{text[:200]}"', f"error-invalid-{name}") from None
