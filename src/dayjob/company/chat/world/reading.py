"""Reading `chat/channels/*.yml`, `chat/direct/*.yml` and `chat/settings.yml`, and saying what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from dayjob.company.chat.defaults import BOT_ID, ROLES, SETTINGS
from dayjob.company.chat.store.settings import kind_of
from dayjob.company.chat.world.model import Attachment, Line, Place, Section
from dayjob.company.clock import stamp
from dayjob.company.world import Located, World
from dayjob.company.world.yaml import parse_moment

_NAME = re.compile(r"[0-9a-zA-Z-_.]+")
_ROOM_ROLES = {"owners": "owner", "moderators": "moderator", "leaders": "leader"}
_CHANNEL_KEYS = {
    "name",
    "type",
    "topic",
    "announcement",
    "description",
    "members",
    "owner",
    *_ROOM_ROLES,
    "read_only",
    "default",
    "archived",
    "messages",
}
_MESSAGE_KEYS = {"from", "at", "text", "thread", "reactions", "pinned", "attachments"}
_FILES = "chat/files/"


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
        self.attached: set[str] = set()

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
            roles=self.roles(facts, file, name, owner, members),
        )

    def roles(
        self, facts: Located, file: str, channel: str, owner: str | None, members: list[str]
    ) -> dict[str, list[str]]:
        """Who holds which role in a channel: members only."""
        found: dict[str, list[str]] = {}
        for key, role in _ROOM_ROLES.items():
            if key not in facts:
                continue
            wanted = facts[key] if facts[key] is not None else []
            if not isinstance(wanted, list):
                self.add("chat", file, facts.at(key), f"'{key}' must be a list of usernames.", f"Write '{key}: [who]'.")
                continue
            found[role] = [owner] if owner is not None and role == "owner" else []
            for one in wanted:
                who = self.who(one, file, facts.at(key))
                if who is not None and who not in members and not (channel == "general" and who == self.admin):
                    words = f"{who} is among the {key} but is not a member."
                    self.add("not-a-member", file, facts.at(key), words, "Add them to 'members'.")
                elif who is not None:
                    found[role].append(who)
        return found

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
        attachments = self.attachments(facts, file)
        at, text = parse_moment(facts.get("at")), facts.get("text", "" if facts.get("attachments") else None)
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
        reactions = self.reactions(facts, file)
        return Line(author, at, text, reactions, facts.get("pinned") is True, attachments, replies)

    def attachments(self, facts: Located, file: str) -> list[Attachment]:
        """The files of a message: each the name of one in chat/files/, or a mapping with more about it."""
        wanted, line = facts.get("attachments") or [], facts.at("attachments")
        if not isinstance(wanted, list):
            self.add("chat", file, line, "'attachments' must be a list of files.", "Write 'attachments: [plan.pdf]'.")
            return []
        found = []
        for one in wanted:
            about = one if isinstance(one, Located) else Located(file=one)
            near = one.line if isinstance(one, Located) else line
            for key in about:
                if key not in ("file", "name", "description"):
                    words = f"'{key}' means nothing in an attachment."
                    self.add("chat", file, one.at(key), words, "Known: description, file, name.")
            place = f"{_FILES}{about.get('file')}"
            texts = [about.get("name", place.rpartition("/")[2]), about.get("description", "")]
            if place not in self.world.files:
                self.add("dangling", file, near, f"There is no file '{place}'.", "Put it there.")
            elif not all(isinstance(text, str) for text in texts) or not texts[0] or "/" in texts[0]:
                words = "An attachment's 'name' and 'description' must be text, the name without '/'."
                self.add("chat", file, near, words, "Write '{file: plan.pdf, name: The plan.pdf}'.")
            else:
                found.append(Attachment(self.world.files.path(place), texts[0], texts[1] or None))
            self.attached.add(place)
        return found

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
        """A person's own file must name channels and roles that exist, and a username that is free in chat."""
        known = {place.name for place in places} | {"general"}
        for person in self.world.people:
            if person.username.lower() in {"all", "here", BOT_ID, (self.admin or "").lower()}:
                line = _line(self.world, person.file, "username")
                self.add(
                    "duplicate", person.file, line, f"'{person.username}' is taken in chat.", "Choose another username."
                )
            more = person.more.get("chat")
            roles = more.get("roles", []) if isinstance(more, dict) else [] if more is None else None
            if not isinstance(roles, list) or not all(one in ROLES for one in roles):
                line = _line(self.world, person.file, "chat")
                fix = f"Write 'chat: {{roles: [user]}}'; known: {', '.join(ROLES)}."
                self.add("chat", person.file, line, "'chat' must hold a list of roles that exist.", fix)
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
            if file in self.attached:
                continue
            fix = "Channels are chat/channels/*.yml, direct rooms chat/direct/*.yml."
            if file.startswith(_FILES):
                fix = "Name it in the 'attachments' of a message, or remove it."
            self.add("chat", file, 0, "Nothing reads this file.", fix)

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
