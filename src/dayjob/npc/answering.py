"""How a question is answered from a sheet."""

from __future__ import annotations

from dataclasses import replace

from dayjob.npc.addressing import SPEAKS_TO_EACH
from dayjob.npc.agreeing import answer_hours
from dayjob.npc.doing import do_or_leave
from dayjob.npc.exchange import Exchange
from dayjob.npc.facts_told import ask_for, hold, tell
from dayjob.npc.part import Asked
from dayjob.npc.question_kinds import (
    is_bare,
    is_general,
    own_words,
    wants_certainty,
    wants_consent,
    wants_more,
    wants_reason,
    wants_repetition,
    wants_somebody,
    wants_something_given,
    wants_word_later,
)
from dayjob.npc.telling import PRESSES
from dayjob.npc.understanding import Segment
from dayjob.npc.words import content
from dayjob.task.colleague_sheet import Fact, any_in

_FEW = 5
"""A question of so few words of its own goes on about what was said."""


async def take_in(turn: Exchange, segment: Segment) -> None:
    """Answer one sentence, if it wants an answer."""
    if segment.deed == "do" and turn.part.sheet.busy and answer_hours(turn, segment):
        return
    gives = wants_something_given(segment) and turn.part.deed(segment) is not None
    if (segment.deed or gives) and do_or_leave(turn, segment):
        return
    if (segment.corrects and segment.meant) or (segment.asks and not segment.small_talk):
        await answer_question(turn, segment)
    elif segment.assumes:
        set_right(turn, segment)


async def answer_question(turn: Exchange, segment: Segment) -> None:
    part, known = turn.part, turn.known
    whole = segment.corrects or not part.has_cue(segment.text) or PRESSES.search(segment.meant)
    if segment.meant and whole:
        segment = segment.whole
    for cues, who in part.sheet.refers:
        if any_in(cues, segment.text):
            turn.phrase("refer", who=who)
            turn.reply.note("refers", who)
            return
    if part.sheet.busy and answer_hours(turn, segment):
        return
    if wants_somebody(segment) and not part.has_cue(segment.text) and turn.asked_before:
        say_unknown(turn, replace(segment, text=turn.asked_before))
        return
    if wants_word_later(segment) and not part.has_cue(segment.text):
        turn.phrase("later")
        return
    if wants_more(segment) and not part.has_cue(segment.text) and go_on(turn, segment):
        return
    by_cue = part.has_cue(segment.text) or part.has_standing_cue(segment.text)
    if segment.sociable and not (by_cue and "?" in segment.text):
        turn.phrase("small_talk")
        return
    if not by_cue and PRESSES.search(segment.text) and hold(turn):
        return
    asked = part.asked(segment, known, who=turn.who, direct=turn.direct)
    if wants_reason(segment) and asked.open and any(one.why for one in asked.open):
        give_reason(turn, segment, asked.open)
        return
    if not asked and go_on(turn, segment):
        return
    waits = part.pending(known) if not asked and wants_consent(segment) else None
    if waits is not None and (known.raised or part.about_the_matter(segment.text)):
        ask_for(turn, waits[0])
        return
    if not asked and may_mean_the_matter(turn, segment):
        asked = part.first_facts(known, who=turn.who, direct=turn.direct)
        waits = part.pending(known)
        if waits is not None and not asked.open:
            ask_for(turn, waits[0])
            return
        if segment.corrects and not asked.open:
            asked.open = part.topic(known, who=turn.who, direct=turn.direct)
    told = bool(asked.open) and all(one.id in known.told for one in asked.open)
    if told and PRESSES.search(turn.text) and hold(turn):
        return
    if asked:
        tell(turn, segment, asked)
    elif segment.corrects and not segment.asks:
        return  # what is put right need not be a question
    elif (turn.spoken and "?" not in segment.text) or (PRESSES.search(segment.text) and hold(turn)):
        return
    elif not await look_up(turn, segment):
        say_unknown(turn, segment)


def set_right(turn: Exchange, segment: Segment) -> None:
    """Somebody says how they take something to be: whoever knows says whether it is so."""
    asked = turn.part.asked(replace(segment, asks=True, yes_no=True), turn.known, who=turn.who, direct=turn.direct)
    said = [one for one in asked.open if turn.part.verdict(one, segment.text)]
    if said:
        tell(turn, replace(segment, yes_no=True), Asked(open=said))


def may_mean_the_matter(turn: Exchange, segment: Segment) -> bool:
    """A question without a fact of its own: whether it asks for what there is to say about the matter."""
    part, known = turn.part, turn.known
    if not part.sheet.matter or segment.small_talk:
        return False
    if segment.corrects or is_general(segment, part.sheet.matter):
        return known.raised or part.about_the_matter(turn.text)
    if wants_consent(segment) and not known.told and part.about_the_matter(turn.text):
        return True
    # A first question about the matter with much of its own in it asks for that, and not for everything.
    return not known.raised and part.about_the_matter(segment.text) and own_words(segment, part.sheet.matter) <= _FEW


def go_on(turn: Exchange, segment: Segment) -> bool:
    """A question that goes on about what was said last."""
    about = turn.part.topic(turn.known, who=turn.who, direct=turn.direct)
    if wants_reason(segment):
        return give_reason(turn, segment, about)
    if wants_more(segment) and (about or turn.known.raised):
        rest = turn.part.first_facts(turn.known, who=turn.who, direct=turn.direct).open
        rest = [one for one in rest if one.id not in turn.known.told]
        for one in rest:
            turn.tell(one)
        if not rest and not turn.told_now:
            turn.phrase("nothing_more")
        turn.reply.note("more", [one.id for one in rest])
        return True
    if about and (wants_repetition(segment) or is_bare(segment)):
        for one in about:
            turn.tell(one)
        return True
    figures = any(sign.isdigit() for sign in segment.text)
    repeats = wants_certainty(segment) or (segment.yes_no and figures)
    if about and repeats and len(content(segment.text)) <= _FEW and turn.part.may_repeat(about, segment):
        said = segment.text if figures else turn.text
        if not any(sign.isdigit() for sign in said) or any(turn.part.verdict(one, said) == "right" for one in about):
            turn.phrase("confirm")
            turn.reply.facts += [one.id for one in about if one.id not in turn.reply.facts]
        else:
            for one in about:
                turn.tell(one)
        return True
    return False


def give_reason(turn: Exchange, segment: Segment, about: list[Fact]) -> bool:
    reasons = [one.why for one in about if one.why]
    if not reasons:
        waits = turn.part.pending(turn.known)
        reasons = [need.why for need in waits[1] if need.why][:1] if waits is not None else []
    if not reasons and (not about or len(content(segment.text)) > _FEW):
        return False
    for fact in about:
        if fact.id not in turn.known.told:
            turn.tell(fact)
    for one in reasons:
        turn.say_new(one, "again")
    if not reasons:
        turn.phrase("nothing_more")
    turn.reply.note("why", [one.id for one in about])
    return True


def say_unknown(turn: Exchange, segment: Segment) -> None:
    if segment.small_talk or turn.puzzled:
        return
    if turn.reading.any("small_talk") or turn.reading.any("sociable"):
        if not turn.spoken:
            turn.phrase("small_talk")
        return
    turn.puzzled = True
    if turn.grouped and SPEAKS_TO_EACH.search(turn.text):
        first = turn.part.first_facts(turn.known, who=turn.who, direct=turn.direct)
        if first.open:
            tell(turn, segment, first)
            return
    elif (turn.in_channel and turn.others_meant) or (turn.grouped and not turn.called):
        turn.reply.note("left_to_others", segment.text)
        return
    who = turn.mind.briefing.goes_to(segment.text) if turn.mind.briefing.goes_to is not None else ""
    turn.phrase("unknown")
    if who:
        turn.phrase("refer", who=who)
    turn.reply.note("unknown", segment.text)


async def look_up(turn: Exchange, segment: Segment) -> bool:
    if turn.mind.briefing.look is None:
        return False
    seen = await turn.mind.briefing.look(segment.text, turn.who)
    if not seen:
        return False
    turn.say_new(seen, "again")
    turn.reply.note("looked_up", seen)
    return True
