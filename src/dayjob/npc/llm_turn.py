"""A model's reply as a turn: one JSON object, taken out of whatever models put around it.

What is unambiguous is accepted (reasoning in front, fences, prose, further keys, single quotes, trailing commas); what
is not raises `ValueError`, whose text says what it is instead.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Action = Literal["speak", "silent", "leave"]

LONGEST_MESSAGE = 4000
"""Letters in one message of Rocket.Chat."""
_OBJECTS = 200
_ACTIONS: dict[str, Action] = {"speak": "speak", "silent": "silent", "leave": "leave"}
_REASONING = re.compile(r"<(think|thinking|thought|reasoning|reflection)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONED = re.compile(r"\A.*</(?:think|thinking|thought|reasoning|reflection)>", re.DOTALL | re.IGNORECASE)
_BREAKS = (r"\n\s*\n", r"\n", r"(?<=[.!?…])\s+", r"\s+")
"""Where a long message may be split, the better places first."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["speak", "silent", "leave"]},
        "message": {"type": "string"},
        "facts": {"type": "array", "items": {"type": "string"}},
        "promises": {"type": "array", "items": {"type": "string"}},
        "do": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["action", "message", "facts", "promises", "do"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What a model wants its colleague to do."""

    action: Action
    message: str = ""
    facts: tuple[str, ...] | None = None
    """Ids of the facts that the message tells; None when it did not say."""
    promises: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    """Ids of what the colleague does now."""


def turn_in(answer: dict[str, Any]) -> ModelTurn:
    """The turn in a chat completion."""
    choice = _choice(answer)
    if choice.get("finish_reason") == "length":
        raise ValueError("it was cut short")
    return parse_turn(text_in(answer))


def text_in(answer: dict[str, Any]) -> str | None:
    """The words of a chat completion; None when there are none."""
    message = _choice(answer).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):  # in parts, as some servers give it
        content = "".join(str(one.get("text", "")) for one in content if isinstance(one, dict)) or None
    return content if isinstance(content, str) else None


def _choice(answer: dict[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def parse_turn(text: str | None) -> ModelTurn:
    """The one turn in a reply."""
    if text is None or not text.strip():
        raise ValueError("it has no text")
    found = _turns_in(text)
    if len(found) != 1:
        # What is thought aloud may hold drafts.
        found = _turns_in(_REASONED.sub("", _REASONING.sub("", text)))
    if not found:
        raise ValueError("it is not one JSON object with an action and a message")
    if len(found) > 1:
        raise ValueError("it is more than one JSON object")
    return _turn(found[0])


def _turns_in(text: str) -> list[dict[str, Any]]:
    """The different objects of a text that may be turns."""
    found: list[dict[str, Any]] = []
    for one in _objects(text):
        if ("action" in one or "message" in one) and one not in found:
            found.append(one)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Objects in a text, one inside another only where the outer one is no turn."""
    decoder = json.JSONDecoder(strict=False)
    at, tried = text.find("{"), 0
    while at >= 0 and tried < _OBJECTS:
        tried += 1
        value: Any = None
        end = at + 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if (mended := _mended(text, at)) is not None:
                value, end = mended
        if isinstance(value, dict):
            yield value
            if not ("action" in value or "message" in value):
                end = at + 1
        at = text.find("{", end)


def _mended(text: str, at: int) -> tuple[Any, int] | None:
    """An object that is JSON but for single quotes or a comma too many."""
    depth, quote, end, commas = 0, "", at, []
    while end < len(text):
        sign = text[end]
        if quote:
            if sign == "\\":
                end += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            before = text[at:end].rstrip()
            if before.endswith(","):
                commas.append(at + len(before) - 1)
            depth -= 1
            if not depth:
                break
        end += 1
    if depth or end >= len(text):
        return None
    bare = "".join(sign for place, sign in enumerate(text[at : end + 1], at) if place not in commas)
    try:
        return json.loads(bare, strict=False), end + 1
    except (ValueError, RecursionError):
        pass  # not JSON even so: single quotes, then
    try:
        return ast.literal_eval(bare), end + 1
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _turn(found: dict[str, Any]) -> ModelTurn:
    message = found.get("message")
    if isinstance(message, list) and all(isinstance(one, str) for one in message):
        message = "\n\n".join(message)
    message = "" if message is None else message
    wanted = found.get("action", "speak" if message else None)
    action = _ACTIONS.get(wanted.strip().casefold()) if isinstance(wanted, str) else None
    if action is None or not isinstance(message, str):
        raise ValueError("its action is none of speak, silent, leave, or its message is not text")
    message = message.strip()
    if action == "silent" and message:
        raise ValueError("it is silent and has a message")
    if action == "speak" and not message and not _texts(found.get("facts")):
        raise ValueError("it speaks without a message")
    facts = _texts(found["facts"]) if found.get("facts") is not None else None
    return ModelTurn(action, message, facts, _texts(found.get("promises")), _texts(found.get("do")))


def _texts(found: Any) -> tuple[str, ...]:
    """A list of texts, whatever a model made of it."""
    if isinstance(found, str):
        return (found,) if found.strip() else ()
    if isinstance(found, dict):
        found = list(found)
    return (
        tuple(one.strip() for one in found if isinstance(one, str) and one.strip()) if isinstance(found, list) else ()
    )


def split_message(text: str, longest: int = LONGEST_MESSAGE) -> tuple[str, ...]:
    """A text as messages that chat takes: split between paragraphs, else lines, sentences, words, else anywhere."""
    found = []
    rest = text.strip()
    while len(rest) > longest:
        head = rest[: longest + 1]
        breaks = (
            [one for one in re.finditer(pattern, head) if longest // 4 < one.start() <= longest] for pattern in _BREAKS
        )
        best = next((each[-1] for each in breaks if each), None)
        end, begin = (best.start(), best.end()) if best is not None else (longest, longest)
        found.append(rest[:end].rstrip())
        rest = rest[begin:].lstrip()
    return (*found, rest) if rest else tuple(found)
