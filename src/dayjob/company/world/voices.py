"""How somebody speaks and what they know in every task: `voice`, `about` and `facts` of a person's file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.world.yaml import Located
from dayjob.nearest import did_you_mean

KEYS = ("voice", "about", "facts")
SENDER = "sender"
"""What every phrase may name: the first name of whoever wrote."""
FACT = "fact"
"""A whole sentence of theirs, which is put in once."""

PHRASES: Mapping[str, str | None] = {
    "greeting": None,
    "thanks": None,
    "noted": None,
    "done": None,
    "not_yet": None,
    "unknown": None,
    "refer": "who",
    "decline": None,
    "cannot": None,
    "yes": None,
    "no": None,
    "works": "when",
    "not_then": "when",
    "again": FACT,
    "confirm": None,
    "small_talk": None,
    "nothing_more": None,
    "later": None,
    "did": None,
    "ask_what": None,
}
"""What a voice has words for, and the placeholder that each of those words must have."""

_FACT_KEYS = ("says", "again", "asked")
_BARE = {"True": "yes", "False": "no"}
"""What YAML makes of a bare yes and no."""
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")

Wrong = Callable[[int, str, str], None]
"""Told on which line something is wrong, why, and how to mend it."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Somebody's own words for what everybody says; what they have no words for is not in it."""

    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that somebody knows in every task, and the words in which it is asked for."""

    id: str
    says: str
    again: str
    """The same in other words; empty when there are none."""
    asked: tuple[str, ...]


def check_voices(person: Mapping[str, Any], wrong: Wrong) -> None:
    """Tell all that is wrong with the three keys."""
    read_voice(person, wrong)
    read_about(person, wrong)
    read_facts(person, wrong)


def read_voice(person: Mapping[str, Any], wrong: Wrong | None = None) -> Voice:
    """From a person's file or `Person.more`; what is wrong there is told, and counts as not written."""
    phrases: dict[str, tuple[str, ...]] = {}
    for key, value, line, tell in _entries(person, "voice", "phrases", wrong):
        if key not in PHRASES:
            fix = f'Write "{_BARE[key]}" in quotes.' if key in _BARE else f"Known: {', '.join(PHRASES)}."
            tell(line, f"'{key}' is nothing that a voice has words for.{did_you_mean(key, PHRASES)}", fix)
        elif lines := _sentences(f"'{key}'", value, line, tell):
            for text in lines:
                _check_placeholders(f"'{key}'", text, PHRASES[key], line, tell)
            phrases[key] = lines
    return Voice(phrases)


def read_about(person: Mapping[str, Any], wrong: Wrong | None = None) -> tuple[str, ...]:
    """The topics for which one goes to this person."""
    if person.get("about") is None:
        return ()
    return _sentences("'about'", person["about"], _line(person, "about"), wrong or _silent)


def read_facts(person: Mapping[str, Any], wrong: Wrong | None = None) -> tuple[Fact, ...]:
    """What this person knows in every task, in the order of the file."""
    found = []
    for name, value, line, tell in _entries(person, "facts", "facts", wrong):
        if not isinstance(value, Mapping):
            tell(line, f"The fact '{name}' is not a mapping.", "Give it 'says', 'again' and 'asked'.")
            continue
        for key in value:
            if key not in _FACT_KEYS:
                nearest = did_you_mean(key, _FACT_KEYS)
                message = f"'{key}' means nothing in the fact '{name}'.{nearest}"
                tell(_line(value, key), message, f"Known: {', '.join(_FACT_KEYS)}.")
        says = _sentence(name, value, "says", tell)
        again = _sentence(name, value, "again", tell) if "again" in value else ""
        asked = _sentences(f"'asked' of the fact '{name}'", value.get("asked"), _line(value, "asked"), tell)
        if says and asked:
            found.append(Fact(name, says, again, asked))
    return tuple(found)


def _entries(
    person: Mapping[str, Any], key: str, of: str, wrong: Wrong | None
) -> Iterator[tuple[str, Any, int, Wrong]]:
    """Name, value and line of each entry of a mapping in the file, and whom to tell."""
    tell = wrong or _silent
    value = person.get(key)
    if isinstance(value, Mapping):
        for name in value:
            yield name, value[name], _line(value, name), tell
    elif value is not None:
        tell(_line(person, key), f"'{key}' must be a mapping.", f"Write the names of the {of} below it.")


def _sentence(name: str, fact: Mapping[str, Any], key: str, tell: Wrong) -> str:
    text = fact.get(key)
    if not isinstance(text, str) or not text.strip():
        tell(_line(fact, key), f"The fact '{name}' has no '{key}' that is a text.", "Write one or two sentences.")
        return ""
    _check_placeholders(f"'{key}' of the fact '{name}'", text, None, _line(fact, key), tell)
    return text.strip()


def _sentences(what: str, value: object, line: int, tell: Wrong) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one.strip() for one in value):
        tell(line, f"{what} must be a list of texts, none of them empty.", "Write one text after each '-'.")
        return ()
    lines = tuple(one.strip() for one in value)
    for text in sorted({one for one in lines if lines.count(one) > 1}):
        tell(line, f"{what} has '{text}' twice.", "Say it in other words, or once.")
    return lines


def _check_placeholders(what: str, text: str, needed: str | None, line: int, tell: Wrong) -> None:
    used = _PLACEHOLDER.findall(text)
    allowed = [one for one in (needed, SENDER) if one]
    for name in used:
        if name not in allowed:
            known = " and ".join(f"${{{one}}}" for one in allowed)
            tell(line, f"Nobody fills in ${{{name}}}: '{text}'.{did_you_mean(name, allowed)}", f"{what} knows {known}.")
    if needed and needed not in used:
        tell(line, f"{what} needs ${{{needed}}}: '{text}'.", f"Put ${{{needed}}} where it belongs.")
    if used.count(FACT) > 1:
        tell(line, f"{what} says ${{{FACT}}} more than once: '{text}'.", "Say it once.")


def _line(mapping: Mapping[str, Any], key: str) -> int:
    return mapping.at(key) if isinstance(mapping, Located) else 0


def _silent(line: int, message: str, fix: str) -> None:
    """Whoever reads a world that was checked before is told nothing."""
