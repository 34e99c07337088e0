"""What a colleague knows and does in one task: one entry of scenarios.json, typed, and what a schema cannot check.

`extra_info` and `strategy_hint` are enough. The rest is optional: rules for the script mind, messages the colleague
sends first, a delay, further facts, what must not be said, channels to be in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dayjob.task.colleague_sheet import KEYS as SHEET_KEYS
from dayjob.task.colleague_sheet import ColleagueSheet, SheetReader
from dayjob.task.secrecy import Secrets
from dayjob.task.sheet_secrecy import given_away_in

# What `after` may name instead of an event's own topic.
EVENTS: dict[str, tuple[str, dict[str, str]]] = {
    "merge": ("forge.event", {"action": "^accepted$", "kind": "^MergeRequest$"}),
    "merge_request": ("forge.event", {"action": "^opened$", "kind": "^MergeRequest$"}),
    "push": ("forge.event", {"action": "^pushed"}),
    "issue": ("forge.event", {"action": "^opened$", "kind": "^Issue$"}),
    "issue_closed": ("forge.event", {"action": "^closed$", "kind": "^Issue$"}),
    "file": ("drive.file", {}),
    "message": ("chat.message", {"new": "^True$"}),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """When a rule applies; what is not given does not matter."""

    topics: tuple[tuple[str, ...], ...] = ()
    pattern: re.Pattern[str] | None = None
    first_contact: bool = False
    sender: str = ""
    step: str = ""
    place: str = ""
    """"direct", "channel", or a channel's name with its #."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a script: when, what is said (nothing: silence), once or always, and the step that follows."""

    number: int
    on: Condition
    replies: tuple[str, ...]
    once: bool = False
    then: str = ""


@dataclass(frozen=True, slots=True)
class Initiative:
    """A message the colleague sends without being asked, once."""

    number: int
    text: str
    to: str = ""
    """A username, a full name, or a channel with its #; empty is the examinee."""
    at: float | None = None
    """Seconds after the examinee began."""
    after: str = ""
    """The topic of an event of the company."""
    where: Mapping[str, re.Pattern[str]] | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One colleague in one task."""

    extra_info: str = ""
    strategy_hint: str = ""
    knows: tuple[str, ...] = ()
    secrets: Secrets = field(default_factory=Secrets)
    script: tuple[Rule, ...] = ()
    initiates: tuple[Initiative, ...] = ()
    delay: tuple[float, float] = (0.0, 0.0)
    typing: bool = False
    channels: tuple[str, ...] = ()
    mind: Literal["", "script", "llm"] = ""
    sheet: ColleagueSheet | None = None
    """Their part as facts and steps, where the task has it in colleagues.yml."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in scenarios.json that cannot be meant: whose, where (keys and positions), and a sentence."""

    colleague: str
    where: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        return f"'{self.colleague}', {'.'.join(self.where)}: {self.sentence}"


class ScenarioError(Exception):
    """scenarios.json cannot be used; `problems` says why."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"scenarios.json cannot be used: {problems[0]}.")
        self.problems = problems


def read_scenarios(found: Mapping[str, Any]) -> dict[str, Scenario]:
    """The scenarios of a file that matches the schema. Raises `ScenarioError` for what a schema cannot see."""
    problems: list[Problem] = []
    scenarios = {}
    for name, entry in found.items():
        reader = _Reader(name, problems)
        scenarios[name] = reader.scenario(entry)
    if problems:
        raise ScenarioError(problems)
    return scenarios


def problems_in(found: Mapping[str, Any]) -> list[Problem]:
    """Everything wrong with scenarios that match the schema; for `dayjob check`."""
    try:
        read_scenarios(found)
    except ScenarioError as error:
        return error.problems
    return []


class _Reader:
    def __init__(self, colleague: str, problems: list[Problem]) -> None:
        self._colleague = colleague
        self._problems = problems

    def scenario(self, entry: Mapping[str, Any]) -> Scenario:
        secrets = Secrets(
            tuple(
                self._pattern(one[1:-1], ("must_not_reveal", str(at))) if _is_pattern(one) else one
                for at, one in enumerate(entry.get("must_not_reveal", ()))
            )
        )
        rules = tuple(self._rule(number, one) for number, one in enumerate(entry.get("script", ())))
        first = tuple(self._initiative(number, one) for number, one in enumerate(entry.get("initiates", ())))
        for rule in rules:
            for text in rule.replies:
                self._keep(secrets, text, ("script", str(rule.number), "reply"))
        for one in first:
            self._keep(secrets, one.text, ("initiates", str(one.number), "say"))
        known = entry.get("knows", ())
        for at, fact in enumerate(known):
            self._keep(secrets, fact, ("knows", str(at)))
        steps = {rule.then for rule in rules} | {"leave"}
        for rule in rules:
            if rule.on.step and rule.on.step not in steps:
                self._wrong(("script", str(rule.number), "on", "step"), f"no rule leads to the step '{rule.on.step}'")
        delay = entry.get("delay", 0)
        low, high = (delay["min"], delay["max"]) if isinstance(delay, dict) else (delay, delay)
        if low > high:
            self._wrong(("delay",), f"min {low} is larger than max {high}")
        sheet = None
        if any(key in entry for key in SHEET_KEYS):
            sheet = SheetReader(self._wrong).sheet(entry)
            for early in given_away_in(sheet, secrets):
                self._wrong(early.where, f"it gives away {early.what}")
        return Scenario(
            entry.get("extra_info", ""),
            "\n".join(entry[key] for key in ("strategy_hint", "clarification_hint") if entry.get(key)),
            tuple(known),
            secrets,
            rules,
            first,
            (float(low), float(high)),
            bool(entry.get("typing", False)),
            tuple(one.removeprefix("#") for one in entry.get("channels", ())),
            entry.get("mind", ""),
            sheet,
        )

    def _rule(self, number: int, found: Mapping[str, Any]) -> Rule:
        on = found.get("on", {})
        topics = on.get("topic", ())
        condition = Condition(
            tuple(tuple(words(one)) for one in ([topics] if isinstance(topics, str) else topics)),
            self._pattern(on["pattern"], ("script", str(number), "on", "pattern")) if "pattern" in on else None,
            bool(on.get("first_contact", False)),
            on.get("from", ""),
            on.get("step", ""),
            on.get("in", ""),
        )
        if any(not one for one in condition.topics):
            self._wrong(("script", str(number), "on", "topic"), "a topic has no words")
        reply = found.get("reply", ())
        replies = (reply,) if isinstance(reply, str) else tuple(reply)
        return Rule(number, condition, replies, bool(found.get("once", False)), found.get("then", ""))

    def _initiative(self, number: int, found: Mapping[str, Any]) -> Initiative:
        where = ("initiates", str(number))
        if ("at" in found) == ("after" in found):
            self._wrong(where, "it needs either 'at' or 'after', and not both")
        after = found.get("after", "")
        facts: dict[str, str] = {}
        if isinstance(after, dict):
            facts = dict(after.get("where", {}))
            after = after["event"]
        if after in EVENTS:
            after, known = EVENTS[after]
            facts = {**known, **facts}
        elif after and "." not in after:
            self._wrong((*where, "after"), f"there is no event '{after}'; known: {', '.join(EVENTS)}")
        patterns = {key: self._pattern(value, (*where, "after", "where", key)) for key, value in facts.items()}
        return Initiative(number, found["say"], found.get("to", ""), found.get("at"), after, patterns)

    def _pattern(self, text: str, where: tuple[str, ...]) -> re.Pattern[str]:
        try:
            return re.compile(text, re.IGNORECASE)
        except re.error as error:
            self._wrong(where, f"'{text}' is not a pattern: {error}")
            return re.compile("(?!)")

    def _keep(self, secrets: Secrets, text: str, where: tuple[str, ...]) -> None:
        if (secret := secrets.revealed_by(text)) is not None:
            self._wrong(where, f"it reveals '{secret}', which must_not_reveal forbids")

    def _wrong(self, where: tuple[str, ...], sentence: str) -> None:
        self._problems.append(Problem(self._colleague, where, sentence))


def words(text: str) -> list[str]:
    """The words of a text as topics are compared by."""
    return re.findall(r"\w+", text.casefold())


def _is_pattern(text: str) -> bool:
    return len(text) > 2 and text.startswith("/") and text.endswith("/")
