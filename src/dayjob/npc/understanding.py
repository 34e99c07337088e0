"""What somebody means in chat: a message taken apart into what it asks, tells, reports and wishes.

Plain rules over words, no model and no state. A message is a list of segments (sentences, lines of a list), each with
what it does: greet, thank, ask, ask for a yes or no, ask for a deed, report something done or not done yet, correct.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from dayjob.npc.asking import (
    ASKS,
    ASKS_LATER,
    ASKS_PLAINLY,
    ASSUMES,
    HAS_ALL,
    OWN_WORK,
    REPEATS,
    STATES_OWN,
    TAGGED,
    WANTS_WORD,
    YES_NO,
    deed_of,
    is_wish,
    is_yes_no,
    two_questions,
)
from dayjob.npc.sentences import pieces, sentences
from dayjob.npc.telling import (
    ALONE_NOT_YET,
    CALLS,
    CORRECTS,
    DONE,
    FINE,
    GREETING,
    LACKS,
    NOT_YET,
    SMALL_TALK,
    SOCIABLE,
    THANKS,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence or line, and what it does."""

    text: str
    asks: bool = False
    """It wants to know something."""
    yes_no: bool = False
    """It can be answered with yes or no."""
    deed: str = ""
    """The verb of what the other is asked to do."""
    thanks: bool = False
    fine: bool = False
    """No more than "all right"."""
    greets: bool = False
    small_talk: bool = False
    sociable: bool = False
    """It may pass the time, unless the colleague knows something about it."""
    done: bool = False
    not_yet: bool = False
    corrects: bool = False
    lacks: bool = False
    """It says that something is not there, or only imagines it: it shows nothing."""
    assumes: bool = False
    """It says how somebody takes something to be, and would hear if it is not so."""
    meant: str = ""
    """A question together with what it refers to, where that was said before."""

    @property
    def whole(self) -> Segment:
        return replace(self, text=self.meant, meant="") if self.meant else self

    @property
    def tells(self) -> bool:
        """It states something, as having happened or being so."""
        return not (self.asks or self.deed or self.not_yet or self.greets or self.fine or self.small_talk)


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, taken apart."""

    segments: tuple[Segment, ...]

    @property
    def asking(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.asks)

    @property
    def deeds(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.deed)

    @property
    def telling(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.tells and not one.thanks)

    def any(self, name: str) -> bool:
        return any(getattr(one, name) for one in self.segments)

    def mostly(self, name: str, other: str) -> bool:
        """More of it does the one than the other."""
        does, does_not = ([one for one in self.segments if getattr(one, each)] for each in (name, other))
        return len(does) > len(does_not)

    def only(self, *names: str) -> bool:
        """Nothing in it does anything but this."""
        return bool(self.segments) and all(any(getattr(one, name) for name in names) for one in self.segments)


@lru_cache(maxsize=512)
def understood(text: str) -> Reading:
    """Take a message apart."""
    found: list[Segment] = []
    listing = False
    for raw, in_list in sentences(text):
        greeted = GREETING.match(raw)
        rest = raw
        if greeted is not None:
            rest = raw[greeted.end() :]
            found.append(Segment(greeted[0].strip(), greets=True))
            if not re.search(r"\w", rest) or _is_name(rest):
                continue
        parts = [part for one in two_questions(rest) for part in _segments(one)]
        if in_list and listing:
            parts = [one if one.asks else replace(one, asks=True, done=False, not_yet=False) for one in parts]
        elif not in_list:
            # What follows a question as a list belongs to it.
            listing = raw.rstrip().endswith(":") and any(one.asks for one in parts)
        found += parts
    for at, one in enumerate(found[1:]):
        if one.not_yet and ALONE_NOT_YET.match(one.text):
            found[at] = replace(found[at], not_yet=True, done=False)  # "The list. Not yet."
    return Reading(tuple(found))


def _is_name(rest: str) -> bool:
    """ "Good morning, Mara.": what is left is whom it is said to."""
    return re.fullmatch(r"@?[A-Z][\w.]*\W*", rest) is not None and _segment(rest) == Segment(rest)


def _segments(sentence: str) -> list[Segment]:
    """Nobody writes a sentence without an end: it is taken in parts, so that a long one costs no more than its length.

    Each part does what the sentence does.
    """
    parts = [_segment(one) for one in pieces(sentence)]
    if len(parts) > 1:
        asks, not_yet = any(one.asks for one in parts), any(one.not_yet for one in parts)
        parts = [replace(one, asks=asks, not_yet=not_yet) for one in parts]
    return parts


def _segment(text: str) -> Segment:
    if CALLS.match(text) is not None:
        return Segment(text, greets=True)
    small_talk = len(text) < 160 and SMALL_TALK.search(text) is not None
    thanks = THANKS.search(text) is not None
    fine = FINE.match(text) is not None
    corrects = CORRECTS.match(text) is not None
    deed = deed_of(text)
    marked = text.rstrip("\"'”’)*_ ").endswith("?")
    asks = (
        marked
        or ASKS.match(text) is not None
        or ASKS_LATER.search(text) is not None
        or WANTS_WORD.search(text) is not None
        or is_wish(text)
        or REPEATS.search(text) is not None
        or (TAGGED.search(text) is not None and not fine)
    )
    asks = asks and (marked or not (HAS_ALL.search(text) or OWN_WORK.match(text)))
    asks = asks and not fine and not deed and (marked or STATES_OWN.search(text) is None)
    if thanks and not marked and WANTS_WORD.search(text) is None and ASKS_PLAINLY.match(text) is None:
        asks = False
    if small_talk and not re.search(r"\d", text):
        return Segment(text, small_talk=True, thanks=thanks)
    not_yet = not asks and NOT_YET.search(text) is not None
    done = not asks and not not_yet and (DONE.search(text) is not None or OWN_WORK.match(text) is not None)
    return Segment(
        text,
        asks=asks,
        yes_no=asks
        and (YES_NO.match(text) is not None or ((marked or TAGGED.search(text) is not None) and is_yes_no(text))),
        deed=deed,
        thanks=thanks,
        fine=fine,
        done=done,
        not_yet=not_yet,
        corrects=corrects,
        lacks=LACKS.search(text) is not None,
        sociable=SOCIABLE.search(text) is not None,
        assumes=not (asks or deed or thanks or fine or done) and ASSUMES.search(text) is not None,
    )
