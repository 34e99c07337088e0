"""Cases and replies that the tests of the judge share."""

from __future__ import annotations

import json
from typing import Any

from dayjob.llm.judge_case import JudgeRequest, Picture, Utterance

QUESTION = "The launch moves to Friday."
EVIDENCE = "sam: The launch moves to Friday.\nmara: Are you sure?\nsam: Yes, on Friday."
TALK = (
    Utterance("sam.reed", "The launch moves to Friday."),
    Utterance("mara.lind", "Are you sure? It was Monday."),
    Utterance("sam.reed", "Yes, on Friday."),
)


def about(evidence: str, images: tuple[Picture, ...] = (), guidance: str = "", question: str = "") -> JudgeRequest:
    """A case about a plain text."""
    said = (Utterance("", evidence),) if evidence.strip() else ()
    return JudgeRequest(question or QUESTION, said, images, guidance)


ASKED = about(EVIDENCE)
PICTURE = Picture("image/png", "aGk=")


def row(text: Any, number: Any = 1, speaker: Any = "") -> dict[str, Any]:
    return {"number": number, "speaker": speaker, "text": text}


def reply(verdict: Any = "yes", quotes: Any = ("moves to Friday",), **more: Any) -> str:
    """One from a judge; a quote that is only text is from a plain text."""
    rows = [row(one) if isinstance(one, str) else one for one in quotes] if isinstance(quotes, list | tuple) else quotes
    facts = {"quotes": rows, "reason": "As quoted.", "verdict": verdict, "case": "c1", **more}
    return json.dumps({key: value for key, value in facts.items() if value is not ...})
