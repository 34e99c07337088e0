"""A chat asked without sockets: the defaults of a new server and nobody in it."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import Chat
from dayjob.company.chat.defaults import BOT_ID, PERMISSIONS, ROLES, SETTINGS
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store.base import Page, Store
from dayjob.company.chat.store.settings import kind_of
from dayjob.company.rows import packed
from tests.company.bare import Bare

ALL = Page(count=0)


class Office:
    """A workspace with the service's bot and an administrator, `root`."""

    def __init__(self) -> None:
        self.company = Bare("chat")
        chat = self.company.service("chat")
        assert isinstance(chat, Chat)
        self.store: Store = chat.store
        now = self.store.now()
        for id, (scope, description) in ROLES.items():
            self.store.insert(
                "roles", id=id, name=id, scope=scope, description=description, protected=1, updated_at=now
            )
        for id, roles in PERMISSIONS.items():
            self.store.insert("permissions", id=id, roles=packed(list(roles)), updated_at=now)
        for id, (part, public, value) in SETTINGS.items():
            self.store.insert(
                "settings", id=id, value=packed(value), type=kind_of(value), public=public, section=part, updated_at=now
            )
        self.store.insert(
            "users", id=BOT_ID, username=BOT_ID, name="Rocket.Cat", type="bot", roles='["bot"]', active=1,
            created_at=now, updated_at=now,
        )  # fmt: skip
        self.root = self.person("root", "user", "admin")

    def person(self, name: str, *roles: str) -> User:
        return self.store.accounts.register(
            username=name,
            name=name.title(),
            email=f"{name}@bare.test",
            password="secret",
            roles=list(roles or ("user",)),
        )

    def again(self, room: Room) -> Room:
        """The room as it is now."""
        return self.store.rooms.must(room.id)

    def say(self, room: Room, user: User, text: str = "hello") -> Message:
        return self.store.messages.write(self.again(room), user, text)

    def may(self, what: object, *args: object) -> bool:
        """Whether chat does it; what it does is undone."""
        assert callable(what)
        try:
            with self.store.change():
                what(*args)
                raise _UndoneError
        except _UndoneError:
            return True
        except ChatError:
            return False


class _UndoneError(Exception):
    pass


def ids(found: tuple[list[Any], int] | list[Any]) -> list[str]:
    """The ids of what was found; where a total comes with it, it is right."""
    rows, total = found if isinstance(found, tuple) else (found, len(found))
    assert total == len(rows)
    return [one.id for one in rows]


def count(found: tuple[list[Any], int]) -> int:
    """How many there are, which is how many a list of all of them holds."""
    rows, total = found
    assert total == len(rows)
    return total


def said(office: Office, room: Room, user: User, *texts: str) -> list[Message]:
    """Messages a second apart."""
    made = []
    for text in texts:
        made.append(office.say(room, user, text))
        office.company.clock.forward(seconds=1)
    return made


def refused(what: Any, *args: Any, **more: Any) -> bool:
    try:
        what(*args, **more)
    except ChatError:
        return True
    return False
