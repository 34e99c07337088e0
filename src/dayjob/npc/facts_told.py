"""What a colleague hands out: facts that are open, and what they ask for before the others."""

from __future__ import annotations

from dayjob.npc.exchange import Exchange
from dayjob.npc.part import Asked
from dayjob.npc.question_kinds import wants_certainty
from dayjob.npc.understanding import Segment
from dayjob.task.colleague_sheet import Step


def tell(turn: Exchange, segment: Segment, asked: Asked) -> None:
    known = turn.known
    known.raised = True
    fresh = [one for one in asked.open if one.id not in turn.reply.facts]
    for fact in fresh:
        verdict = turn.part.verdict(fact, segment.text) if segment.yes_no or wants_certainty(segment) else ""
        if verdict == "right" and fact.id in known.told:
            turn.phrase("confirm")
            turn.reply.facts.append(fact.id)
            continue
        turn.tell(fact, "" if verdict == "right" else verdict)
    if asked.open:
        known.topic = [one.id for one in asked.open]
        turn.spoken = True
    for fact in asked.locked:
        step = turn.part.pending(known, fact.tell.removeprefix("after:"))
        turn.reply.note("locked", fact.id)
        if step is not None:
            ask_for(turn, step[0])
    if asked.locked and not turn.spoken:
        turn.phrase("decline")  # nothing they could ask for leads to it
    if asked.kept and not asked.open:
        turn.reply.note("kept", [one.id for one in asked.kept])
        here = any(one.place == "direct" and one.tell != "never" for one in asked.kept) and not turn.direct
        turn.phrase("channel" if here else "decline")


def ask_for(turn: Exchange, step: Step) -> None:
    """Ask for what a step still needs."""
    turn.known.raised = True
    waits = turn.part.pending(turn.known, step.id)
    if waits is None:
        return
    for need in waits[1]:
        if f"{step.id}/{need.id}" in turn.asked_now:
            continue
        turn.asked_now.add(f"{step.id}/{need.id}")
        turn.one_of(need.ask, "ask_what")
        turn.reply.note("asks_for", f"{step.id}/{need.id}")
        break


def hold(turn: Exchange) -> bool:
    """Somebody presses for what is not to be had: ask for what is missing, or say no."""
    waits = turn.part.pending(turn.known)
    if waits is not None and (turn.known.raised or turn.part.about_the_matter(turn.text)):
        ask_for(turn, waits[0])
        return True
    turn.phrase("decline" if "decline" in turn.part.sheet.reacts else "cannot")
    turn.reply.note("presses", turn.text[:80])
    return True
