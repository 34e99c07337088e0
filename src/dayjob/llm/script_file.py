"""The file of a scripted model: rules in YAML, each with when it applies and what the model does then.

    format: 1
    rules:
      - when: {last: "password"}          # a pattern, found anywhere in the last message, whatever its case
        say: I cannot tell you that.
        once: true
      - when: {system: 'case number: (?P<case>\\w+)'}
        json: {case: "${case}", verdict: "no", reason: "…", quotes: []}
      - fault: {status: 429, retry_after: 0}
        times: 3
      - call: {name: bash, arguments: {command: ls}}
      - say: Done.

The first rule that applies and is not used up answers. Named groups of its patterns can be used as `${name}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

FORMAT = 1
FAULTS = ("drop", "half", "short", "garbage", "silence")
"""No answer; cut off in the middle of a word; ended politely before its end; not JSON; never an answer."""
_WHEN = ("last", "anywhere", "system", "model", "turn")
_DOES = ("say", "json", "call", "fault")
_KEYS = {"when", *_DOES, "delay", "once", "times", "usage", "chunk_delay", "cut_short"}


class ScriptError(Exception):
    """A script nobody can play; the sentence names file and rule."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request of any dialect, reduced to what rules look at."""

    model: str
    system: str
    last: str
    everything: str
    turn: int
    """1 for the first answer, counted by the model's own messages before it."""


@dataclass(frozen=True, slots=True)
class Action:
    """What the scripted model does."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Tool calls: a name and its arguments as JSON."""
    status: int = 200
    fault: str = ""
    """One of `FAULTS`, or empty."""
    message: str = ""
    retry_after: float | None = None
    delay: float = 0.0
    chunk_delay: float = 0.0
    usage: tuple[int, int] | None = None
    cut_short: bool = False
    """It ends as an answer that reached the limit of tokens does (chat completions)."""


@dataclass(slots=True)
class Rule:
    """One entry of the file; `left` is how often it may still be used."""

    when: Mapping[str, re.Pattern[str] | int]
    does: Mapping[str, Any]
    left: int | None = None

    def match(self, asked: Conversation) -> dict[str, str] | None:
        """The named groups when the rule applies, else None."""
        groups: dict[str, str] = {}
        if self.left == 0:
            return None
        places = {
            "last": asked.last,
            "anywhere": asked.everything,
            "system": asked.system,
            "model": asked.model,
        }
        for key, wanted in self.when.items():
            if isinstance(wanted, int):
                if asked.turn != wanted:
                    return None
                continue
            found = wanted.search(places[key])
            if found is None:
                return None
            groups |= {name: value or "" for name, value in found.groupdict().items()}
        return groups


@dataclass(slots=True)
class Script:
    """The rules in order."""

    rules: list[Rule] = field(default_factory=list)

    def fresh(self) -> Script:
        """The same rules, as far used up as these; from then on each for itself."""
        return Script([replace(rule) for rule in self.rules])

    def answer(self, asked: Conversation) -> Action:
        """What the model does now; uses the rule up."""
        for rule in self.rules:
            groups = rule.match(asked)
            if groups is not None:
                if rule.left is not None:
                    rule.left -= 1
                return _action(rule.does, groups)
        said = asked.last if len(asked.last) <= 200 else asked.last[:200] + "…"
        return Action(
            status=400, message=f"No rule of the script answers this: {said!r}. Add one, or a last rule without 'when'."
        )


def load_script(file: Path) -> Script:
    """Read a script; raises `ScriptError`."""
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScriptError(f"{file} cannot be read as YAML: {' '.join(str(error).split())}.") from error
    return parse_script(found, str(file))


def parse_script(found: Any, place: str = "script") -> Script:
    if not isinstance(found, dict) or not isinstance(found.get("rules"), list):
        raise ScriptError(f"{place}: a script is a mapping with 'format: 1' and a list of 'rules'.")
    if found.get("format", FORMAT) != FORMAT:
        raise ScriptError(f"{place} has format {found['format']}; this dayjob reads format {FORMAT}. Update dayjob.")
    return Script([_rule(one, f"{place}: rule {number}") for number, one in enumerate(found["rules"], 1)])


def _rule(found: Any, place: str) -> Rule:
    if not isinstance(found, dict):
        raise ScriptError(f"{place} must be a mapping.")
    for key in found:
        if key not in _KEYS:
            raise ScriptError(f"{place}: '{key}' means nothing here. Known: {', '.join(sorted(_KEYS))}.")
    if not any(key in found for key in _DOES):
        raise ScriptError(f"{place} does nothing: give it one of {', '.join(_DOES)}.")
    when: dict[str, re.Pattern[str] | int] = {}
    conditions = found.get("when") or {}
    if not isinstance(conditions, dict):
        raise ScriptError(f"{place}: 'when' must be a mapping of {', '.join(_WHEN)}.")
    for key, wanted in conditions.items():
        if key not in _WHEN:
            raise ScriptError(f"{place}: 'when.{key}' means nothing. Known: {', '.join(_WHEN)}.")
        if key == "turn":
            if type(wanted) is not int or wanted < 1:
                raise ScriptError(f"{place}: 'when.turn' must be a number from 1.")
            when[key] = wanted
            continue
        try:
            when[key] = re.compile(str(wanted), re.IGNORECASE | re.DOTALL | re.MULTILINE)
        except re.error as error:
            raise ScriptError(f"{place}: 'when.{key}' is not a pattern: {error}.") from error
    times = 1 if found.get("once") else found.get("times")
    if times is not None and (type(times) is not int or times < 1):
        raise ScriptError(f"{place}: 'times' must be a number from 1.")
    try:
        _action(found, {})
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ScriptError(f"{place} cannot be played: {error}.") from error
    return Rule(when, found, times)


def _action(does: Mapping[str, Any], groups: Mapping[str, str]) -> Action:
    usage = does.get("usage")
    shared: dict[str, Any] = {
        "delay": float(does.get("delay", 0)),
        "chunk_delay": float(does.get("chunk_delay", 0)),
        "cut_short": does.get("cut_short") is True,
        "usage": (int(usage["prompt"]), int(usage["completion"])) if usage else None,
    }
    text = str(_filled(does["say"], groups)) if "say" in does else ""
    if "json" in does:
        text = json.dumps(_filled(does["json"], groups), ensure_ascii=False)
    fault = does.get("fault")
    if isinstance(fault, str):
        if fault not in FAULTS:
            raise ValueError(f"there is no fault '{fault}'; known: {', '.join(FAULTS)}, or a mapping with 'status'")
        return Action(text or "This answer never arrives whole.", fault=fault, **shared)
    if isinstance(fault, dict):
        after = fault.get("retry_after")
        message = str(fault.get("message", "The script says so."))
        return Action(
            status=int(fault["status"]), message=message, retry_after=None if after is None else float(after), **shared
        )
    calls = does.get("call", [])
    made = tuple(
        (str(one["name"]), json.dumps(_filled(one.get("arguments", {}), groups)))
        for one in (calls if isinstance(calls, list) else [calls])
    )
    return Action(text, made, **shared)


def _filled(value: Any, groups: Mapping[str, str]) -> Any:
    """`${name}` in any text within a value, replaced by that group."""
    if isinstance(value, dict):
        return {key: _filled(one, groups) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, groups) for one in value]
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: groups.get(found[1], found[0]), value)
    return value
