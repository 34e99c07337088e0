"""Registering and calling the methods of the realtime wire, and reading their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dayjob.company.chat.errors import ChatError, no_room, no_user, not_allowed
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Store
from dayjob.company.chat.store.access import signed_in
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat


@dataclass(slots=True)
class Caller:
    """Who calls a method, and where from; `login` and `logout` change it."""

    chat: Chat
    somebody: User | None
    token: str | None
    base: str

    @property
    def user(self) -> User:
        return signed_in(self.somebody)

    @property
    def store(self) -> Store:
        return self.chat.store


Method = Callable[..., Any]
METHODS: dict[str, Method] = {}
READING = (
    "/getSingleMessage", "/getMessages", "/getThreadMessages", "/loadHistory", "/loadMissedMessages",
    "/loadNextMessages", "/messages/get", "/messageSearch", "/rooms/get", "/getRooms", "/subscriptions/get",
)  # fmt: skip
"""How the paths of those end that read messages."""


def method(*names: str) -> Callable[[Method], Method]:
    def register(function: Method) -> Method:
        for name in names:
            METHODS[name] = function
        return function

    return register


def run_method(caller: Caller, name: str, parameters: list[Any]) -> Any:
    """Call a method; too few, too many or misshapen arguments are refused, never a crash."""
    function = METHODS.get(name)
    if function is None:
        raise ChatError(f"Method '{name[:100]}' not found", "404")
    code = function.__code__
    wanted = code.co_argcount - 1
    if len(parameters) < wanted - len(function.__defaults__ or ()):
        raise ChatError("Match failed", "400")
    if caller.somebody is not None:
        identify(caller.somebody.username)
    takes_any = code.co_flags & inspect.CO_VARARGS
    return function(caller, *(parameters if takes_any else parameters[:wanted]))


# -- arguments ---------------------------------------------------------------------------------------------------


def text_of(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ChatError("Match failed", "400")
    return value


def mapping_of(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ChatError("Match failed", "400")
    return value


def room_of(caller: Caller, id: Any) -> Room:
    room = caller.store.rooms.get(text_of(id))
    if room is None:
        raise no_room("Invalid room")
    if not caller.store.access.may_read(caller.user, room):
        raise not_allowed()
    return room


def message_of(caller: Caller, value: Any) -> Message:
    id = value.get("_id") if isinstance(value, dict) else value
    found = caller.store.messages.must(text_of(id))
    room_of(caller, found.room_id)
    return found


def names_of(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ChatError("Match failed", "400")
    return value


def people_of(caller: Caller, names: list[str]) -> list[User]:
    found = [caller.store.accounts.named(name) for name in names]
    if any(one is None for one in found):
        raise no_user()
    return [one for one in found if one is not None]
