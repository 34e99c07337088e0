"""Reading the forge's part of a world: what every file of it has alike, each value with its check."""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.clock import stamp
from dayjob.company.forge.world.model import (
    Comment,
    Label,
    Milestone,
)
from dayjob.company.forge.world.outsiders import GHOST, Outsiders
from dayjob.company.world import Located, Person, World
from dayjob.company.world.yaml import parse_moment

LEVELS = {"guest": 10, "planner": 15, "reporter": 20, "developer": 30, "maintainer": 40, "owner": 50}
VISIBILITY = {"private": 0, "internal": 10, "public": 20}
START = "2024-01-01T00:00:00.000Z"


class Reader:
    """A world being read; what is wrong with it goes to its problems, with file and line."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.files = world.files
        admin = world.info.accounts.get("forge", {})
        self.admin = str(admin.get("username", "root"))
        self.outsiders = Outsiders(world)
        self.start = stamp(world.info.now) if world.info.now else START

    def wrong(self, file: str, line: int, message: str, fix: str = "", rule: str = "forge") -> None:
        self.world.problems.add(rule, file, line, message, fix)

    def person(self, name: object, file: str, line: int) -> str:
        """A username; the administrator may be named too."""
        if str(name) == self.admin:
            return self.admin
        found = self.world.known(name, file, line)
        return found.username if found else self.admin

    def author(self, name: object, file: str, line: int) -> str:
        """Who wrote something: a person, the ghost, or somebody outside the company, described by a mapping."""
        if isinstance(name, Located):
            return self.outsiders.meet(name, file) or self.admin
        if name == GHOST and self.world.person(name) is None:
            return self.outsiders.ghost()
        return self.person(name, file, line)

    def number(self, facts: Located, last: int, what: str, file: str) -> int:
        """A thing's number: its own, or the one after the thing before it, whose number is `last`."""
        number = facts.get("number", last + 1)
        if type(number) is int and last < number < 1_000_000_000:
            return number
        self.wrong(
            file, facts.at("number"), f"'{number}' is no number for this {what}.",
            f"Write a whole number above {last}, or leave it out; {what}s are in the order of their numbers.",
        )  # fmt: skip
        return last + 1

    def signer(self, name: object, file: str, line: int) -> Person:
        if str(name) == self.admin:
            host = self.world.info.host
            return Person("Administrator", self.admin, f"admin@{host}", None, "", "", (), {}, file)
        return self.world.known(name, file, line) or self.signer(self.admin, file, line)

    def moment(self, facts: Located, key: str, file: str, default: str) -> str:
        value = facts.get(key)
        if value is None:
            return default
        found = parse_moment(value)
        if found is None:
            self.wrong(file, facts.at(key), f"'{value}' is not a date and time.", "Write 2026-03-02T09:30:00Z.")
            return default
        return stamp(found)

    def day(self, facts: Located, key: str, file: str) -> str | None:
        value = facts.get(key)
        if value is None:
            return None
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) or parse_moment(value) is None:
            self.wrong(file, facts.at(key), f"'{value}' is not a day.", "Write 2026-03-16.")
            return None
        return str(value)

    def keys(self, facts: Located, known: set[str], file: str) -> None:
        for key in facts:
            if key not in known:
                self.wrong(file, facts.at(key), f"'{key}' means nothing here.", f"Known: {', '.join(sorted(known))}.")

    def mappings(self, value: Any, file: str, what: str, line: int = 1) -> list[Located]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong(file, line, f"This must be a list of {what}.", "Begin each with '- '.")
            return []
        found = []
        for one in value:
            if isinstance(one, Located):
                found.append(one)
            else:
                self.wrong(file, line, f"Each of the {what} is a mapping.", "Write 'key: value' lines.")
        return found

    def needed(self, facts: Located, key: str, file: str) -> str:
        value = facts.get(key)
        if not isinstance(value, str) or not value.strip():
            self.wrong(file, facts.line, f"'{key}' is missing.", f"Add '{key}: …'.")
            return "?"
        return value.strip()

    def optional(self, facts: Located, key: str) -> str | None:
        value = facts.get(key)
        return str(value).rstrip("\n") if value is not None else None

    def listed(self, facts: Located, key: str, file: str) -> list[str]:
        value = facts.get(key) or []
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list):
            self.wrong(file, facts.at(key), f"'{key}' must be a list.", f"Write {key}: [one, two].")
            return []
        return [str(one) for one in value]

    def people(self, facts: Located, key: str, file: str) -> list[str]:
        return [self.person(one, file, facts.at(key)) for one in self.listed(facts, key, file)]

    def mapping(self, facts: Located, key: str, file: str, maps: str, fix: str) -> Located:
        value = facts.get(key)
        if value is not None and not isinstance(value, Located):
            self.wrong(file, facts.at(key), f"'{key}' maps {maps}.", fix)
        return value if isinstance(value, Located) else Located()

    def members(self, facts: Located, file: str) -> dict[str, int]:
        value = self.mapping(facts, "members", file, "a username to a level", "Write sam.reed: developer.")
        found = {}
        for name, level in value.items():
            if not isinstance(level, str | int) or (level not in LEVELS and level not in LEVELS.values()):
                self.wrong(file, value.at(name), f"'{level}' is no access level.", f"Known: {', '.join(LEVELS)}.")
                continue
            found[self.person(name, file, value.at(name))] = LEVELS[level] if isinstance(level, str) else level
        return found

    def visibility(self, facts: Located, file: str, default: str) -> int:
        value = facts.get("visibility", default)
        if not isinstance(value, str) or value not in VISIBILITY:
            self.wrong(file, facts.at("visibility"), f"'{value}' is no visibility.", f"Known: {', '.join(VISIBILITY)}.")
            return 0
        return VISIBILITY[value]

    def labels(self, facts: Located, file: str) -> list[Label]:
        found: list[Label] = []
        for one in self.mappings(facts.get("labels"), file, "labels", facts.at("labels")):
            self.keys(one, {"name", "color", "description"}, file)
            name = self.needed(one, "name", file)
            color = str(one.get("color", "#6699cc"))
            if not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
                self.wrong(file, one.at("color"), f"'{color}' is no colour.", 'Write "#6699cc", in quotes.')
            if any(label.name == name for label in found):
                self.wrong(file, one.line, f"The label '{name}' stands here twice.", "Keep one.", "duplicate")
            found.append(Label(name, color, self.optional(one, "description")))
        return found

    def milestones(self, facts: Located, file: str) -> list[Milestone]:
        found: list[Milestone] = []
        for one in self.mappings(facts.get("milestones"), file, "milestones", facts.at("milestones")):
            self.keys(one, {"number", "title", "description", "due", "start", "state"}, file)
            title = self.needed(one, "title", file)
            state = str(one.get("state", "active"))
            if state not in ("active", "closed"):
                self.wrong(file, one.at("state"), f"A milestone is active or closed, not '{state}'.")
            if any(milestone.title == title for milestone in found):
                self.wrong(file, one.line, f"The milestone '{title}' stands here twice.", "Keep one.", "duplicate")
            found.append(
                Milestone(
                    self.number(one, found[-1].number if found else 0, "milestone", file),
                    title,
                    self.optional(one, "description"),
                    self.day(one, "due", file),
                    self.day(one, "start", file),
                    state,
                )
            )
        return found

    def comments(self, facts: Located, file: str, after: str, key: str = "comments") -> list[Comment]:
        found = []
        for one in self.mappings(facts.get(key), file, "comments", facts.at(key)):
            self.keys(one, {"author", "at", "body", "place", "replies", "resolved_by"}, file)
            author = self.author(one.get("author"), file, one.at("author"))
            at = self.moment(one, "at", file, after)
            comment = Comment(author, at, self.needed(one, "body", file))
            if "place" in one:
                path, _, line = str(one["place"]).rpartition(":")
                if not path or not line.isdigit():
                    self.wrong(
                        file,
                        one.at("place"),
                        f"'{one['place']}' is not a line of a file.",
                        "Write place: path/file:12.",
                    )
                else:
                    comment.place = (path, int(line))
            comment.replies = self.comments(one, file, at, "replies")
            if "resolved_by" in one:
                comment.resolved_by = self.author(one["resolved_by"], file, one.at("resolved_by"))
            found.append(comment)
        return found
