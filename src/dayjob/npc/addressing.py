"""Which part of a message is meant for whom, when it speaks to several."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dayjob.npc.persona import Persona

_HELLO = r"(?:hi|hello|hey|dear|ok(?:ay)?|and|but|also|so|then|thanks|thank you|now)\b[,!]?\s+"
_GREETED = re.compile(rf"[^\w@]*(?:{_HELLO})*", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+")
_EVERYBODY = re.compile(
    r"\b(?:all (?:of you|three|four|six)|both of you|you (?:all|both|two|three)|everybody|everyone|each of you)\b",
    re.IGNORECASE,
)
SPEAKS_TO_EACH = re.compile(r"\b(?:each|both|all|either) of you\b|\byou (?:all|both|two)\b", re.IGNORECASE)
"""Everybody in the room is to answer."""


def said_to(text: str, who: Persona, people: Iterable[Persona]) -> str:
    """What of a message is for them: all of it, but for sentences that begin with the names of others.

    Their own name in front of a sentence or behind it is left out, so that a question reads as one.
    """
    known = {one.username: one for one in (*people, who)}
    parts, mine = [], True
    for sentence in _SENTENCE.split(text):
        named = _named_first(sentence, known)
        if named:
            mine = who.username in named
        elif _EVERYBODY.search(sentence):
            mine = True
        if mine:
            parts.append(_without_name(sentence, who))
    return "\n".join(one for one in parts if one)


def _named_first(sentence: str, known: dict[str, Persona]) -> set[str]:
    """The usernames that a sentence begins with."""
    hello = _GREETED.match(sentence)
    rest = sentence[hello.end() :] if hello is not None else sentence
    found: set[str] = set()
    while True:
        mention = re.match(r"[\s,]*(?:and\s+)?@([a-z]+(?:\.[a-z]+)+)[\s,:]*", rest)
        called = re.match(r"[\s,]*(?:and\s+)?([A-Z]\w+)(?=\s*(?:[,:.!]|and\b|$))\s*[,:]?", rest)
        if mention is not None:
            found.add(mention[1])
        elif called is not None and (same := [one for one in known.values() if one.first_name == called[1]]):
            found.update(one.username for one in same)
        else:
            return found
        rest = rest[(mention or called).end() :]  # type: ignore[union-attr]


def _without_name(sentence: str, who: Persona) -> str:
    name = rf"@?(?:{re.escape(who.username)}|{re.escape(who.name)}|{re.escape(who.first_name)})"
    front = re.match(rf"^([^\w@]*(?:{_HELLO})*){name}\b(?!')[\s,:;–—-]*(?=\w)", sentence, re.IGNORECASE)
    if front is not None and (
        "@" in front[0]
        or not re.match(
            r"(?:is|was|has|says?|said|and|or|will|does)\b(?! (?:it|that|this|there)\b)",
            sentence[front.end() :],
            re.IGNORECASE,
        )
    ):
        sentence = front[1] + sentence[front.end() :]
    return re.sub(rf",\s*{name}(?=\W*$)", "", sentence, flags=re.IGNORECASE)
