"""The judge's protocol without a model: what may be asked, what is sent, and which reply is a vote."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.judge import (
    SCHEMA,
    Judge,
    JudgeRequest,
    Picture,
    Unquoted,
    Verdict,
    Vote,
    case_number,
    evidence_lines,
    judge_messages,
    parse_verdict,
)

QUESTION = "The launch moves to Friday."
EVIDENCE = "sam: The launch moves to Friday.\nmara: Are you sure?\nsam: Yes, on Friday."
ASKED = JudgeRequest(QUESTION, EVIDENCE)
PICTURE = Picture("image/png", "aGk=")


# -- what may be asked -------------------------------------------------------------------------------------------

BODY = {"question": QUESTION, "evidence": EVIDENCE}
IMAGE = {"type": "image/png", "data": "aGk="}


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        (BODY, JudgeRequest(QUESTION, EVIDENCE, (), "")),
        ({**BODY, "guidance": "Strictly."}, JudgeRequest(QUESTION, EVIDENCE, (), "Strictly.")),
        ({**BODY, "images": [IMAGE]}, JudgeRequest(QUESTION, EVIDENCE, (PICTURE,))),
        ({"question": QUESTION, "images": [IMAGE]}, JudgeRequest(QUESTION, "", (PICTURE,))),
        *(
            ({"question": QUESTION, "images": [{"type": kind, "data": "x"}]},
             JudgeRequest(QUESTION, "", (Picture(kind, "x"),)))
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
        ({**BODY, "evidence": 3}, "'evidence' and 'guidance' must be text"),
        ({**BODY, "guidance": ["x"]}, "'evidence' and 'guidance' must be text"),
        ({**BODY, "images": IMAGE}, "'images' must be a list"),
        ({**BODY, "images": ["x"]}, "'images' must be a list"),
        ({**BODY, "images": [{"type": "image/svg+xml", "data": "x"}]}, "one of image/gif, image/jpeg, image/png"),
        ({**BODY, "images": [{"type": "image/png"}]}, "'images' must be a list"),
        ({**BODY, "images": [IMAGE, {"type": "image/png", "data": 3}]}, "'images' must be a list"),
        ({"question": QUESTION}, "neither 'evidence' nor 'images'"),
        ({"question": QUESTION, "evidence": " \n", "images": []}, "neither 'evidence' nor 'images'"),
    ],
)
def test_a_body_that_is_no_case_is_refused_with_a_sentence(body: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the sentences are in the table
        JudgeRequest.from_json(body)
    assert sentence in str(refused.value)


# -- what is sent ------------------------------------------------------------------------------------------------


def test_a_case_is_known_by_everything_that_is_asked_and_nothing_else() -> None:
    others = [
        (JudgeRequest("Another question.", EVIDENCE), 0),
        (JudgeRequest(QUESTION, EVIDENCE + " "), 0),
        (JudgeRequest(QUESTION, EVIDENCE, guidance="Strictly."), 0),
        (JudgeRequest(QUESTION, EVIDENCE, (PICTURE,)), 0),
        (JudgeRequest(QUESTION, EVIDENCE, (Picture("image/gif", "aGk="),)), 0),
        (JudgeRequest(QUESTION, EVIDENCE, (Picture("image/png", "aGg="),)), 0),
        (ASKED, 1),
    ]
    numbers = {case_number(one, number) for one, number in [(ASKED, 0), *others]}
    assert len(numbers) == len(others) + 1
    assert case_number(JudgeRequest(QUESTION, EVIDENCE), 0) == case_number(ASKED, 0)
    assert all(len(one) == 18 for one in numbers)


def test_rules_question_and_evidence_are_three_messages() -> None:
    system, question, evidence = judge_messages(ASKED)["messages"]
    case = case_number(ASKED, 0)
    assert system["role"] == "system"
    assert f"Case number: {case}\n" in system["content"]
    assert f'{{"case": "{case}", "verdict": "yes" or "no", ' in system["content"]
    assert question == {
        "role": "user",
        "content": f"Question: does the evidence show that this holds?\n\n{QUESTION}",
    }
    mark = evidence["content"].splitlines()[0].removeprefix("BEGIN ")
    assert len(mark) == 12
    assert f"between the marks BEGIN {mark} and END {mark}" in system["content"]
    lines = "".join(f"| {line}\n" for line in EVIDENCE.splitlines())
    assert evidence == {"role": "user", "content": f"BEGIN {mark}\n{lines}END {mark}"}


@pytest.mark.parametrize(("guidance", "more"), [("", ""), (" \n", ""), ("Be strict.", "\n\nHow to decide: Be strict.")])
def test_guidance_follows_the_question(guidance: str, more: str) -> None:
    messages = judge_messages(JudgeRequest(QUESTION, EVIDENCE, guidance=guidance))["messages"]
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
    content = judge_messages(JudgeRequest(QUESTION, evidence, (PICTURE,) * pictures))["messages"][2]["content"]
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
    assert {
        "type": "object",
        "properties": {
            "case": text,
            "verdict": {"type": "string", "enum": ["yes", "no"]},
            "reason": text,
            "quotes": {"type": "array", "items": text},
        },
        "required": ["case", "verdict", "reason", "quotes"],
        "additionalProperties": False,
    } == SCHEMA


@pytest.mark.parametrize(
    ("evidence", "lines"),
    [
        ("a\n\nb\tc\r\nd", ["a", "", "b\tc", "d"]),
        ("", [""]),
        ("a\x00b", ["a\\u0000b"]),
        ("a\u202eb", ["a\\u202eb"]),
        ("a\ud800b", ["a\\ud800b"]),
        ("a\ue000b", ["a\\ue000b"]),
        ("a\U000e0079", ["a\\ue0079"]),
        ("Grüße 忽略 🙂", ["Grüße 忽略 🙂"]),
    ],
)
def test_what_a_reader_could_not_see_is_made_visible(evidence: str, lines: list[str]) -> None:
    assert evidence_lines(evidence) == lines


# -- which reply is a vote ---------------------------------------------------------------------------------------


def reply(verdict: Any = "yes", quotes: Any = ("moves to Friday",), **more: Any) -> str:
    facts = {"case": "c1", "verdict": verdict, "reason": "As quoted.", "quotes": quotes, **more}
    return json.dumps({key: value for key, value in facts.items() if value is not ...})


YES = Vote(True, "As quoted.", ("moves to Friday",))


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        (reply(), YES),
        (f" \n{reply()}\n ", YES),
        (f"```json\n{reply()}\n```", YES),
        (f"```\n{reply()}\n  ```", YES),
        (reply("no", []), Vote(False, "As quoted.", ())),
        (reply("no", ["never written"]), Vote(False, "As quoted.", ("never written",))),
        (
            reply("yes", ["moves to Friday", "Are you sure?"]),
            Vote(True, "As quoted.", ("moves to Friday", "Are you sure?")),
        ),
    ],
)
def test_a_reply_that_is_exactly_a_verdict_is_a_vote(text: str, vote: Vote) -> None:
    assert parse_verdict(text, "c1", ASKED) == vote


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "its reply has no text"),
        (["yes"], "its reply has no text"),
        ("yes", "its reply is not one JSON object but 'yes'"),
        ("y" * 200, f"not one JSON object but '{'y' * 160}' ("),
        (f"Verdict: {reply()}", "not one JSON object"),
        (f"{reply()} Yes.", "not one JSON object"),
        (f"```yaml\n{reply()}\n```", "not one JSON object"),
        ("[" * 20_000, "nested too deeply"),
        ('{"case": "c1", "case": "c1", "verdict": "yes", "reason": "", "quotes": []}', "a key stands in it twice"),
        ("[]", "other keys than case, verdict, reason, quotes"),
        ('["case", "verdict", "reason", "quotes"]', "other keys than"),
        ("3", "other keys than"),
        ("null", "other keys than"),
        (reply(bonus=1), "other keys than"),
        (reply(reason=...), "other keys than"),
        (reply(case="c2"), "its reply is about case 'c2', not c1"),
        (reply(case="x" * 50), f"about case '{'x' * 40}', not c1"),
        (reply("Yes"), "its verdict is 'Yes', neither yes nor no"),
        (reply("y" * 50), f"its verdict is '{'y' * 40}', neither"),
        (reply(True), "its verdict is 'True', neither"),
        (reply(["yes"]), "its verdict is \"['yes']\", neither"),
        (reply(reason=3), "its reason is not text, or its quotes are no list"),
        (reply("yes", "moves to Friday"), "its reason is not text, or its quotes are no list"),
        (reply("no", [3]), "a quote is not text"),
        (reply("yes", ["moves to Friday", " "]), "a quote is not text"),
    ],
)
def test_what_is_not_exactly_a_verdict_says_what_it_is(text: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the sentences are in the table
        parse_verdict(text, "c1", ASKED)
    assert sentence in str(refused.value)
    assert not isinstance(refused.value, Unquoted)


@pytest.mark.parametrize(
    ("evidence", "images", "quotes", "found"),
    [
        (EVIDENCE, (), [], False),
        (EVIDENCE, (PICTURE,), [], True),
        ("", (PICTURE,), [], True),
        ("", (PICTURE,), ["on the picture"], True),
        (" \n", (PICTURE,), ["on the picture"], True),
        (EVIDENCE, (PICTURE,), ["on the picture"], False),
        (EVIDENCE, (), ["moves to Friday", "moves to Monday"], False),
        (EVIDENCE, (), ["sam: The launch"], True),
        (EVIDENCE, (), ["SAM:  the LAUNCH"], True),
        (EVIDENCE, (), ["sam: The launch … on Friday."], True),
        (EVIDENCE, (), ["sam: The launch ... on Friday."], True),
        (EVIDENCE, (), ["sam: The launch .. on Friday."], False),
        (EVIDENCE, (), ["on Friday. … The launch"], False),
        (EVIDENCE, (), ["The launch … The launch"], False),
        (EVIDENCE, (), ["Friday … Friday"], True),
        (EVIDENCE, (), ["Friday … Friday … Friday"], False),
        (EVIDENCE, (), ["| mara: Are you sure?"], True),
        (EVIDENCE, (), ["Friday.\n| mara: Are"], True),
        (EVIDENCE, (), ["Friday.\\nmara: Are"], True),
        (EVIDENCE, (), ["…"], False),
        (EVIDENCE, (), ["…… | …"], False),
        (str(['We don\'t move "it"', "first\nsecond"]), (), ["We don't move ... it", "first second"], True),
        ("“It’s done” – really", (), ['"it\'s done" - really'], True),
        ("\u2018a\u2019 b\u2014c", (), ["'a' b-c"], True),
        ("ﬁnal １２", (), ["final 12"], True),
        ("a\\\"b\\\" c", (), ['a"b" c'], True),
        ("x\x00y", (), ["xu0000y"], True),
    ],
)  # fmt: skip
def test_a_yes_rests_on_passages_of_the_evidence(
    evidence: str, images: tuple[Picture, ...], quotes: list[str], found: bool
) -> None:
    asked = JudgeRequest(QUESTION, evidence, images)
    if found:
        assert parse_verdict(reply("yes", quotes), "c1", asked).quotes == tuple(quotes)
    else:
        with pytest.raises(Unquoted):
            parse_verdict(reply("yes", quotes), "c1", asked)


def test_a_made_up_passage_is_named() -> None:
    with pytest.raises(Unquoted, match=f"quotes what is not in the evidence: '{'z' * 80}'$"):
        parse_verdict(reply("yes", ["z" * 100]), "c1", ASKED)
    with pytest.raises(Unquoted, match="it says yes and quotes nothing"):
        parse_verdict(reply("yes", []), "c1", ASKED)


# -- the judge with a model that is given its replies ------------------------------------------------------------


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


def judged(given: Given, *, votes: int = 1, asked: JudgeRequest = ASKED) -> Verdict:
    return asyncio.run(Judge(given, votes=votes).decide(asked))  # type: ignore[arg-type]  # a pass's part in it


AYE, NO, TALK = reply(), reply("no", []), "I cannot."
LIE = reply("yes", ["never written"])


def fault(label: Label) -> ModelFault:
    return ModelFault(label, f"It was {label}.")


@pytest.mark.parametrize(
    ("replies", "holds", "agreement"),
    [
        ([AYE], True, 1.0),
        ([NO], False, 1.0),
        ([AYE, NO, AYE], True, 2 / 3),
        ([AYE, NO, NO], False, 2 / 3),
        ([NO, NO, NO], False, 1.0),
        ([AYE, AYE, AYE, NO, NO], True, 3 / 5),
    ],
)
def test_most_votes_decide(replies: list[str], holds: bool, agreement: float) -> None:
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
        ([TALK, AYE], 2),
        ([TALK, TALK, NO, AYE], 4),
        ([LIE, AYE], 2),
        ([fault(Label.REFUSED), NO, AYE], 3),
    ],
)
def test_a_judge_that_stumbles_and_then_decides_has_decided(replies: list[Any], asks: int) -> None:
    given = Given(*replies)
    assert judged(given).verdict
    assert (len(given.asked), given.notes) == (asks, [])


@pytest.mark.parametrize("last", [TALK, *(fault(one) for one in EVIDENCE_FAULTS)], ids=str)
@pytest.mark.parametrize("first", [[TALK, TALK], *([fault(one)] for one in EVIDENCE_FAULTS)], ids=str)
def test_evidence_that_keeps_a_judge_from_deciding_is_a_no_with_a_note(first: list[Any], last: Any) -> None:
    given = Given(*first, NO, last)
    verdict = judged(given)
    assert verdict.votes == (Vote(False, f"{KEPT_FROM} '{QUESTION}', so it is a no.", ()),)
    (note,) = given.notes
    assert note.startswith(f"{KEPT_FROM} '{QUESTION}', so it is a no: ")
    about_nothing = given.asked[len(first)]["messages"][2]["content"]
    assert "| Nothing was handed in.\n" in about_nothing


@pytest.mark.parametrize(
    "replies",
    [
        [LIE, LIE],
        [TALK, LIE],
        [TALK, TALK, TALK],
        [TALK, TALK, fault(Label.PROVIDER_DOWN)],
        [TALK, TALK, NO, LIE],
        *([fault(one)] for one in sorted(OTHER_FAULTS)),
        *([TALK, TALK, NO, fault(one)] for one in sorted(OTHER_FAULTS)),
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
    given = Given(TALK, TALK, TALK)
    with pytest.raises(ModelFault, match=f"The judge gave no verdict on '{QUESTION}': its reply is not one JSON"):
        judged(given)
    assert [one.label for one in given.faults] == [Label.MALFORMED]


def test_guidance_is_kept_and_pictures_are_not_where_nothing_is_shown() -> None:
    given = Given(TALK, TALK, NO, AYE)
    judged(given, asked=JudgeRequest(QUESTION, EVIDENCE, (PICTURE,), "Be strict."))
    nothing = given.asked[2]["messages"]
    assert nothing[1]["content"].endswith("How to decide: Be strict.")
    assert isinstance(nothing[2]["content"], str)


def test_a_long_question_is_named_by_its_beginning() -> None:
    given = Given(TALK, TALK, NO, TALK)
    verdict = judged(given, asked=JudgeRequest("q" * 200, EVIDENCE))
    assert f"'{'q' * 120}'" in verdict.reason


def test_the_same_case_is_remembered_and_another_number_of_votes_is_another() -> None:
    given = Given(AYE, AYE, AYE, AYE)
    first, again = judged(given), judged(given)
    assert (first.cached, again.cached) == (False, True)
    assert again.as_dict() == {**first.as_dict(), "cached": True}
    assert not judged(given, votes=3).cached
    assert given.replies == []
