"""Chat's part of a world: `chat/channels/*.yml`, `chat/direct/*.yml`, `chat/settings.yml`; read, checked and compiled.

A compiled world is the same to the byte every time: ids come from names, times from the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from dayjob.company.chat.defaults import BOT_ID, GENERAL_ID, PERMISSIONS, ROLES, SETTINGS
from dayjob.company.chat.rows import Room, User, packed
from dayjob.company.chat.store.accounts import digest, hashed
from dayjob.company.chat.store.messages import links_in, named_in
from dayjob.company.chat.store.rooms import direct_id
from dayjob.company.chat.store.settings import kind_of
from dayjob.company.clock import stamp
from dayjob.company.ids import Ids
from dayjob.company.world import Build, Located, World
from dayjob.company.world.yaml import parse_moment

_NAME = re.compile(r"[0-9a-zA-Z-_.]+")
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_CHANNEL_KEYS = {
    "name",
    "type",
    "topic",
    "announcement",
    "description",
    "members",
    "owner",
    "read_only",
    "default",
    "archived",
    "messages",
}
_MESSAGE_KEYS = {"from", "at", "text", "thread", "reactions", "pinned"}


@dataclass(slots=True)
class Line:
    """A message of a world's history, with the replies to it."""

    author: str
    at: datetime
    text: str
    reactions: dict[str, list[str]]
    pinned: bool
    replies: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """A room of a world: a channel (its name) or a direct room (no name)."""

    name: str | None
    kind: str
    members: list[str]
    owner: str | None
    lines: list[Line]
    topic: str | None = None
    announcement: str | None = None
    description: str | None = None
    read_only: bool = False
    default: bool = False
    archived: bool = False


@dataclass(slots=True)
class Section:
    """Everything chat reads from a world."""

    places: list[Place]
    settings: dict[str, Any]
    admin: dict[str, Any] | None


# -- reading -----------------------------------------------------------------------------------------------------


def load(world: World) -> Section:
    admin = world.info.accounts.get("chat")
    reader = _Reader(world, str(admin["username"]) if admin and admin.get("username") else None)
    places = [place for file in world.files.under("chat/channels/", ".yml") if (place := reader.channel(file))]
    reader.check_people(places)
    places += [place for file in world.files.under("chat/direct/", ".yml") if (place := reader.direct(file))]
    reader.check_strays()
    return Section(places, reader.settings(), dict(admin) if admin else None)


class _Reader:
    """Reads the files and collects what is wrong with them."""

    def __init__(self, world: World, admin: str | None) -> None:
        self.world = world
        self.admin = admin
        self.add = world.problems.add
        self.seen: dict[str, str] = {}

    def who(self, name: object, file: str, line: int) -> str | None:
        """The username somebody is meant by."""
        if self.admin is not None and name == self.admin:
            return self.admin
        found = self.world.known(name, file, line)
        return found.username if found else None

    def everyone(self) -> list[str]:
        return [person.username for person in self.world.people]

    def document(self, file: str, keys: set[str]) -> Located | None:
        found = self.world.yaml(file)
        if not isinstance(found, Located):
            if not any(one.file == file for one in self.world.problems.found):
                self.add("chat", file, 1, "This file is not a mapping.", "Start with 'name: …' or 'between: […]'.")
            return None
        for key in found:
            if key not in keys:
                self.add(
                    "chat", file, found.at(key), f"'{key}' means nothing here.", f"Known: {', '.join(sorted(keys))}."
                )
        return found

    def channel(self, file: str) -> Place | None:
        facts = self.document(file, _CHANNEL_KEYS)
        if facts is None:
            return None
        name = facts.get("name", file.rpartition("/")[2].removesuffix(".yml"))
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            self.add(
                "chat",
                file,
                facts.at("name"),
                f"'{name}' is not a channel name.",
                "Use letters, digits, '.', '-', '_'.",
            )
            return None
        if name.lower() in self.seen:
            self.add(
                "duplicate",
                file,
                facts.at("name"),
                f"The channel '{name}' is already in {self.seen[name.lower()]}.",
                "Channel names are unique.",
            )
            return None
        self.seen[name.lower()] = file
        kind = {"public": "c", "private": "p"}.get(str(facts.get("type", "public")))
        if kind is None:
            self.add("chat", file, facts.at("type"), "'type' must be public or private.")
            kind = "c"
        members = self.members(facts, file)
        members += [one.username for one in self.world.people if name in one.channels]
        if name == "general":
            members += self.everyone()
        owner = self.who(facts["owner"], file, facts.at("owner")) if facts.get("owner") is not None else None
        if owner is not None:
            members.insert(0, owner)
        members = list(dict.fromkeys(members))
        texts = {}
        for key in ("topic", "announcement", "description"):
            value = facts.get(key)
            if value is not None and not isinstance(value, str):
                self.add("chat", file, facts.at(key), f"'{key}' must be text.", "Put it in quotes.")
                value = None
            texts[key] = value
        flags = {}
        for key in ("read_only", "default", "archived"):
            if not isinstance(facts.get(key, False), bool):
                self.add("chat", file, facts.at(key), f"'{key}' must be true or false.")
            flags[key] = facts.get(key) is True
        lines = self.lines(facts, "messages", file, members, None)
        return Place(
            name,
            kind,
            members,
            owner,
            lines,
            topic=texts["topic"],
            announcement=texts["announcement"],
            description=texts["description"],
            read_only=flags["read_only"],
            default=flags["default"],
            archived=flags["archived"],
        )

    def members(self, facts: Located, file: str) -> list[str]:
        wanted = facts.get("members", [])
        if wanted == "everyone":
            return self.everyone()
        if not isinstance(wanted, list):
            self.add("chat", file, facts.at("members"), "'members' must be 'everyone' or a list of usernames.")
            return []
        found: list[str] = []
        for one in wanted:
            if one == "everyone":
                found += self.everyone()
            elif (name := self.who(one, file, facts.at("members"))) is not None:
                found.append(name)
        return found

    def direct(self, file: str) -> Place | None:
        facts = self.document(file, {"between", "messages"})
        if facts is None:
            return None
        wanted = facts.get("between")
        if not isinstance(wanted, list) or len(wanted) < 2:
            self.add(
                "chat",
                file,
                facts.at("between"),
                "'between' must list at least two people.",
                "Write 'between: [a, b]'.",
            )
            return None
        people = [name for one in wanted if (name := self.who(one, file, facts.at("between"))) is not None]
        mark = " ".join(sorted(set(people)))
        if len(set(people)) < len(wanted):
            if len(people) == len(wanted):
                self.add("duplicate", file, facts.at("between"), "'between' names somebody twice.")
            return None
        if mark in self.seen:
            self.add(
                "duplicate",
                file,
                facts.at("between"),
                f"These people's messages are already in {self.seen[mark]}.",
                "Merge the two files.",
            )
            return None
        self.seen[mark] = file
        return Place(None, "d", people, None, self.lines(facts, "messages", file, people, None))

    def lines(self, facts: Located, key: str, file: str, members: list[str], after: datetime | None) -> list[Line]:
        wanted = facts.get(key) or []
        if not isinstance(wanted, list):
            self.add("chat", file, facts.at(key), f"'{key}' must be a list of messages.")
            return []
        found = []
        for one in wanted:
            line = self.line(one, file, facts.at(key), members, after, nested=key == "thread")
            if line is not None:
                after = line.at
                found.append(line)
        return found

    def line(
        self, facts: Any, file: str, near: int, members: list[str], after: datetime | None, *, nested: bool
    ) -> Line | None:
        if not isinstance(facts, Located):
            self.add("chat", file, near, "A message is a mapping.", "Write '- {from: …, at: …, text: …}'.")
            return None
        keys = _MESSAGE_KEYS - ({"thread"} if nested else set())
        for key in facts:
            if key not in keys:
                self.add(
                    "chat",
                    file,
                    facts.at(key),
                    f"'{key}' means nothing in a message.",
                    f"Known: {', '.join(sorted(keys))}.",
                )
        author = self.who(facts.get("from"), file, facts.at("from"))
        at, text = parse_moment(facts.get("at")), facts.get("text")
        if at is None:
            self.add("chat", file, facts.at("at"), "This message has no time.", "Write 'at: 2026-03-02T09:15:00Z'.")
        if not isinstance(text, str):
            self.add("chat", file, facts.at("text"), "This message has no text.", "Write 'text: \"…\"'.")
        if author is None or at is None or not isinstance(text, str):
            return None
        if author not in members:
            self.add(
                "not-a-member",
                file,
                facts.at("from"),
                f"{author} writes here but is not a member.",
                "Add them to 'members'.",
            )
        if after is not None and at < after:
            self.add(
                "time-order",
                file,
                facts.at("at"),
                f"This message ({stamp(at)}) is older than the one before it.",
                "Order messages by time.",
            )
        if self.world.info.now is not None and at > self.world.info.now:
            self.add(
                "time-order",
                file,
                facts.at("at"),
                f"This message ({stamp(at)}) is later than the world's 'now'.",
                "History ends before 'now'.",
            )
        replies = [] if nested else self.lines(facts, "thread", file, members, at)
        return Line(author, at, text, self.reactions(facts, file), facts.get("pinned") is True, replies)

    def reactions(self, facts: Located, file: str) -> dict[str, list[str]]:
        wanted = facts.get("reactions") or {}
        if not isinstance(wanted, dict):
            self.add(
                "chat", file, facts.at("reactions"), "'reactions' must be a mapping.", "Write '{\":+1:\": [who]}'."
            )
            return {}
        found = {}
        for emoji, people in wanted.items():
            if not isinstance(people, list):
                self.add("chat", file, facts.at("reactions"), f"The reaction {emoji} must list usernames.")
                continue
            names = [name for one in people if (name := self.who(one, file, facts.at("reactions"))) is not None]
            found[f":{emoji.strip(':')}:"] = names
        return found

    def check_people(self, places: Iterable[Place]) -> None:
        """Every channel a person's own file names must exist."""
        known = {place.name for place in places} | {"general"}
        for person in self.world.people:
            for name in person.channels:
                if name not in known:
                    self.add(
                        "unknown-channel",
                        person.file,
                        _line(self.world, person.file, "channels"),
                        f"There is no channel '{name}'.",
                        f"Add chat/channels/{name}.yml.",
                    )

    def check_strays(self) -> None:
        for file in self.world.files.under("chat/"):
            if file == "chat/settings.yml" or (
                file.startswith(("chat/channels/", "chat/direct/")) and file.endswith(".yml")
            ):
                continue
            self.add(
                "chat",
                file,
                0,
                "Nothing reads this file.",
                "Channels are chat/channels/*.yml, direct rooms chat/direct/*.yml.",
            )

    def settings(self) -> dict[str, Any]:
        file = "chat/settings.yml"
        if file not in self.world.files:
            return {}
        facts = self.document(file, set(SETTINGS))
        for key, value in (facts or {}).items():
            if key in SETTINGS and kind_of(value) != kind_of(SETTINGS[key][2]):
                assert facts is not None
                self.add("chat", file, facts.at(key), f"'{key}' must be a {kind_of(SETTINGS[key][2])}.")
        return dict(facts or {})


def _line(world: World, file: str, key: str) -> int:
    facts = world.yaml(file)
    return facts.at(key) if isinstance(facts, Located) else 0


# -- compiling ---------------------------------------------------------------------------------------------------


def compile(section: Section, build: Build) -> None:
    """Write the rows every company of this world starts with."""
    _Compiler(section, build).run()


class _Compiler:
    def __init__(self, section: Section, build: Build) -> None:
        self.section = section
        self.world = build.world
        self.db = build.db
        self.slug = build.world.info.slug
        moments = [line.at for place in section.places for line in place.lines]
        self.now = build.world.info.now or _BEGINNING
        self.start = stamp(min([*moments, self.now]) - timedelta(days=7))
        self.users: dict[str, User] = {}
        self.rooms: dict[str, Room] = {}

    def id(self, kind: str, name: str, length: int = 17) -> str:
        """An id that depends on nothing but the thing's own name."""
        return Ids(f"{self.slug}/chat/{kind}/{name}").short(length)

    def insert(self, table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))

    def run(self) -> None:
        self.administration()
        self.people()
        places = list(self.section.places)
        if not any(place.name == "general" for place in places):
            names = [person.username for person in self.world.people]
            places.insert(0, Place("general", "c", names, None, [], default=True))
        for place in places:
            self.place(place)

    def administration(self) -> None:
        for id, (scope, description) in ROLES.items():
            self.insert(
                "roles", id=id, name=id, scope=scope, description=description, protected=1, updated_at=self.start
            )
        for id, roles in PERMISSIONS.items():
            self.insert("permissions", id=id, roles=packed(list(roles)), updated_at=self.start)
        given = {
            "Site_Name": self.world.info.name,
            "Site_Url": self.world.info.url("chat"),
            "uniqueID": self.id("server", "id"),
        }
        if self.slug == "blank":
            del given["Site_Name"]
        for id, (part, public, usual) in SETTINGS.items():
            value = self.section.settings.get(id, given.get(id, usual))
            self.insert(
                "settings",
                id=id,
                value=packed(value),
                type=kind_of(usual),
                public=public,
                section=part,
                updated_at=self.start,
            )

    def people(self) -> None:
        self.person(BOT_ID, BOT_ID, "Rocket.Cat", None, None, ["bot"], type="bot", status="online")
        admin = self.section.admin
        if admin is not None:
            name = str(admin.get("username", "admin"))
            email = str(admin.get("email", f"{name}@{self.world.info.host}"))
            password = str(admin["password"]) if "password" in admin else None
            self.person(self.id("user", name), name, str(admin.get("name", name)), email, password, ["user", "admin"])
        for one in self.world.people:
            more = one.more.get("chat") or {}
            roles = more.get("roles", ["user"]) if isinstance(more, dict) else ["user"]
            bio = str(one.more.get("bio") or one.title) or None
            self.person(
                self.id("user", one.username), one.username, one.name, one.email, one.password, list(roles), bio=bio
            )

    def person(
        self, id: str, username: str, name: str, email: str | None, password: str | None, roles: list[str],
        *, type: str = "user", bio: str | None = None, status: str = "offline",
    ) -> None:  # fmt: skip
        self.insert(
            "users", id=id, username=username, name=name, email=email, email_verified=email is not None, type=type,
            roles=packed(roles), bio=bio, status=status, created_at=self.start, updated_at=self.start,
        )  # fmt: skip
        if password is not None:
            salt = self.id("salt", username)
            self.insert("passwords", user_id=id, salt=salt, hash=hashed(salt, digest(password)))
        self.users[username] = User(
            id,
            username,
            name,
            email,
            1,
            type,
            packed(roles),
            1,
            bio,
            None,
            status,
            "online",
            "",
            None,
            None,
            None,
            None,
            "{}",
            None,
            0,
            self.start,
            self.start,
            None,
        )

    def place(self, place: Place) -> None:
        people = [self.users[name] for name in place.members]
        general = place.name == "general"
        if general:
            extra = [self.users[BOT_ID]]
            if self.section.admin is not None:
                extra.append(self.users[str(self.section.admin.get("username", "admin"))])
            people = list({user.id: user for user in (*people, *extra)}.values())
        if place.kind == "d":
            id = direct_id(*(user.id for user in people))
        else:
            id = GENERAL_ID if general else self.id("room", str(place.name))
        owner = self.users[place.owner] if place.owner else None
        if owner is None and place.kind != "d":
            admin = self.section.admin
            owner = (
                self.users[str(admin.get("username", "admin"))]
                if general and admin
                else people[0]
                if people and not general
                else None
            )
        last = max((line.at for line in place.lines), default=None)
        total = sum(1 + len(line.replies) for line in place.lines)
        newest = f"{id}/{len(place.lines) - 1}"
        updated = stamp(
            max([last or self.now - timedelta(days=7), *(r.at for line in place.lines for r in line.replies)])
        )
        self.insert(
            "rooms",
            id=id,
            type=place.kind,
            name=place.name,
            fname=place.name,
            owner_id=owner.id if owner else None,
            topic=place.topic,
            announcement=place.announcement,
            description=place.description,
            read_only=place.read_only,
            archived=place.archived,
            is_default=place.default or general,
            uids=packed([user.id for user in people]) if place.kind == "d" else None,
            created_at=self.start,
            updated_at=max(updated, self.start),
            last_at=stamp(last) if last else None,
            last_message=self.id("message", newest) if place.lines else None,
            messages=total,
            members=len(people),
        )
        if place.name is not None:
            self.rooms[place.name.lower()] = _room_row(id, place)
        for user in people:
            self.insert(
                "memberships", id=self.id("membership", f"{id}/{user.username}"), room_id=id, user_id=user.id,
                room_type=place.kind, roles='["owner"]' if owner is not None and user.id == owner.id else "[]",
                last_seen=stamp(self.now), created_at=self.start, updated_at=max(updated, self.start),
            )  # fmt: skip
        # In time's order, replies among the rest: sequence numbers then tell the same story as the moments do.
        lines = [(line.at, f"{id}/{number}", line, None) for number, line in enumerate(place.lines)]
        replies = [
            (reply.at, f"{mark}/{number}", reply, self.id("message", mark))
            for _, mark, line, _ in lines
            for number, reply in enumerate(line.replies)
        ]
        for _, mark, line, thread_id in sorted([*lines, *replies], key=lambda one: one[0]):
            self.line(id, mark, line, thread_id)

    def line(self, room_id: str, mark: str, line: Line, thread_id: str | None) -> None:
        user = self.users[line.author]
        id, at = self.id("message", mark), stamp(line.at)
        mentions, channels = named_in(line.text, self.users.get, lambda name: self.rooms.get(name.lower()))
        followers = (
            list(dict.fromkeys(self.users[one.author].id for one in (line, *line.replies))) if line.replies else []
        )
        last_reply = stamp(line.replies[-1].at) if line.replies else None
        self.insert(
            "messages",
            id=id,
            room_id=room_id,
            user_id=user.id,
            username=user.username,
            user_name=user.name,
            at=at,
            text=line.text,
            thread_id=thread_id,
            replies=len(line.replies),
            last_reply_at=last_reply,
            followers=packed(followers),
            pinned=line.pinned,
            pinned_at=at if line.pinned else None,
            pinned_by=packed({"_id": user.id, "username": user.username}) if line.pinned else None,
            reactions=packed({emoji: {"usernames": names} for emoji, names in line.reactions.items() if names}),
            urls=packed(links_in(line.text)),
            mentions=packed(mentions),
            channels=packed(channels),
            updated_at=last_reply or at,
        )
        for one in mentions:
            if one["_id"] not in ("all", "here"):
                self.db.execute(
                    "INSERT OR IGNORE INTO mentions (user_id, room_id, message_seq) "
                    "SELECT ?, ?, seq FROM messages WHERE id = ?",
                    (one["_id"], room_id, id),
                )


def _room_row(id: str, place: Place) -> Room:
    """As much of a room as naming it in a message needs."""
    return Room(
        id,
        place.kind,
        place.name,
        place.name,
        None,
        None,
        None,
        None,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        None,
        None,
        "[]",
        None,
        None,
        None,
        0,
        0,
        "",
        "",
        None,
        None,
        0,
        0,
    )
