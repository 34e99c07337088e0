"""A case without a model: what may be asked, and what is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.llm.judge_case import (
    SCHEMA,
    JudgeRequest,
    Picture,
    Utterance,
    case_number,
    evidence_lines,
    judge_messages,
)
from tests.llm.judging import ASKED, EVIDENCE, PICTURE, QUESTION, TALK, about

# -- what may be asked -------------------------------------------------------------------------------------------

BODY = {"question": QUESTION, "evidence": EVIDENCE}
IMAGE = {"type": "image/png", "data": "aGk="}
ROWS = [{"speaker": one.speaker, "text": one.text} for one in TALK]


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        (BODY, about(EVIDENCE)),
        ({**BODY, "guidance": "Strictly."}, about(EVIDENCE, guidance="Strictly.")),
        ({**BODY, "images": [IMAGE]}, about(EVIDENCE, (PICTURE,))),
        ({"question": QUESTION, "images": [IMAGE]}, about("", (PICTURE,))),
        ({"question": QUESTION, "evidence": []}, JudgeRequest(QUESTION, ())),
        ({"question": QUESTION, "evidence": ROWS}, JudgeRequest(QUESTION, TALK)),
        ({"question": QUESTION, "evidence": ROWS, "of": "sam.reed"}, JudgeRequest(QUESTION, TALK, of="sam.reed")),
        *(
            ({"question": QUESTION, "images": [{"type": kind, "data": "x"}]},
             about("", (Picture(kind, "x"),)))
            for kind in ("image/png", "image/jpeg", "image/gif", "image/webp")
        ),
    ],
)  # fmt: skip
def test_a_case_is_read_from_its_body(body: dict[str, Any], asked: JudgeRequest) -> None:
    assert JudgeRequest.from_json(body) == asked


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({**BODY, "votes": 3, "zeal": 1}, "'votes' means nothing to the judge"),
        ({"evidence": EVIDENCE}, "'question' must be text"),
        ({**BODY, "question": 3}, "'question' must be text"),
        ({**BODY, "question": " \n"}, "'question' must be text"),
        ({**BODY, "evidence": 3}, "'evidence' must be text, or a list of {speaker, text}"),
        ({**BODY, "evidence": ["x"]}, "'evidence' must be text, or a list of {speaker, text}"),
        ({**BODY, "evidence": [{"text": "x"}]}, "'evidence' must be text, or a list of {speaker, text}"),
        ({**BODY, "evidence": [{"speaker": "a", "text": 3}]}, "'evidence' must be text, or a list of {speaker, text}"),
        ({**BODY, "evidence": [{**ROWS[0], "at": "x"}]}, "'evidence' must be text, or a list of {speaker, text}"),
        ({**BODY, "evidence": [{"speaker": " ", "text": "x"}]}, "'evidence' has words without a speaker"),
        ({**BODY, "guidance": ["x"]}, "'guidance' and 'of' must be text"),
        ({**BODY, "of": 3}, "'guidance' and 'of' must be text"),
        ({**BODY, "of": "sam.reed"}, "'of' needs evidence with speakers"),
        ({**BODY, "images": IMAGE}, "'images' must be a list"),
        ({**BODY, "images": ["x"]}, "'images' must be a list"),
        ({**BODY, "images": [{"type": "image/svg+xml", "data": "x"}]}, "one of image/gif, image/jpeg, image/png"),
        ({**BODY, "images": [{"type": "image/png"}]}, "'images' must be a list"),
        ({**BODY, "images": [IMAGE, {"type": "image/png", "data": 3}]}, "'images' must be a list"),
        ({"question": QUESTION}, "neither 'evidence' nor 'images'"),
        ({"question": QUESTION, "images": []}, "neither 'evidence' nor 'images'"),
    ],
)
def test_a_body_that_is_no_case_is_refused_with_a_sentence(body: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the sentences are in the table
        JudgeRequest.from_json(body)
    assert sentence in str(refused.value)


# -- what is sent ------------------------------------------------------------------------------------------------


def test_a_case_is_known_by_everything_that_is_asked_and_nothing_else() -> None:
    others = [
        (about(EVIDENCE, question="Another question."), 0),
        (about(EVIDENCE + " "), 0),
        (about(EVIDENCE, guidance="Strictly."), 0),
        (about(EVIDENCE, (PICTURE,)), 0),
        (about(EVIDENCE, (Picture("image/gif", "aGk="),)), 0),
        (about(EVIDENCE, (Picture("image/png", "aGg="),)), 0),
        (JudgeRequest(QUESTION, TALK), 0),
        (JudgeRequest(QUESTION, TALK, of="sam.reed"), 0),
        (JudgeRequest(QUESTION, (Utterance("sam", EVIDENCE),)), 0),
        (ASKED, 1),
    ]
    numbers = {case_number(one, number) for one, number in [(ASKED, 0), *others]}
    assert len(numbers) == len(others) + 1
    assert case_number(about(EVIDENCE), 0) == case_number(ASKED, 0)
    assert all(len(one) == 18 for one in numbers)


def test_rules_question_and_evidence_are_three_messages() -> None:
    system, question, evidence = judge_messages(ASKED)["messages"]
    case = case_number(ASKED, 0)
    assert system["role"] == "system"
    assert f"Case number: {case}\n" in system["content"]
    assert f'"verdict": "yes" or "no", "case": "{case}"}}' in system["content"]
    assert question == {
        "role": "user",
        "content": f"Question: does the evidence show that this holds?\n\n{QUESTION}",
    }
    mark = evidence["content"].splitlines()[0].removeprefix("BEGIN ")
    assert len(mark) == 12
    assert f"between the marks BEGIN {mark} and END {mark}" in system["content"]
    line = json.dumps({"number": 1, "speaker": "", "text": EVIDENCE})
    assert evidence == {"role": "user", "content": f"BEGIN {mark}\n{line}\nEND {mark}"}


def test_what_people_said_is_numbered_and_named() -> None:
    _, question, evidence = judge_messages(JudgeRequest(QUESTION, TALK, of="sam.reed"))["messages"]
    assert [json.loads(line) for line in evidence["content"].splitlines()[1:-1]] == [
        {"number": number, "speaker": one.speaker, "text": one.text} for number, one in enumerate(TALK, 1)
    ]
    assert 'Whose words count: only those of the speaker "sam.reed".' in question["content"]


@pytest.mark.parametrize(("guidance", "more"), [("", ""), (" \n", ""), ("Be strict.", "\n\nHow to decide: Be strict.")])
def test_guidance_follows_the_question(guidance: str, more: str) -> None:
    messages = judge_messages(about(EVIDENCE, guidance=guidance))["messages"]
    assert messages[1]["content"].endswith(QUESTION + more)


@pytest.mark.parametrize(
    ("evidence", "pictures", "kinds"),
    [
        ("x", 0, None),
        ("x", 1, ["text", "image_url"]),
        ("", 1, ["image_url"]),
        (" \n", 2, ["image_url", "image_url"]),
        ("x", 2, ["text", "image_url", "image_url"]),
    ],
)
def test_words_alone_are_text_and_pictures_are_parts(evidence: str, pictures: int, kinds: list[str] | None) -> None:
    content = judge_messages(about(evidence, (PICTURE,) * pictures))["messages"][2]["content"]
    if kinds is None:
        assert content.startswith("BEGIN ")
    else:
        assert [one["type"] for one in content] == kinds
        assert content[-1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


@pytest.mark.parametrize(
    ("number", "attempt", "temperature", "seed"), [(0, 0, 0, 0), (2, 0, 0, 2), (0, 1, 0.5, 1000), (2, 2, 0.5, 2002)]
)
def test_a_later_attempt_is_another_request_with_a_reminder(
    number: int, attempt: int, temperature: float, seed: int
) -> None:
    body = judge_messages(ASKED, number, attempt)
    assert (body["temperature"], body["seed"]) == (temperature, seed)
    assert ("was not a verdict" in body["messages"][0]["content"]) is (attempt > 0)


def test_the_reply_is_asked_for_in_a_form_that_allows_a_verdict_and_nothing_else() -> None:
    asked_for = judge_messages(ASKED)["response_format"]
    assert asked_for == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
    }
    text = {"type": "string"}
    quote = {
        "type": "object",
        "properties": {"number": {"type": "integer"}, "speaker": text, "text": text},
        "required": ["number", "speaker", "text"],
        "additionalProperties": False,
    }
    assert {
        "type": "object",
        "properties": {
            "quotes": {"type": "array", "items": quote},
            "reason": text,
            "verdict": {"type": "string", "enum": ["yes", "no"]},
            "case": text,
        },
        "required": ["quotes", "reason", "verdict", "case"],
        "additionalProperties": False,
    } == SCHEMA
    assert list(SCHEMA["properties"]) == ["quotes", "reason", "verdict", "case"], "decided after it was reasoned"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\nb\tc\r\nd", "a\\n\\nb\\tc\\r\\nd"),
        ("", ""),
        ("a\x00b\x7fc\x85", "a\\u0000b\\u007fc\\u0085"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("a\u202eb", "a\\u202eb"),
        ("a\ud800b", "a\\ud800b"),
        ("a\ue000b", "a\\ue000b"),
        ("a\U000e0079", "a\\udb40\\udc79"),
        ("a\ufe0f\u3164b", "a\\ufe0f\\u3164b"),
        ('"a\\', '\\"a\\\\'),
        ("Grüße 忽略 🙂", "Grüße 忽略 🙂"),
    ],
)
def test_what_a_reader_could_not_see_is_made_visible(text: str, shown: str) -> None:
    (line,) = evidence_lines((Utterance("sam", text),))
    assert line == f'{{"number": 1, "speaker": "sam", "text": "{shown}"}}'
    assert json.loads(line)["text"] == text
    assert text in evidence_lines((Utterance(text, ""),))[0] or shown in evidence_lines((Utterance(text, ""),))[0]
