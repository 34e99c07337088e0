"""What a colleague says when nothing was asked: to what was told, done, thanked for or said in passing."""

from __future__ import annotations

from dayjob.npc.exchange import Exchange
from dayjob.npc.facts_told import ask_for, hold, tell
from dayjob.npc.telling import PRESSES
from dayjob.npc.understanding import Segment

_LONG = 60
"""Who writes so much at first has said what it is about."""


def react(turn: Exchange) -> None:
    """Nothing was asked: what was told, done, thanked for or said in passing."""
    reading, known = turn.reading, turn.known
    concerned = turn.part.sheet.facts and turn.part.about_the_matter(turn.text) and reading.any("done")
    if turn.grouped and not (turn.called or concerned):
        turn.reply.note("read", turn.text[:80])
        return
    if (
        not any(reading.any(one) for one in ("done", "thanks", "fine"))
        and PRESSES.search(turn.text)
        and known.raised
        and hold(turn)
    ):
        return
    if reading.any("small_talk") or (reading.any("sociable") and not reading.any("done")):
        turn.phrase("small_talk")
        known.greeted = True
        return
    if reading.any("not_yet") and not reading.mostly("done", "not_yet"):
        turn.phrase("not_yet")
        return
    if reading.any("done"):
        if turn.part.pending(known) is not None and turn.part.about_the_matter(turn.text):
            if not too_early(turn):
                turn.phrase("done")
        else:
            turn.phrase("done")
        known.raised = True
        return
    if reading.telling:
        if raise_the_matter(turn) or ask_for_the_rest(turn):
            return
        if reading.any("thanks"):
            turn.phrase("thanks")
        else:
            met = known.raised or known.greeted or turn.in_channel or len(turn.text) > _LONG
            turn.phrase("noted" if met else "greeting")
        return
    if reading.any("thanks"):
        turn.phrase("thanks")
        return
    if reading.only("fine", "thanks"):
        return
    if reading.any("greets"):
        turn.phrase("greeting")
        known.greeted = True
        return
    if not reading.segments and "?" in turn.text:
        turn.phrase("ask_what")


def too_early(turn: Exchange) -> bool:
    """Something is done that a step should have come before."""
    if "early" in turn.part.sheet.reacts and turn.known.raised:
        turn.phrase("early")
        return True
    return ask_for_the_rest(turn)


def ask_for_the_rest(turn: Exchange) -> bool:
    waits = turn.part.pending(turn.known)
    if waits is None or not turn.part.about_the_matter(turn.text):
        return False
    ask_for(turn, waits[0])
    return turn.spoken


def raise_the_matter(turn: Exchange) -> bool:
    """The matter comes up without a question: tell what is told then, once."""
    if turn.known.raised or not turn.part.about_the_matter(turn.text):
        return False
    first = turn.part.first_facts(turn.known, who=turn.who, direct=turn.direct)
    if not first:
        return False
    tell(turn, Segment(turn.text, asks=True), first)
    return True
