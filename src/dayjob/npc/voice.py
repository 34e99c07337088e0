"""How somebody puts things: phrases of the world's person, of their part in the task, and plain ones for the rest.

No sentence is written twice in a conversation: what has been written is passed over, and when nothing is left the
colleague says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dayjob.npc.acquaintance import Acquaintance

Phrases = Mapping[str, tuple[str, ...]]

PLAIN: Phrases = {
    "greeting": ("Hello ${sender}. What is it about?", "Hello again, ${sender}.", "Yes, ${sender}?"),
    "thanks": ("You are welcome.", "Any time, ${sender}.", "Glad it helps."),
    "noted": ("Good to know.", "Noted, thank you.", "Thanks for telling me."),
    "done": ("Good, thank you ${sender}.", "Thank you for telling me.", "Very good."),
    "early": ("I would have liked to see it before, ${sender}.", "That was quick. Without a word from me?"),
    "not_yet": ("All right, tell me when it is.", "No hurry from my side.", "Fine, I will hear from you."),
    "unknown": (
        "I do not know that, ${sender}.",
        "That I cannot tell you, I do not know.",
        "No idea, honestly.",
        "I would have to guess, and I would rather not.",
        "There you know as much as I do.",
    ),
    "refer": ("Ask ${who}, they should know.", "${who} is the right person for that.", "That is one for ${who}."),
    "decline": (
        "I cannot talk about that, ${sender}.",
        "That stays with me, sorry.",
        "Please do not ask me that one.",
        "I keep that to myself.",
    ),
    "cannot": (
        "That I leave to you, ${sender}.",
        "I cannot do that for you here.",
        "That part is yours.",
        "No, please do that yourself.",
    ),
    "yes": ("Yes.", "Yes, it is so.", "That is so."),
    "no": ("No.", "No, not that.", "Not so."),
    "works": ("${when} suits me.", "Yes, ${when} is possible.", "${when}: fine with me."),
    "not_then": ("${when} does not work for me.", "Not ${when}, sorry.", "${when} is not possible for me."),
    "again": (
        "As I said: ${fact}.",
        "Once more, then: ${fact}.",
        "It is still so that ${fact}.",
        "I can only repeat it: ${fact}.",
        "Nothing has changed since: ${fact}.",
    ),
    "confirm": ("Yes, that is right.", "Exactly.", "Right, you have it."),
    "small_talk": ("All well here, thank you. And with you?", "Busy, but well.", "As ever before a launch."),
    "nothing_more": (
        "That is all I know about it.",
        "There is nothing more to it that I know of.",
        "More than that I do not know.",
        "I have told you everything I have.",
    ),
    "later": ("I will see to it.",),
    "did": ("Done.", "It is done now.", "I have done it."),
    "ask_what": (
        "What exactly do you need, ${sender}?",
        "I am not sure what you are after.",
        "Could you put it another way?",
    ),
    "channel": ("Not here, please. Write to me directly.", "That belongs into a direct message.", "Directly, please."),
    "failed": ("It does not let me, I am afraid.", "I tried, and it was refused."),
}


class Voice:
    """The phrases of one colleague, most particular first: of the task, of the person, of nobody."""

    def __init__(self, here: Phrases, own: Phrases) -> None:
        self._here, self._own = here, own

    def forms(self, kind: str, turn: int = 0) -> Iterator[str]:
        """Every way of saying it; a person's own begin with another one each time."""
        yield from self._here.get(kind, ())
        own = self._own.get(kind, ())
        start = turn % len(own) if own else 0
        yield from own[start:]
        yield from own[:start]
        yield from PLAIN[kind]

    def pick(self, kind: str, known: Acquaintance, place: str, /, taken: tuple[str, ...] = (), **fills: str) -> str:
        """A way that was not used there yet; empty when all were."""
        for form in self.forms(kind, len(known.said.get(place, ()))):
            text = filled(form, fills)
            if text not in taken and known.is_new(place, text):
                return text
        return ""


def filled(text: str, fills: Mapping[str, Any]) -> str:
    """`${name}` in a phrase."""
    shown = re.sub(r"\$\{(\w+)\}", lambda mark: str(fills.get(mark[1], mark[0])), text)
    return shown[:1].upper() + shown[1:] if text.startswith("${") else shown


def as_clause(text: str) -> str:
    """A fact as part of a sentence: without its last stop, its sentences joined."""
    parts = [one.rstrip(" .!?") for one in re.split(r"(?<=[.!?])\s+|\n+", text.strip()) if one.strip(" .!?")]
    return "; ".join(parts)
