"""Which part of a message is meant for whom, when it speaks to several."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dayjob.npc.persona import Persona

_HELLO = r"(?:hi|hello|hey|dear|ok(?:ay)?|and|but|also|so|then|thanks|thank you|now)\b[,!]?\s+"
_GREETED = re.compile(rf"[^\w@]*(?:{_HELLO})*", re.IGNORECASE)
_MENTION = re.compile(r"[\s,]*(?:and\s+)?@([a-z]+(?:\.[a-z]+)+)[\s,:]*")
_CALLED = re.compile(r"[\s,]*(?:and\s+)?([A-Z]\w+)(?=\s*(?:[,:.!]|and\b|$))\s*[,:]?")
_SPEAKS_OF = re.compile(r"(?:is|was|has|says?|said|and|or|will|does)\b(?! (?:it|that|this|there)\b)", re.IGNORECASE)
"""What follows the name of somebody who is spoken of, and not to."""
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
    while (one := _MENTION.match(rest) or _CALLED.match(rest)) is not None:
        same = {one[1]} if "@" in one[0] else {who.username for who in known.values() if who.first_name == one[1]}
        if not same:
            break
        found |= same
        rest = rest[one.end() :]
    return found


def _without_name(sentence: str, who: Persona) -> str:
    name = rf"@?(?:{re.escape(who.username)}|{re.escape(who.name)}|{re.escape(who.first_name)})"
    front = re.match(rf"^([^\w@]*(?:{_HELLO})*){name}\b(?!')[\s,:;–—-]*(?=\w)", sentence, re.IGNORECASE)
    if front is not None and (re.search(r"[@,:;–—]", front[0]) or not _SPEAKS_OF.match(sentence[front.end() :])):
        sentence = front[1] + sentence[front.end() :]
    return re.sub(rf",\s*{name}(?=\W*$)", "", sentence, flags=re.IGNORECASE)
