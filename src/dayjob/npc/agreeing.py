"""Whether a day or an hour that somebody proposes suits a colleague."""

from __future__ import annotations

import re
from datetime import date

from dayjob.npc.exchange import Exchange
from dayjob.npc.hours_said import Proposal, clashes, covers, hours_on, proposals, shifted
from dayjob.npc.understanding import Segment
from dayjob.npc.words import content

_SUITS = re.compile(
    r"\b(?:suits?|works?|ok|okay|fine|possible|impossible|free|available|unavailable|convenient|make (?:it)?|do|good"
    r"|how about|"
    r"what about|attend|come|join|manage|be there)\b",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:confirm|agree|is that (?:ok|okay|fine|possible|all right)|would that|does (?:that|it)|will that)\b",
    re.IGNORECASE,
)
_IMPOSSIBLE = re.compile(
    r"\b(?:impossible|unavailable|busy|taken|out|cannot|can't|can not|not (?:ok|possible|free))\b", re.IGNORECASE
)
_WHICH_TIMES = re.compile(r"\b(?:when|(?:which|what) (?:day|time|hour|slot|moment)s?)\b", re.IGNORECASE)
_OF_THESE = re.compile(r"\b(?:of these|of those|suits you better|of the two|better)\b", re.IGNORECASE)
_FEW = 5
"""A question of so few words of its own goes on about what was said."""


def answer_hours(turn: Exchange, segment: Segment) -> bool:
    """Whether a day or an hour suits them."""
    text = segment.text
    found = proposals(text, turn.today)
    if not found and _CONFIRMS.search(text):
        found = proposals(turn.text, turn.today)
    if not found and turn.known.day and len(content(text)) <= _FEW:
        found = hours_on(date.fromisoformat(turn.known.day), text)
    if not found and turn.known.day and turn.known.minute:
        found = shifted(date.fromisoformat(turn.known.day), turn.known.minute, text)
    if not found or (_WHICH_TIMES.search(text) and not _OF_THESE.search(text)):
        return False
    exact = any(not one.whole for one in found)
    if not (
        _SUITS.search(text)
        or _CONFIRMS.search(text)
        or ("?" in text and exact)
        or segment.corrects
        or len(content(text)) <= _FEW
    ):
        return False
    if turn.part.has_cue(text) and not _SUITS.search(text):
        return False
    busy = turn.part.sheet.busy
    free = [one for one in found if not clashes(one, busy)]
    partly = [one for one in found if one.whole and one not in free and not covers(clashes(one, busy))]
    taken = [one for one in found if one not in free and one not in partly]
    if free:
        turn.phrase("works", when=_listed(free))
    if taken and not _IMPOSSIBLE.search(text):
        turn.phrase("not_then", when=_listed(taken))
    reasons = [b.fact for one in (*taken, *partly) for b in clashes(one, busy) if b.fact]
    for id in dict.fromkeys(reasons):
        if turn.part.open_to(turn.part.facts[id], turn.known, who=turn.who, direct=turn.direct):
            turn.tell(turn.part.facts[id])
    shown = {"free": free, "partly": partly, "taken": taken}
    turn.reply.note("hours", {name: [one.said for one in every] for name, every in shown.items()})
    turn.known.topic = list(dict.fromkeys(reasons)) or turn.known.topic
    turn.known.day, turn.known.minute = found[-1].day.isoformat(), 0 if found[-1].whole else found[-1].start
    turn.known.raised = turn.spoken = True
    return True


def _listed(found: list[Proposal]) -> str:
    return " and ".join(dict.fromkeys(one.said for one in found))
