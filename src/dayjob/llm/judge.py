"""A judge that cannot be talked into a point: votes made apart and at once, and what most of them say.

What is no vote is asked for again, with another seed and temperature and a reminder. A judge that then decides the same
question about no evidence, and still not about this, is kept from it by the evidence, which is the examinee's to write:
that is a no, with a note. Everything else (a yes that quotes what is not there, too) is a fault, never a yes or a no.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.gateway import Pass
from dayjob.llm.judge_case import JudgeRequest, Utterance, case_number, judge_messages
from dayjob.llm.judge_verdict import Unquoted, Verdict, Vote, parse_verdict

_ASKS = 2
"""How often one vote is asked for before a malformed verdict is a fault."""
_APART = 0.7
"""The temperature of several votes: at 0 they would be one vote, counted several times."""
_BY_THE_EVIDENCE = (Label.MALFORMED, Label.REFUSED, Label.LATE, Label.PROVIDER_DOWN)
"""Faults that what the judge is shown may bring about: a filter, a length, an order to it."""
_NOTHING = (Utterance("", "Nothing was handed in."),)


@dataclass(slots=True)
class Judge:
    """Asks the judge's model through a pass, which remembers its verdicts: the same question twice costs once."""

    access: Pass
    votes: int = 1
    remembered: dict[str, Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.votes < 1 or self.votes % 2 == 0:
            raise ValueError("votes must be an odd number, so they cannot tie")
        self.remembered = self.access.verdicts

    async def decide(self, asked: JudgeRequest) -> Verdict:
        """The verdict. Raises `ModelFault` when any vote is missing."""
        key = case_number(asked, self.votes)
        if (known := self.remembered.get(key)) is not None:
            return known.again()
        why = asked.nothing_said
        votes = (Vote(False, why),) if why else await self._all_votes(asked)
        model = self.access.model
        verdict = Verdict(asked.question, votes, model.shown if model else "")
        self.remembered[key] = verdict
        return verdict

    async def _all_votes(self, asked: JudgeRequest) -> tuple[Vote, ...]:
        votes = await self._together(asked, range(self.votes), range(_ASKS))
        missing = [number for number, one in votes.items() if isinstance(one, ModelFault)]
        if missing:
            if not await self._decides(asked):
                raise next(one for one in votes.values() if isinstance(one, ModelFault))
            again = await self._together(asked, missing, range(_ASKS, _ASKS + 1))
            votes |= {
                number: self._kept_from(asked, one) if isinstance(one, ModelFault) else one
                for number, one in again.items()
            }
        return tuple(one for one in votes.values() if isinstance(one, Vote))

    async def _together(
        self, asked: JudgeRequest, numbers: range | list[int], tries: range
    ) -> dict[int, Vote | ModelFault]:
        """These votes, made at once. A fault stands for one that the evidence may have prevented; others are raised."""
        made = await asyncio.gather(*(self._vote(asked, one, tries) for one in numbers), return_exceptions=True)
        found: dict[int, Vote | ModelFault] = {}
        for number, one in zip(numbers, made, strict=True):
            if isinstance(one, BaseException) and not (isinstance(one, ModelFault) and _by_the_evidence(one)):
                raise one
            found[number] = one
        return found

    async def _vote(self, asked: JudgeRequest, number: int, tries: range) -> Vote:
        problem: ValueError | None = None
        for attempt in tries:
            body = judge_messages(asked, number, attempt, temperature=_APART if self.votes > 1 else 0)
            reply = await self.access.complete(body)
            text = reply["choices"][0]["message"].get("content")
            try:
                return parse_verdict(text, case_number(asked, number), asked)
            except ValueError as error:
                problem = error
        fault = ModelFault(Label.MALFORMED, f"The judge gave no verdict on '{asked.question[:120]}': {problem}.")
        self.access.note(fault)
        raise fault from problem

    async def _decides(self, asked: JudgeRequest) -> bool:
        """Whether the judge decides the same question where there is nothing to be shown."""
        try:
            await self._vote(JudgeRequest(asked.question, _NOTHING, guidance=asked.guidance), 0, range(1))
        except ModelFault as fault:
            self.access.forget(fault)  # what it was asked is no part of the grading
            return False
        return True

    def _kept_from(self, asked: JudgeRequest, fault: ModelFault) -> Vote:
        # The note is in every outcome; the question, which may hold the values of a private variant, only in the vote.
        sentence = "The evidence keeps the judge from deciding, so it is a no"
        self.access.notes.append(f"{sentence} ({fault.label}).")
        return Vote(False, f"{sentence}: {fault.sentence}")


def _by_the_evidence(fault: ModelFault) -> bool:
    """Whether what the judge was shown may be the reason. A judge that says yes has read it."""
    return fault.label in _BY_THE_EVIDENCE and not isinstance(fault.__cause__, Unquoted)
