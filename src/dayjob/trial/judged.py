"""What a judge decided in a trial, as an outcome tells it: the question, the agreement, and what each vote said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dayjob.scoring import clean_reason

if TYPE_CHECKING:
    from dayjob.llm.judge_verdict import Verdict


def judged_row(found: Verdict, *, withheld: bool) -> dict[str, Any]:
    """One decision; `withheld` leaves out every word that could tell the values of a private variant."""
    facts = found.as_dict()
    if withheld:
        return {"question": "", "verdict": facts["verdict"], "agreement": facts["agreement"], "votes": []}
    return clean_row({"question": found.question, **facts})


def clean_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A decision with its words as plain lines: a model wrote them, about evidence that an examinee wrote."""
    return {
        "question": clean_reason(row["question"]),
        "verdict": clean_reason(row["verdict"]),
        "agreement": clean_reason(row["agreement"]),
        "votes": [
            {
                "verdict": clean_reason(vote["verdict"]),
                "reason": clean_reason(vote["reason"]),
                "quotes": [
                    {"speaker": clean_reason(one["speaker"]), "text": clean_reason(one["text"])}
                    for one in vote["quotes"]
                ],
            }
            for vote in row["votes"]
        ],
    }


def vote_in_words(vote: Mapping[str, Any]) -> str:
    """`yes: It says so. (sam.reed: “the launch moves to Friday”)`"""
    quotes = "; ".join(f"{one['speaker']}: “{one['text']}”".removeprefix(": ") for one in vote["quotes"])
    return f"{vote['verdict']}: {vote['reason']}" + (f" ({quotes})" if quotes else "")
