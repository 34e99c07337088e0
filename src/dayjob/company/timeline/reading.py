"""Reading `timeline.yml` of a world and of a task's overlay, and saying what is wrong with it, by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from dayjob.company.blobs import BlobStore
from dayjob.company.clock import stamp
from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.moments import parse_when
from dayjob.company.timeline.checks import ACTS, Act, Checks, Wrong, near
from dayjob.company.timeline.model import FILE, Entry
from dayjob.company.timeline.places import EVENTS, Places, places_of
from dayjob.company.timeline.references import References
from dayjob.company.world.model import World
from dayjob.company.world.yaml import Located
from dayjob.durations import parse_duration

RULE = "timeline"
_KEYS = ("id", "at", "after", "delay", "who")
_WHERE = {
    "message": ("in", "by", "saying"),
    "file": ("path",),
    "share": ("path", "with"),
    **dict.fromkeys(("push", "issue", "issue_closed", "merge_request", "merge"), ("project", "by", "title")),
}


def load(world: World, sections: Mapping[str, Any], blobs: BlobStore | None = None) -> list[Entry]:
    """Every line of the world's timeline, then of the overlay's. With `blobs`, files to be uploaded are kept there."""
    if FILE not in world.files:
        return []
    layers = world.layers(FILE)
    made = {name for layer in layers for name in _made_channels(layer)}
    places = places_of(sections)
    reader = _Reader(world, places, Checks(world, places, made, blobs))
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


class _Reader:
    def __init__(self, world: World, places: Places, checks: Checks) -> None:
        self.world = world
        self.places = places
        self.checks = checks
        self.entries: list[Entry] = []
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
            except Wrong as problem:
                self.wrong(problem.line, problem.message, problem.fix)

    def wrong(self, line: int, message: str, fix: str) -> None:
        self.world.problems.add(RULE, FILE, line, message, fix)

    def check_references(self) -> None:
        for name, line in self._named:
            if name not in self._lines:
                fix = near(name, self._lines, "Name the 'id' of another line.")
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
                fix = near(key, [*_KEYS, *ACTS], f"Acts are {', '.join(ACTS)}.")
                raise Wrong(one.at(key), f"'{key}' means nothing in a timeline.", fix)
        if len(acts) != 1:
            said = f"does {' and '.join(acts)}" if acts else "does nothing"
            raise Wrong(one.line, f"This line {said}; it must do one thing.", f"Write one of {', '.join(ACTS)}.")
        if "who" not in one:
            raise Wrong(one.line, "This line does not say who does it.", "Add 'who: Full Name'.")
        person = self.checks.person(one["who"], one.at("who"))
        name = acts[0]
        act = ACTS[name]
        facts = self._facts(name, act, one)
        act.check(self.checks, facts)
        at, after, where = self._when(one)
        delay = parse_duration(one["delay"]) if "delay" in one else timedelta()
        if delay is None:
            raise Wrong(one.at("delay"), f"'{one['delay']}' is no length of time.", "Write 20m, 2h or 1d.")
        if "delay" in one and at is not None:
            raise Wrong(one.at("delay"), "'delay' goes with 'after', not with 'at'.", "Put it into the moment.")
        mark = str(one.get("id") or f"line {len(self.entries) + 1}")
        if mark in self._lines:
            raise Wrong(one.at("id"), f"The id '{mark}' is already on line {self._lines[mark]}.", "Ids are unique.")
        self._lines[mark] = one.line
        self._facts_of[mark] = facts
        service = "board" if name in ("assign", "comment") and "card" in facts else act.service
        place = f"{FILE}:{one.line}"
        seconds = delay.total_seconds()
        self.entries.append(Entry(mark, place, person, name, dict(facts), service, at, after, where, seconds))

    def _facts(self, name: str, act: Act, one: Located) -> Located:
        facts = one[name]
        if name == "status":
            made = Located(status=facts)
            made.line, made.lines = one.at(name), {}
            return made
        if not isinstance(facts, Located):
            needs = ", ".join(act.needed)
            raise Wrong(one.at(name), f"'{name}' must be a mapping.", f"Write '{name}:' and below it {needs}.")
        for key in facts:
            if key not in (*act.needed, *act.optional):
                fix = near(key, [*act.needed, *act.optional], f"It takes {', '.join((*act.needed, *act.optional))}.")
                raise Wrong(facts.at(key), f"'{key}' means nothing in '{name}'.", fix)
        for key in act.needed:
            if facts.get(key) in (None, ""):
                raise Wrong(facts.line, f"'{name}' needs '{key}'.", f"Add '{key}: …'.")
        return facts

    def _when(self, one: Located) -> tuple[str | None, str, dict[str, Any]]:
        if ("at" in one) == ("after" in one):
            said = "both 'at' and 'after'" if "at" in one else "neither 'at' nor 'after'"
            raise Wrong(one.line, f"This line has {said}.", "Write 'at: day 2 10:30' or 'after: …'.")
        if "at" in one:
            now = self.world.info.now
            assert now is not None
            at = parse_when(one["at"], now, now)
            if at is None:
                fix = "Write 'day 2 10:30', 'Tue 10:30' or '2026-03-10 10:30'."
                raise Wrong(one.at("at"), f"'{one['at']}' is no moment.", fix)
            if at < now:
                fix = "Put what is past into the world's own files."
                raise Wrong(one.at("at"), f"'{one['at']}' is before the world's now ({stamp(now)}).", fix)
            return stamp(at), "", {}
        return None, *self._after(one)

    def _after(self, one: Located) -> tuple[str, dict[str, Any]]:
        after, line = one["after"], one.at("after")
        if isinstance(after, str):
            self._named.append((after, line))
            return "entry", {"mark": after}
        if not isinstance(after, Located) or len(after) != 1:
            raise Wrong(line, "'after' names one event, or another line's id.", f"Write one of {', '.join(EVENTS)}.")
        ((kind, facts),) = after.items()
        if kind not in EVENTS:
            fix = near(kind, EVENTS, f"Events are {', '.join(EVENTS)}.")
            raise Wrong(after.at(kind), f"'{kind}' is no event.", fix)
        where: dict[str, Any] = {}
        facts = facts if facts is not None else Located()
        if not isinstance(facts, Located):
            fix = f"Write '{kind}:' and below it any of {', '.join(_WHERE[kind])}."
            raise Wrong(after.at(kind), f"What '{kind}' is about must be a mapping.", fix)
        for key, value in facts.items():
            if key not in _WHERE[kind]:
                fix = f"It takes {', '.join(_WHERE[kind])}."
                raise Wrong(facts.at(key), f"'{key}' means nothing for the event '{kind}'.", fix)
            where[key] = self._condition(key, value, facts.at(key))
        return kind, where

    def _condition(self, key: str, value: Any, line: int) -> str:
        if not isinstance(value, str) or not value:
            raise Wrong(line, f"'{key}' must be text.", "Put it in quotes.")
        match key:
            case "by" | "with":
                return self.checks.person(value, line)
            case "in":
                return self.checks.room(value, line)
            case "project":
                self.checks.project(value, line)
            case "saying" | "title":
                try:
                    expression(value, ignore_case=True)
                except InvalidExpression as error:
                    raise Wrong(line, f"'{value}' is no pattern: {error}.", "Write a regular expression.") from None
        return value
