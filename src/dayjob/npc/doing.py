"""What a colleague does when they are asked to do something, and what they ask for before."""

from __future__ import annotations

from dayjob.npc.exchange import Exchange
from dayjob.npc.facts_told import ask_for, tell
from dayjob.npc.understanding import Segment
from dayjob.npc.words import each_of

_WORK = frozenset(["write", "create", "fix", "make", "prepare", "change", "update", "add", "remove", "delete"])
"""Deeds that are work of its own."""
_CONSENT = each_of("approve merge review accept sign look check read allow agree confirm")
"""What they are asked for when somebody wants their yes."""


def do_or_leave(turn: Exchange, segment: Segment) -> bool:
    """Do what is asked for, ask for what is missing, or leave it; False when it is a question after all."""
    part, known = turn.part, turn.known
    deed = part.deed(segment)
    if deed is not None:
        step = deed.when.partition(":")[2]
        if deed.id in known.did:
            turn.phrase("did")
        elif step and step not in known.reached:
            if (waits := part.pending(known, step)) is not None:
                ask_for(turn, waits[0])
            else:
                turn.phrase("decline")
        else:
            turn.do(deed)
        turn.spoken = True
        return True
    asked = part.asked(segment, known, who=turn.who, direct=turn.direct)
    if asked.open and (part.has_cue(segment.text) or segment.deed not in _WORK):
        tell(turn, segment, asked)
        return True
    waits = part.pending(known) if segment.deed in _CONSENT else None
    if waits is not None and (part.about_the_matter(turn.text) or known.raised):
        ask_for(turn, waits[0])
        return True
    if part.about_the_matter(segment.text) and not known.raised:
        first = part.first_facts(known, who=turn.who, direct=turn.direct)
        if first:
            tell(turn, segment, first)
            return True
    turn.phrase("cannot")
    turn.reply.note("cannot", segment.text)
    return True
