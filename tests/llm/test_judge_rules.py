"""The judge with a model that is given its replies: votes, second tries, and what is a fault."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.judge import Judge
from dayjob.llm.judge_case import JudgeRequest, Utterance
from dayjob.llm.judge_verdict import Verdict
from tests.llm.judging import ASKED, EVIDENCE, PICTURE, QUESTION, TALK, about, reply


class Given:
    """Stands for a judge's pass: replies in order, or raises."""

    model = None

    def __init__(self, *replies: str | ModelFault) -> None:
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []
        self.verdicts: dict[str, Verdict] = {}
        self.faults: list[ModelFault] = []
        self.notes: list[str] = []

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        reply = self.replies.pop(0)
        if isinstance(reply, ModelFault):
            self.note(reply)
            raise reply
        case = body["messages"][0]["content"].partition("Case number: ")[2].split()[0]
        return {"choices": [{"message": {"content": reply.replace("c1", case)}}]}

    def note(self, fault: ModelFault) -> None:
        self.faults.append(fault)

    def forget(self, fault: ModelFault) -> None:
        self.faults.remove(fault)


def judged(given: Given, *, votes: int = 1, asked: JudgeRequest = ASKED) -> Verdict:
    return asyncio.run(Judge(given, votes=votes).decide(asked))  # type: ignore[arg-type]  # a pass's part in it


AYE, NO, CHATTER = reply(), reply("no", []), "I cannot."
LIE = reply("yes", ["never written"])


def fault(label: Label) -> ModelFault:
    return ModelFault(label, f"It was {label}.")


@pytest.mark.parametrize(
    ("replies", "holds", "agreement"),
    [
        ([AYE], True, "1 of 1"),
        ([NO], False, "1 of 1"),
        ([AYE, NO, AYE], True, "2 of 3"),
        ([AYE, NO, NO], False, "2 of 3"),
        ([NO, NO, NO], False, "3 of 3"),
        ([AYE, AYE, AYE, NO, NO], True, "3 of 5"),
    ],
)
def test_most_votes_decide(replies: list[str], holds: bool, agreement: str) -> None:
    given = Given(*replies)
    verdict = judged(given, votes=len(replies))
    assert (verdict.verdict, verdict.agreement, verdict.model, verdict.cached) == (holds, agreement, "", False)
    assert [one.verdict for one in verdict.votes] == [one == AYE for one in replies]
    first = verdict.votes[replies.index(AYE if holds else NO)]
    assert (verdict.reason, verdict.quotes) == (first.reason, first.quotes)
    assert [body["seed"] for body in given.asked] == list(range(len(replies)))
    facts = verdict.as_dict()
    assert facts["verdict"] == ("yes" if holds else "no")
    assert [one["verdict"] for one in facts["votes"]] == ["yes" if one == AYE else "no" for one in replies]


@pytest.mark.parametrize("votes", [-1, 0, 2, 4])
def test_votes_that_could_tie_are_refused(votes: int) -> None:
    with pytest.raises(ValueError, match="must be an odd number"):
        judged(Given(AYE), votes=votes)


EVIDENCE_FAULTS = (Label.MALFORMED, Label.REFUSED, Label.LATE, Label.PROVIDER_DOWN)
OTHER_FAULTS = tuple(set(Label) - set(EVIDENCE_FAULTS))
KEPT_FROM = "The evidence keeps the judge from deciding"


@pytest.mark.parametrize(
    ("replies", "asks"),
    [
        ([CHATTER, AYE], 2),
        ([CHATTER, CHATTER, NO, AYE], 4),
        ([LIE, AYE], 2),
        ([fault(Label.REFUSED), NO, AYE], 3),
    ],
)
def test_a_judge_that_stumbles_and_then_decides_has_decided(replies: list[Any], asks: int) -> None:
    given = Given(*replies)
    assert judged(given).verdict
    assert (len(given.asked), given.notes) == (asks, [])


@pytest.mark.parametrize("last", [CHATTER, *(fault(one) for one in EVIDENCE_FAULTS)], ids=str)
@pytest.mark.parametrize("first", [[CHATTER, CHATTER], *([fault(one)] for one in EVIDENCE_FAULTS)], ids=str)
def test_evidence_that_keeps_a_judge_from_deciding_is_a_no_with_a_note(first: list[Any], last: Any) -> None:
    given = Given(*first, NO, last)
    verdict = judged(given)
    (vote,) = verdict.votes
    assert not vote.verdict
    assert vote.reason.startswith(f"{KEPT_FROM}, so it is a no: ")
    (note,) = given.notes
    assert note.startswith(f"{KEPT_FROM}, so it is a no (")
    assert QUESTION not in note, "which may hold the values of a private variant"
    about_nothing = given.asked[len(first)]["messages"][2]["content"]
    assert '"text": "Nothing was handed in."}\n' in about_nothing


@pytest.mark.parametrize(
    "replies",
    [
        [LIE, LIE],
        [CHATTER, LIE],
        [CHATTER, CHATTER, CHATTER],
        [CHATTER, CHATTER, fault(Label.PROVIDER_DOWN)],
        [CHATTER, CHATTER, NO, LIE],
        *([fault(one)] for one in sorted(OTHER_FAULTS)),
        *([CHATTER, CHATTER, NO, fault(one)] for one in sorted(OTHER_FAULTS)),
    ],
    ids=str,
)
def test_everything_else_is_a_fault_and_neither_yes_nor_no(replies: list[Any]) -> None:
    given = Given(*replies)
    with pytest.raises(ModelFault):
        judged(given)
    assert (given.replies, given.notes, given.verdicts) == ([], [], {})
    assert given.faults


def test_what_the_judge_was_asked_about_nothing_is_no_part_of_the_grading() -> None:
    given = Given(CHATTER, CHATTER, CHATTER)
    with pytest.raises(ModelFault, match=f"The judge gave no verdict on '{QUESTION}': its reply is not one JSON"):
        judged(given)
    assert [one.label for one in given.faults] == [Label.MALFORMED]


def test_guidance_is_kept_and_pictures_are_not_where_nothing_is_shown() -> None:
    given = Given(CHATTER, CHATTER, NO, AYE)
    judged(given, asked=about(EVIDENCE, (PICTURE,), "Be strict."))
    nothing = given.asked[2]["messages"]
    assert nothing[1]["content"].endswith("How to decide: Be strict.")
    assert isinstance(nothing[2]["content"], str)


def test_a_long_question_is_named_by_its_beginning() -> None:
    given = Given(CHATTER, CHATTER, NO, CHATTER)
    verdict = judged(given, asked=about(EVIDENCE, question="q" * 200))
    assert f"'{'q' * 120}'" in verdict.reason


def test_the_same_case_is_remembered_and_another_number_of_votes_is_another() -> None:
    given = Given(AYE, AYE, AYE, AYE)
    first, again = judged(given), judged(given)
    assert (first.cached, again.cached) == (False, True)
    assert again.as_dict() == {**first.as_dict(), "cached": True}
    assert not judged(given, votes=3).cached
    assert given.replies == []


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (JudgeRequest(QUESTION, ()), "Nobody said anything."),
        (JudgeRequest(QUESTION, (Utterance("sam.reed", " \n"),)), "Nobody said anything."),
        (JudgeRequest(QUESTION, TALK, of="tomas.okafor"), "There are no words of tomas.okafor in the evidence."),
        (JudgeRequest(QUESTION, TALK, (PICTURE,), of="sam"), "There are no words of sam in the evidence."),
    ],
)
def test_where_nothing_was_said_it_is_a_no_and_nobody_is_asked(asked: JudgeRequest, reason: str) -> None:
    given = Given()
    verdict = judged(given, votes=3, asked=asked)
    assert (verdict.verdict, verdict.reason, verdict.agreement) == (False, reason, "1 of 1")
    assert given.asked == []


def test_pictures_are_judged_where_nobody_said_anything() -> None:
    asked = JudgeRequest(QUESTION, (), (PICTURE,))
    assert judged(Given(reply("yes", [])), asked=asked).verdict
