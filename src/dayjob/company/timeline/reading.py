"""Reading `timeline.yml` of a world and of a task's overlay, and saying what is wrong with it, by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from dayjob.company.blobs import BlobStore
from dayjob.company.clock import stamp
from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.moments import parse_when
from dayjob.company.timeline.model import FILE, Entry
from dayjob.company.timeline.places import EVENTS, Places, places_of
from dayjob.company.timeline.references import References
from dayjob.company.world.model import World
from dayjob.company.world.yaml import Located
from dayjob.durations import parse_duration
from dayjob.nearest import did_you_mean

RULE = "timeline"
FOLDER = "timeline/"
_KEYS = ("id", "at", "after", "delay", "who")
_WHERE = {
    "message": ("in", "by", "saying"),
    "file": ("path",),
    "share": ("path", "with"),
    **dict.fromkeys(("push", "issue", "issue_closed", "merge_request", "merge"), ("project", "by", "title")),
}
_STATUSES = ("online", "away", "busy", "offline")
_ITEM = ("issue", "merge_request")
_CHANNEL = re.compile(r"[0-9a-zA-Z-_.]+")


def _near(name: Any, known: Iterable[str], otherwise: str) -> str:
    """The fix that names what was probably meant."""
    return did_you_mean(str(name), known).strip() or otherwise


class _Wrong(Exception):
    """Something in a line cannot be meant."""

    def __init__(self, line: int, message: str, fix: str) -> None:
        super().__init__(message)
        self.line, self.message, self.fix = line, message, fix


def load(world: World, sections: Mapping[str, Any], blobs: BlobStore | None = None) -> list[Entry]:
    """Every line of the world's timeline, then of the overlay's. With `blobs`, files to be uploaded are kept there."""
    if FILE not in world.files:
        return []
    layers = world.layers(FILE)
    reader = _Reader(world, places_of(sections), blobs)
    reader.made = {name for layer in layers for name in _made_channels(layer)}
    for layer in layers:
        reader.layer(layer)
    reader.check_references()
    return reader.entries


def _made_channels(layer: Any) -> Iterator[str]:
    """The channels that lines of the timeline make."""
    for one in layer if isinstance(layer, list) else ():
        made = one.get("channel") if isinstance(one, Located) else None
        if isinstance(made, Located) and isinstance(made.get("name"), str):
            yield made["name"]


@dataclass(slots=True)
class _Act:
    """How one kind of act is written: what it needs, what it may have, and the check of its values."""

    service: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    check: Callable[[_Reader, Located], None]


class _Reader:
    def __init__(self, world: World, places: Places, blobs: BlobStore | None) -> None:
        self.world = world
        self.places = places
        self.blobs = blobs
        self.entries: list[Entry] = []
        self.made: set[str] = set()
        """The channels that lines make, whenever they do."""
        self._lines: dict[str, int] = {}
        self._facts_of: dict[str, Located] = {}
        self._named: list[tuple[str, int]] = []
        """Which other lines `after` names, and where."""

    def layer(self, found: Any) -> None:
        if found is None:
            return
        if not isinstance(found, list):
            self.wrong(1, "A timeline is a list.", "Start each line with '- at: …'.")
            return
        if self.world.info.now is None:
            self.wrong(1, "A timeline needs a world whose clock has a start.", "Add 'now = …' to world.toml.")
            return
        for one in found:
            if not isinstance(one, Located):
                self.wrong(1, f"'{one}' is no line of a timeline.", "Write '- at: day 2 10:30', who and an act.")
                continue
            try:
                self._entry(one)
            except _Wrong as problem:
                self.wrong(problem.line, problem.message, problem.fix)

    def wrong(self, line: int, message: str, fix: str) -> None:
        self.world.problems.add(RULE, FILE, line, message, fix)

    def check_references(self) -> None:
        for name, line in self._named:
            if name not in self._lines:
                fix = _near(name, self._lines, "Name the 'id' of another line.")
                self.wrong(line, f"No line of the timeline has the id '{name}'.", fix)
        references = References(self.places, self.entries)
        for one in self.entries:
            for key, message, fix in references.missing(one):
                self.wrong(self._facts_of[one.mark].at(key), message, fix)
        waits = {one.mark: one.where["mark"] for one in self.entries if one.after == "entry"}
        told: set[str] = set()
        for mark in waits:
            way = [mark]
            while (before := waits.get(way[-1])) is not None and before not in way:
                way.append(before)
            if before == mark and mark not in told:
                told.update(way)
                circle = " after ".join(f"'{one}'" for one in (*way, mark))
                fix = "Give one of them a moment: 'at: day 2 10:30'."
                self.wrong(self._lines[mark], f"These lines wait for each other and never happen: {circle}.", fix)

    def _entry(self, one: Located) -> None:
        acts = [key for key in one if key in ACTS]
        for key in one:
            if key not in _KEYS and key not in ACTS:
                fix = _near(key, [*_KEYS, *ACTS], f"Acts are {', '.join(ACTS)}.")
                raise _Wrong(one.at(key), f"'{key}' means nothing in a timeline.", fix)
        if len(acts) != 1:
            said = f"does {' and '.join(acts)}" if acts else "does nothing"
            raise _Wrong(one.line, f"This line {said}; it must do one thing.", f"Write one of {', '.join(ACTS)}.")
        if "who" not in one:
            raise _Wrong(one.line, "This line does not say who does it.", "Add 'who: Full Name'.")
        person = self.person(one["who"], one.at("who"))
        name = acts[0]
        act = ACTS[name]
        facts = self._facts(name, act, one)
        act.check(self, facts)
        at, after, where = self._when(one)
        delay = parse_duration(one["delay"]) if "delay" in one else timedelta()
        if delay is None:
            raise _Wrong(one.at("delay"), f"'{one['delay']}' is no length of time.", "Write 20m, 2h or 1d.")
        if "delay" in one and at is not None:
            raise _Wrong(one.at("delay"), "'delay' goes with 'after', not with 'at'.", "Put it into the moment.")
        mark = str(one.get("id") or f"line {len(self.entries) + 1}")
        if mark in self._lines:
            raise _Wrong(one.at("id"), f"The id '{mark}' is already on line {self._lines[mark]}.", "Ids are unique.")
        self._lines[mark] = one.line
        self._facts_of[mark] = facts
        service = "board" if name in ("assign", "comment") and "card" in facts else act.service
        place = f"{FILE}:{one.line}"
        seconds = delay.total_seconds()
        self.entries.append(Entry(mark, place, person, name, dict(facts), service, at, after, where, seconds))

    def _facts(self, name: str, act: _Act, one: Located) -> Located:
        facts = one[name]
        if name == "status":
            made = Located(status=facts)
            made.line, made.lines = one.at(name), {}
            return made
        if not isinstance(facts, Located):
            needs = ", ".join(act.needed)
            raise _Wrong(one.at(name), f"'{name}' must be a mapping.", f"Write '{name}:' and below it {needs}.")
        for key in facts:
            if key not in (*act.needed, *act.optional):
                fix = _near(key, [*act.needed, *act.optional], f"It takes {', '.join((*act.needed, *act.optional))}.")
                raise _Wrong(facts.at(key), f"'{key}' means nothing in '{name}'.", fix)
        for key in act.needed:
            if facts.get(key) in (None, ""):
                raise _Wrong(facts.line, f"'{name}' needs '{key}'.", f"Add '{key}: …'.")
        return facts

    def _when(self, one: Located) -> tuple[str | None, str, dict[str, Any]]:
        if ("at" in one) == ("after" in one):
            said = "both 'at' and 'after'" if "at" in one else "neither 'at' nor 'after'"
            raise _Wrong(one.line, f"This line has {said}.", "Write 'at: day 2 10:30' or 'after: …'.")
        if "at" in one:
            now = self.world.info.now
            assert now is not None
            at = parse_when(one["at"], now, now)
            if at is None:
                fix = "Write 'day 2 10:30', 'Tue 10:30' or '2026-03-10 10:30'."
                raise _Wrong(one.at("at"), f"'{one['at']}' is no moment.", fix)
            if at < now:
                fix = "Put what is past into the world's own files."
                raise _Wrong(one.at("at"), f"'{one['at']}' is before the world's now ({stamp(now)}).", fix)
            return stamp(at), "", {}
        return None, *self._after(one)

    def _after(self, one: Located) -> tuple[str, dict[str, Any]]:
        after, line = one["after"], one.at("after")
        if isinstance(after, str):
            self._named.append((after, line))
            return "entry", {"mark": after}
        if not isinstance(after, Located) or len(after) != 1:
            raise _Wrong(line, "'after' names one event, or another line's id.", f"Write one of {', '.join(EVENTS)}.")
        ((kind, facts),) = after.items()
        if kind not in EVENTS:
            fix = _near(kind, EVENTS, f"Events are {', '.join(EVENTS)}.")
            raise _Wrong(after.at(kind), f"'{kind}' is no event.", fix)
        where: dict[str, Any] = {}
        facts = facts if facts is not None else Located()
        if not isinstance(facts, Located):
            fix = f"Write '{kind}:' and below it any of {', '.join(_WHERE[kind])}."
            raise _Wrong(after.at(kind), f"What '{kind}' is about must be a mapping.", fix)
        for key, value in facts.items():
            if key not in _WHERE[kind]:
                fix = f"It takes {', '.join(_WHERE[kind])}."
                raise _Wrong(facts.at(key), f"'{key}' means nothing for the event '{kind}'.", fix)
            where[key] = self._condition(key, value, facts.at(key))
        return kind, where

    def _condition(self, key: str, value: Any, line: int) -> str:
        if not isinstance(value, str) or not value:
            raise _Wrong(line, f"'{key}' must be text.", "Put it in quotes.")
        match key:
            case "by" | "with":
                return self.person(value, line)
            case "in":
                return self.room(value, line)
            case "project":
                self.project(value, line)
            case "saying" | "title":
                try:
                    expression(value, ignore_case=True)
                except InvalidExpression as error:
                    raise _Wrong(line, f"'{value}' is no pattern: {error}.", "Write a regular expression.") from None
        return value

    # -- what a world has ----------------------------------------------------------------------------------------

    def person(self, name: Any, line: int) -> str:
        """The username of somebody in people/."""
        found = self.world.person(name)
        if found is None:
            fix = _near(str(name), [one.name for one in self.world.people], "Name someone from people/, or add them.")
            raise _Wrong(line, f"Nobody here is called '{name}'.", fix)
        return found.username

    def room(self, name: Any, line: int) -> str:
        """`#channel` as it is, or `@username` for a person."""
        if isinstance(name, str) and name.startswith("#"):
            known = self.places.channels | self.made
            if name[1:] not in known:
                fix = _near(name[1:], known, "Add it to chat/channels.")
                raise _Wrong(line, f"There is no channel {name}.", fix)
            return name
        return "@" + self.person(name, line)

    def project(self, name: Any, line: int) -> None:
        if not isinstance(name, str) or name not in self.places.projects:
            fix = _near(str(name), self.places.projects, "Name it as group/project.")
            raise _Wrong(line, f"The forge has no project '{name}'.", fix)

    def card(self, facts: Located) -> set[str]:
        name = str(facts["card"])
        if name not in self.places.cards:
            fix = _near(name, self.places.cards, "Name it by its project's identifier and number: SOW-3.")
            raise _Wrong(facts.at("card"), f"The board has no card '{name}'.", fix)
        return self.places.cards[name]

    # -- the acts ------------------------------------------------------------------------------------------------

    def text(self, facts: Located, *keys: str) -> None:
        for key in keys:
            if key in facts and (not isinstance(facts[key], str) or not facts[key].strip()):
                raise _Wrong(facts.at(key), f"'{key}' must be text.", "Put it in quotes.")

    def post(self, facts: Located) -> None:
        self.text(facts, "text", "was")
        facts["in"] = self.room(facts["in"], facts.at("in"))

    def push(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        self.text(facts, "message", "branch", "from")
        files = facts["files"]
        if not isinstance(files, Located) or not files:
            raise _Wrong(facts.at("files"), "'files' must map paths to contents.", "Write 'README.md: |' and its text.")
        for path, content in files.items():
            if content is not None and not isinstance(content, str):
                raise _Wrong(
                    files.at(path), f"The content of '{path}' must be text.", "Put it in quotes; null deletes."
                )
            if path.startswith("/") or ".." in path.split("/"):
                raise _Wrong(files.at(path), f"'{path}' is no path in a repository.", "Write it from the top, as a/b.")

    def open(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        kind = self.one_of(facts, "'open'", _ITEM)
        self.text(facts, kind, "description", "source", "target")
        if kind == "merge_request" and "source" not in facts:
            raise _Wrong(facts.line, "A merge request needs 'source'.", "Add 'source: BRANCH'.")
        if kind == "issue" and "source" in facts:
            raise _Wrong(facts.at("source"), "An issue has no 'source'.", "Leave it out.")
        for key in ("assignees", "reviewers"):
            self.people(facts, key)
        labels = facts.get("labels", [])
        if not isinstance(labels, list) or not all(isinstance(one, str) for one in labels):
            raise _Wrong(facts.at("labels"), "'labels' must be a list of texts.", "Write 'labels: [bug]'.")

    def one_of(self, facts: Located, act: str, keys: tuple[str, ...]) -> str:
        found = [key for key in keys if key in facts]
        if len(found) != 1:
            raise _Wrong(facts.line, f"{act} needs one of {' and '.join(keys)}.", f"Add '{keys[0]}: …'.")
        return found[0]

    def item(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        kind = self.one_of(facts, "This line", _ITEM if "issue" in facts or "merge_request" not in facts else _ITEM[1:])
        which = facts[kind]
        if type(which) is not int and not isinstance(which, str):
            raise _Wrong(facts.at(kind), f"'{kind}' must be a number or a title.", "Write the number: 12.")

    def merge(self, facts: Located) -> None:
        self.item(facts)

    def approve(self, facts: Located) -> None:
        self.item(facts)
        self.text(facts, "text")

    def assign(self, facts: Located) -> None:
        if "card" in facts:
            self.card(facts)
        elif "project" in facts:
            self.item(facts)
        else:
            raise _Wrong(facts.line, "'assign' needs 'card', or 'project' and its issue.", "Add 'card: SOW-3'.")
        self.people(facts, "assignees")

    def people(self, facts: Located, key: str) -> None:
        names = facts.get(key, [])
        if not isinstance(names, list):
            raise _Wrong(facts.at(key), f"'{key}' must be a list of people.", f"Write '{key}: [Full Name]'.")
        facts[key] = [self.person(name, facts.at(key)) for name in names]

    def invite(self, facts: Located) -> None:
        facts["in"] = self.room(facts["in"], facts.at("in"))
        if not facts["in"].startswith("#"):
            raise _Wrong(facts.at("in"), "People are invited to a channel.", "Write 'in: \"#launch\"'.")
        facts["with"] = self.person(facts["with"], facts.at("with"))

    def channel(self, facts: Located) -> None:
        self.text(facts, "name")
        if not _CHANNEL.fullmatch(facts["name"]):
            fix = "Use letters, digits, '-', '_' and '.'."
            raise _Wrong(facts.at("name"), f"'{facts['name']}' cannot be a channel's name.", fix)
        if not isinstance(facts.get("private", False), bool):
            raise _Wrong(facts.at("private"), "'private' is true or false.", "Leave it out for a public channel.")
        self.people(facts, "members")

    def comment(self, facts: Located) -> None:
        self.text(facts, "text")
        if "card" in facts:
            self.card(facts)
        elif "project" in facts:
            self.item(facts)
        else:
            raise _Wrong(facts.line, "'comment' needs 'card', or 'project' and its issue.", "Add 'card: SOW-3'.")

    def move(self, facts: Located) -> None:
        states = self.card(facts)
        if not isinstance(facts["to"], str) or facts["to"] not in states:
            fix = _near(str(facts["to"]), states, f"It has {', '.join(sorted(states))}.")
            raise _Wrong(facts.at("to"), f"There is no state '{facts['to']}' in the project of {facts['card']}.", fix)

    def path(self, facts: Located, key: str = "path") -> None:
        path = facts[key]
        if not isinstance(path, str) or not path.startswith("/") or ".." in path.split("/") or path.endswith("/"):
            fix = "Write it as the person sees it in their drive: /Finance/plan.txt."
            raise _Wrong(facts.at(key), f"'{path}' is no path of a file or folder.", fix)

    def rename(self, facts: Located) -> None:
        self.path(facts)
        self.path(facts, "to")

    def upload(self, facts: Located) -> None:
        self.path(facts)
        kind = self.one_of(facts, "'upload'", ("content", "file"))
        if kind == "content":
            if not isinstance(facts["content"], str):
                raise _Wrong(facts.at("content"), "'content' must be text.", "Name a file of timeline/ instead.")
            return
        source = f"{FOLDER}{facts['file']}"
        if source not in self.world.files:
            raise _Wrong(facts.at("file"), f"There is no {source}.", f"Put the file into {FOLDER} of the world.")
        if self.blobs is not None:
            facts["blob"] = self.blobs.put(self.world.files.path(source).read_bytes()).hash

    def share(self, facts: Located) -> None:
        self.path(facts)
        facts["with"] = self.person(facts["with"], facts.at("with"))
        if facts.get("may", "read") not in ("read", "edit"):
            raise _Wrong(facts.at("may"), f"'{facts['may']}' is nothing a share can allow.", "Write read or edit.")

    def status(self, facts: Located) -> None:
        # YAML reads a bare `off` as false; nobody means anything else by it here.
        if facts["status"] not in _STATUSES:
            raise _Wrong(facts.line, f"'{facts['status']}' is no status.", f"Write {', '.join(_STATUSES)}.")


ACTS: dict[str, _Act] = {
    "post": _Act("chat", ("in", "text"), (), _Reader.post),
    "edit": _Act("chat", ("in", "was", "text"), (), _Reader.post),
    "status": _Act("chat", ("status",), (), _Reader.status),
    "push": _Act("forge", ("project", "message", "files"), ("branch", "from"), _Reader.push),
    "open": _Act(
        "forge", ("project",), (*_ITEM, "description", "labels", "assignees", "reviewers", "source", "target"),
        _Reader.open,
    ),
    "close": _Act("forge", ("project",), _ITEM, _Reader.item),
    "reopen": _Act("forge", ("project",), _ITEM, _Reader.item),
    "merge": _Act("forge", ("project", "merge_request"), (), _Reader.merge),
    "approve": _Act("forge", ("project", "merge_request"), (), _Reader.approve),
    "review": _Act("forge", ("project", "merge_request", "text"), (), _Reader.approve),
    "assign": _Act("forge", ("assignees",), ("card", "project", *_ITEM), _Reader.assign),
    "comment": _Act("forge", ("text",), ("card", "project", *_ITEM), _Reader.comment),
    "move": _Act("board", ("card", "to"), (), _Reader.move),
    "upload": _Act("drive", ("path",), ("content", "file"), _Reader.upload),
    "rename": _Act("drive", ("path", "to"), (), _Reader.rename),
    "share": _Act("drive", ("path", "with"), ("may",), _Reader.share),
    "unshare": _Act("drive", ("path", "with"), (), _Reader.share),
    "invite": _Act("chat", ("in", "with"), (), _Reader.invite),
    "channel": _Act("chat", ("name",), ("members", "private"), _Reader.channel),
}  # fmt: skip
"""What people can do in a timeline."""
