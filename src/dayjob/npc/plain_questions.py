"""What somebody plainly asks in a message, read by other rules than a colleague reads by.

The audit finds the faults of a colleague's understanding only if it does not share it. So this is narrow on purpose:
a question counts where nobody could overlook it, and asks for a fact where the sheet's own words say so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dayjob.task.colleague_sheet import Fact, any_in

_FRONT = (
    r"^\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b[^,.!?\n]{0,40}[,.!?:–—-]*\s*)?"
    r"(?:(?:ok(?:ay)?|and|so|also|but|then|first|second(?:ly)?|please|thanks|thank you)\b[\s,.!:]*)*"
)
_ASKING = re.compile(
    _FRONT
    + r"(?:what|which|who|whom|whose|when|where|why|how|since when|until when|by when|at what|on which|in which)\b"
    r"(?!ever)\b.*(?:\b(?:is|are|was|were|do|does|did|can|could|will|would|should|shall|has|have|had|must|may)\b|$)",
    re.IGNORECASE,
)
_TELL_ME = re.compile(
    r"\b(?:(?:please|kindly) (?:tell|remind|let) (?:me|us)\b|"
    r"(?:can|could|would|will) you (?:please |also )?(?:tell|remind) (?:me|us)\b|"
    r"i(?:'d| would)? (?:need|like|want) to know\b)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"how (?:are you|is it going|'?s it going|are things|was your (?:weekend|holiday|trip)|do you do)|"
    r"(?:do you have|have you got|got) (?:a|some) (?:minute|moment|second|time)|(?:can|may|could) i ask you|"
    r"are you (?:there|around|busy)|what'?s up|is (?:that|this|it) (?:ok|okay|fine|all right)\b",
    re.IGNORECASE,
)
_AFTER_A_QUESTION = " \t\"')]*_!?"
"""What a sentence that asks may end with."""
_SMALL = frozenset(
    re.findall(
        r"\S+",
        "about again also been being both could does doing done else ever every from have having here hello into just "
        "know like many more most much need only other over please quite really same shall should some soon still such "
        "tell than thank thanks that their them then there these they thing things this those very want wants well "
        "were what when where which while whom whose will with would your yours anything something everything nothing",
    )
)


@dataclass(frozen=True, slots=True)
class Question:
    """One sentence that asks."""

    text: str

    @property
    def yes_no(self) -> bool:
        opens = rf"{_FRONT}(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|has|have|had)\b"
        return re.match(opens, self.text, re.IGNORECASE) is not None or bool(
            re.search(r",?\s*(?:right|correct|yes|no|true)\s*\?\W*$", self.text, re.IGNORECASE)
        )

    @property
    def of_whom(self) -> bool:
        return re.search(r"\bwh(?:o|om|ose)\b", self.text, re.IGNORECASE) is not None


@lru_cache(maxsize=1024)
def plain_questions(text: str) -> tuple[Question, ...]:
    """The sentences of a message that ask; what it quotes asks nothing."""
    return tuple(Question(one) for one in sentences_of(text) if _asks(one))


def sentences_of(text: str) -> list[str]:
    shown = unicodedata.normalize("NFKC", text).replace("’", "'")
    shown = re.sub(r"```.*?(?:```|$)", "\n", shown, flags=re.DOTALL)
    lines = (line for line in shown.splitlines() if not line.lstrip().startswith(">"))
    parts = (part for line in lines for part in re.split(r"(?<=[.?!…])[\"')\]*_]*\s+", line))
    return [
        one for part in parts if re.search(r"\w", one := re.sub(r"^\s*(?:[-*•–]+|\d{1,2}[.)])\s+", "", part).strip())
    ]


def _asks(sentence: str) -> bool:
    rest = sentence.rstrip(_AFTER_A_QUESTION)
    marked = "?" in sentence[len(rest) :]
    if not marked and not _ASKING.match(sentence) and not _TELL_ME.search(sentence):
        return False
    telling = len(telling_words(sentence))
    return (telling > 0 or len(words_of(sentence)) > 2) and not (telling < 4 and _COURTESY.search(sentence))


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=2048)
def telling_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning: four letters or more, or with a digit."""
    return frozenset(
        one for one in words_of(text) if one not in _SMALL and (len(one) > 3 or any(sign.isdigit() for sign in one))
    )


def share_in(wanted: Iterable[str], text: Iterable[str]) -> float:
    """How many of some words are in a text, whatever their endings: 1 is all of them."""
    wanted = tuple(wanted)
    there = {one[:5] for one in text}
    return sum(one[:5] in there for one in wanted) / len(wanted) if wanted else 0.0


def asked_by_cue(question: Question, facts: Iterable[Fact]) -> list[Fact]:
    """The facts that a question asks for in the words their author gave them."""
    return [one for one in facts if any_in((*one.asked, *one.yes_to, *one.no_to), question.text)]


def asked_by_words(question: Question, facts: Iterable[Fact]) -> list[Fact]:
    """The fact that has most of a question's words in its own."""
    wanted = telling_words(question.text)
    if len(wanted) < 3:
        return []
    shares = [(share_in(wanted, telling_words(" ".join((one.text, *one.again)))), one) for one in facts]
    best = max((share for share, _ in shares), default=0.0)
    return [one for share, one in shares if share == best] if best >= 0.75 else []
