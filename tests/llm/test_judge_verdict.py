"""Which reply of a judge is a vote, and which passages a yes may rest on."""

from __future__ import annotations

import time
from typing import Any

import pytest

from dayjob.llm.judge_case import JudgeRequest, Picture, evidence_lines
from dayjob.llm.judge_verdict import Quote, Unquoted, Vote, parse_verdict
from tests.llm.judging import ASKED, EVIDENCE, PICTURE, QUESTION, TALK, about, reply, row

YES = Vote(True, "As quoted.", (Quote(1, "", "moves to Friday"),))


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        (reply(), YES),
        (f" \n{reply()}\n ", YES),
        (f"```json\n{reply()}\n```", YES),
        (f"```\n{reply()}\n  ```", YES),
        (reply("no", []), Vote(False, "As quoted.", ())),
        (reply("no", ["never written", "on Friday"]), Vote(False, "As quoted.", (Quote(1, "", "on Friday"),))),
        (reply("yes", [row("moves to Friday", "1")]), YES),
        (reply("yes", [row("moves to Friday", speaker="sam")]), YES),
        (
            reply("yes", ["moves to Friday", "Are you sure?"]),
            Vote(True, "As quoted.", (Quote(1, "", "moves to Friday"), Quote(1, "", "Are you sure?"))),
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
        ("[]", "other keys than quotes, reason, verdict, case"),
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
        (reply("no", [3]), "a quote has other keys than number, speaker, text"),
        (reply("yes", [{"text": "moves to Friday"}]), "a quote has other keys than number, speaker, text"),
        (reply("yes", [row(3)]), "a quote's number is no whole number, or its speaker or text is no text"),
        (reply("yes", [row("a", True)]), "a quote's number is no whole number"),
        (reply("yes", [row("a", 1.0)]), "a quote's number is no whole number"),
        (reply("yes", [row("a", "one")]), "a quote's number is no whole number"),
        (reply("yes", [row("a", speaker=None)]), "a quote's number is no whole number, or its speaker or text"),
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
        (EVIDENCE, (), ["Friday.\nmara: Are"], True),
        (EVIDENCE, (), [" "], False),
        (EVIDENCE, (), ["."], False),
        (EVIDENCE, (), ["\u200b"], False),
        (EVIDENCE, (), ["the launch moves to Fri"], False),
        (EVIDENCE, (), ["aunch moves to Friday"], False),
        ("It moves at 13:00, not 3:00.", (), ["at 13:0"], False),
        ("It moves at 13:00, not 3:00.", (), ["3:00"], True),
        ("我们改到星期五。", (), ["改到星期"], True),
        ("我们用Excel做", (), ["Excel"], True),
        ("👍", (), ["👍"], True),
        (EVIDENCE, (), ["Friday.\\nmara: Are"], True),
        (EVIDENCE, (), ["…"], False),
        (EVIDENCE, (), ["…… , …"], False),
        (str(['We don\'t move "it"', "first\nsecond"]), (), ["We don't move ... it", "first second"], True),
        ("“It’s done” – really", (), ['"it\'s done" - really'], True),
        ("\u2018a\u2019 b\u2014c", (), ["'a' b-c"], True),
        ("ﬁnal １２", (), ["final 12"], True),
        ("a\\\"b\\\" c", (), ['a"b" c'], True),
        ("x\x00y", (), ["xy"], True),
        ("x\x00y", (), ["x\x00y"], True),
        ("x\x00y", (), ["x\\u0000y"], True),
        ("not\u2028yes", (), ["notyes"], False),
    ],
)  # fmt: skip
def test_a_yes_rests_on_passages_of_the_evidence(
    evidence: str, images: tuple[Picture, ...], quotes: list[str], found: bool
) -> None:
    asked = about(evidence, images)
    if found:
        assert [one.text for one in parse_verdict(reply("yes", quotes), "c1", asked).quotes] == quotes
    else:
        with pytest.raises(Unquoted):
            parse_verdict(reply("yes", quotes), "c1", asked)


@pytest.mark.parametrize(
    ("long", "times"),
    [("\\" * 100_000, 1), ("a" + "\u0300\u0316" * 100_000, 1), (f"{EVIDENCE} " * 4000, 300)],
    ids=["backslashes", "marks over one letter", "a text that is quoted often"],
)
def test_whatever_the_evidence_is_a_reply_is_read_in_linear_time(long: str, times: int) -> None:
    asked = about(f"{EVIDENCE} {long}", ())
    began = time.process_time()
    vote = parse_verdict(reply("no", ["on Friday"] * times), "c1", asked)
    assert len(vote.quotes) == times
    assert len(evidence_lines(asked.evidence)) == 1
    assert time.process_time() - began < 5


def test_a_made_up_passage_is_named() -> None:
    with pytest.raises(Unquoted, match=f"quotes what is not in number 1: '{'z' * 80}'$"):
        parse_verdict(reply("yes", ["z" * 100]), "c1", ASKED)
    with pytest.raises(Unquoted, match="it says yes and quotes nothing"):
        parse_verdict(reply("yes", []), "c1", ASKED)


@pytest.mark.parametrize(
    ("of", "quotes", "sentence"),
    [
        ("", [row("moves to Friday", 1, "sam.reed")], ""),
        ("sam.reed", [row("moves to Friday", 1, "sam.reed")], ""),
        ("sam.reed", [row("It was Monday", 2, "mara.lind"), row("on Friday", 3, "sam.reed")], ""),
        ("sam.reed", [row("It was Monday", 2, "mara.lind")], "quotes nothing that sam.reed said"),
        ("sam.reed", [], "quotes nothing that sam.reed said"),
        ("", [row("It was Monday", 2, "sam.reed")], "number 2 as words of 'sam.reed', and they are mara.lind's"),
        ("", [row("It was Monday", 2, "")], "number 2 as words of '', and they are mara.lind's"),
        ("", [row("moves to Friday", 3, "sam.reed")], "what is not in number 3: 'moves to Friday'"),
        ("", [row("Friday. Are you", 1, "sam.reed")], "what is not in number 1"),
        ("", [row("moves to Friday", 4, "sam.reed")], "quotes number 4, and the evidence has 3"),
        ("", [row("moves to Friday", 0, "sam.reed")], "quotes number 0, and the evidence has 3"),
        ("", [row("moves to Friday", -2, "sam.reed")], "quotes number -2, and the evidence has 3"),
        ("", [], "it says yes and quotes nothing"),
    ],
)
def test_a_quote_is_bound_to_its_speaker(of: str, quotes: list[Any], sentence: str) -> None:
    asked = JudgeRequest(QUESTION, TALK, of=of)
    if not sentence:
        assert parse_verdict(reply("yes", quotes), "c1", asked).verdict
        return
    with pytest.raises(Unquoted) as refused:
        parse_verdict(reply("yes", quotes), "c1", asked)
    assert sentence in str(refused.value)
    assert not parse_verdict(reply("no", quotes), "c1", asked).verdict
