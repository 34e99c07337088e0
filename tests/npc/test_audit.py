"""The audit: what colleagues were asked, what came of it, and which of it was their fault."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.npc.audit import audit
from dayjob.npc.audit_found import CAME_OF, Audited, ColleagueAudit, Surroundings
from dayjob.npc.audit_words import Known, knows_not, made_up, promises_in
from dayjob.npc.figures import figures
from dayjob.npc.heard_and_said import read_journal, read_turns
from dayjob.npc.plain_questions import plain_questions
from dayjob.task.scenario import read_scenarios
from tests.npc.test_understanding import REPEATED

SHEET: dict[str, Any] = {
    "matter": ["launch", "budget"],
    "facts": {
        "budget": {
            "says": "The budget for the launch is 12,400 euros.",
            "again": ["12.4k EUR, as the plan has it."],
            "asked": ["budget", "how much"],
            "yes_to": ["12,400"],
        },
        "day": {"says": "The launch is on Thursday 12 March at 14:00.", "asked": ["when launch", "what day", "friday"]},
        "owner": {"says": "Priya Nair has the checklist.", "asked": ["who checklist", "whose checklist"]},
        "code": {"says": "The door code is 4711.", "asked": ["code"], "tell": "never"},
        "vendor": {
            "says": "Northwind delivers the printed banners from Rotterdam by barge.",
            "asked": ["who delivers", "banner"],
            "tell": "after:agreed",
        },
        "total": {"says": "Together that is 15,500 euros.", "asked": ["total"], "follows": ["budget"]},
    },
    "steps": {"agreed": {"heard": ["agreed"]}},
    "may": {
        "approve": {
            "act": {"comment": {"project": "larkspur/trellis", "merge_request": 12, "text": "Fine."}},
            "asked": ["approve"],
        }
    },
    "refers": [{"asked": ["printer"], "to": "Hana Sato"}],
}
TOMAS = Audited("Tomas Okafor", "tomas.okafor", read_scenarios({"Tomas Okafor": SHEET})["Tomas Okafor"].sheet)
AROUND = Surroundings(
    {"priya": "Priya Nair", "priya nair": "Priya Nair", "hana": "Hana Sato", "hana sato": "Hana Sato"},
    frozenset({"priya", "nair", "hana", "sato", "larkspur"}),
)


def line(text: str, id: str = "q1", sender: str = "sam.reed", **more: Any) -> dict[str, Any]:
    row = {"id": id, "room": "r1", "sender": sender, "name": "Sam Reed", "text": text, "at": 1000, "thread": ""}
    return {**row, "mentions": [], **more}


def turn(heard: list[dict[str, Any]] | str, *said: str, mind: str = "script", **more: Any) -> dict[str, Any]:
    lines = [line(heard)] if isinstance(heard, str) else heard
    row: dict[str, Any] = {"kind": "turn", "colleague": "Tomas Okafor", "mind": mind, "place": "direct messages"}
    return {**row, "thread": "", "heard": lines, "said": list(said), "how": {}, "did": [], **more}


def audited(*rows: dict[str, Any], journal: list[dict[str, Any]] = [], who: Audited = TOMAS) -> ColleagueAudit:  # noqa: B006  # never changed
    turns = read_turns(json.dumps(row) for row in rows)
    seen = read_journal([json.dumps(row) for row in journal], {"u1": "sam.reed", "u2": "tomas.okafor"})
    return audit([who], turns, seen, AROUND)[0]


def faults(found: ColleagueAudit) -> list[tuple[str, str]]:
    return [(one.kind, one.fact) for one in found.faults]


ASK = "What is the budget for the launch?"


@pytest.mark.parametrize(
    ("heard", "said", "how", "expected"),
    [
        (ASK, "The budget for the launch is 12,400 euros.", {"facts": ["budget"]}, []),
        (ASK, "12.4k EUR, as the plan has it.", {"facts": ["budget"]}, []),
        (ASK, "It is €12,400 for the launch, that budget.", {}, []),
        ("So the budget is 12,400 EUR?", "Exactly.", {"facts": ["budget"], "phrases": ["confirm"]}, []),
        (ASK, "I do not know that, Sam.", {"unknown": [ASK]}, [("withheld", "budget")]),
        (ASK, "It is a lot of money.", {"facts": ["budget"]}, [("withheld", "budget")]),
        (ASK, "", {}, [("ignored", "budget")]),
        (ASK, "The budget for the launch is 12,600 euros.", {"facts": ["budget"]}, [("contradicted", "budget")]),
        ("Is the launch on Friday?", "Yes, it is so.", {}, [("contradicted", "day")]),
        ("When is the launch?", "On 13 March, as I recall.", {}, [("contradicted", "day")]),
        ("When is the launch?", "At 2 pm on Thursday, March 12.", {"facts": ["day"]}, []),
        ("When is the launch?", "Ask me later, please.", {"rules": [1]}, []),
        ("What is the door code?", "That stays with me, sorry.", {"kept": [["code"]]}, []),
        ("Who delivers the banners?", "First your word, please.", {"locked": ["vendor"]}, []),
        ("Which printer do we use?", "Ask Hana Sato, they should know.", {"refers": ["Hana Sato"]}, []),
        ("The budget is on the board now.", "", {}, []),
        ("How are you?", "", {}, []),
    ],
)
def test_a_plain_question_for_an_open_fact_is_answered_or_a_fault(
    heard: str, said: str, how: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = audited(turn(heard, *([said] if said else []), how=how))
    assert faults(found) == expected


def test_a_fault_says_what_was_asked_what_was_said_and_beside_which_message() -> None:
    found = audited(turn([line(ASK, "m7")], "No idea, honestly.", how={"unknown": [ASK]}))
    assert [one.fault for one in found.faults] == [
        {
            "colleague": "Tomas Okafor", "kind": "withheld", "fact": "budget", "quote": ASK,
            "said": "No idea, honestly.", "message": "m7",
        }
    ]  # fmt: skip


def test_what_comes_later_in_the_conversation_is_not_withheld() -> None:
    later = turn([line("So how much is it?", "q2")], "The budget for the launch is 12,400 euros.")
    found = audited(turn(ASK, "One moment."), later)
    assert not found.faults
    assert found.counts["answered"] == 2


def test_to_somebody_else_it_was_not_told() -> None:
    told = turn([line("Budget?", "q0", "mara.lind")], "The budget for the launch is 12,400 euros.")
    assert faults(audited(told, turn(ASK, "That is yours."))) == [("withheld", "budget")]


def test_a_fact_is_open_once_its_step_is_reached() -> None:
    asks = [line("Who delivers the banners?", "q2")]
    shut = turn(asks, "No idea, honestly.", how={"unknown": ["Who delivers the banners?"]})
    assert not audited(shut).faults
    reached = turn("Agreed, then.", "Good.", how={"reached": ["agreed"]})
    assert faults(audited(reached, shut)) == [("withheld", "vendor")]


def test_words_of_a_fact_ask_for_it_where_no_cue_does() -> None:
    asks = "Does Priya Nair hold that checklist?"
    assert faults(audited(turn(asks, "I do not know that.", how={"unknown": [asks]}))) == [("withheld", "owner")]
    assert not audited(turn(asks, "Look at the board, it says so.")).faults, "an answer of another kind is an answer"


def test_in_a_channel_only_a_mention_counts() -> None:
    quiet = turn([line(ASK)], place="#launch")
    assert audited(quiet).counts["asked"] == 0
    named = turn([line(ASK, mentions=["tomas.okafor"])], place="#launch")
    assert faults(audited(named)) == [("ignored", "budget")]


def test_what_other_colleagues_say_is_no_question_of_theirs() -> None:
    hana = Audited("Hana Sato", "hana.sato")
    turns = read_turns([json.dumps(turn([line(ASK, sender="hana.sato")]))])
    assert [one.counts["asked"] for one in audit([TOMAS, hana], turns)] == [0, 0]


def test_the_same_sentence_twice_in_a_conversation_is_a_repeat_and_in_another_it_is_none() -> None:
    one = turn("Hello!", "Hello Sam. What is it about?")
    other = turn([line("Hello!", "q2", room="r2")], "Hello Sam. What is it about?")
    assert audited(one, other).counts["repeated"] == 0
    assert audited(one, one, other).counts["repeated"] == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The code is 4711.", [("leaked", "code")]),
        ("Northwind delivers the printed banners, from Rotterdam by barge.", [("leaked", "vendor")]),
        ("15,500 euros in all.", [("leaked", "total")]),
        ("The launch is on Thursday 12 March at 14:00.", []),
        ("I keep the code to myself.", []),
    ],
)
def test_what_is_not_open_must_not_be_told(said: str, expected: list[tuple[str, str]]) -> None:
    found = audited(turn("Hello Tomas.", said))
    assert [(one.kind, one.fact) for one in found.findings if one.kind == "leaked"] == expected
    assert not found.faults, "it costs the examinee nothing"


def test_what_the_other_said_first_is_not_given_away() -> None:
    assert not audited(turn("Is the door code 4711?", "I cannot say whether it is 4711.")).findings


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The banners cost 830 euros.", ["830"]),
        ("Talk to Wilhelmina about it.", ["Wilhelmina"]),
        ("Talk to Priya Nair about the launch at Larkspur.", []),
        ("The budget is €12,400, due on Thursday.", []),
        ("Two things, then. One moment, please.", []),
    ],
)
def test_a_model_must_not_make_things_up(said: str, expected: list[str]) -> None:
    found = audited(turn("Hello Tomas.", said, mind="llm"))
    assert [one.quote for one in found.findings if one.kind == "invented"] == expected
    assert not audited(turn("Hello Tomas.", said)).counts["invented"], "a script says what its author wrote"


def test_a_model_that_names_somebody_else_tells_something_wrong() -> None:
    found = audited(turn("Who has the checklist?", "Hana Sato has it.", mind="llm"))
    assert ("contradicted", "owner") in faults(found)
    assert ("contradicted", "owner") not in faults(
        audited(turn("Who has the checklist?", "Ask Hana Sato.", mind="llm"))
    )


@pytest.mark.parametrize(
    ("said", "did", "count"),
    [
        ("I will approve it.", [], 1),
        ("I'll approve it in a minute.", [{"deed": "approve"}], 0),
        ("I'll approve it in a minute.", [{"deed": "approve", "refused": "no"}], 1),
        ("I will not approve it.", [], 0),
        ("I will think about the weather.", [], 0),
    ],
)
def test_what_was_promised_is_done(said: str, did: list[dict[str, str]], count: int) -> None:
    assert audited(turn("Could you approve it?", said, did=did)).counts["promised"] == count


def test_a_published_tasks_colleague_is_counted_without_a_sheet() -> None:
    plain = Audited("Tomas Okafor", "tomas.okafor")
    found = audited(turn(ASK, "No idea."), turn(ASK), who=plain)
    assert found.counts == {"asked": 2, "answered": 1, "ignored": 1, "repeated": 0}
    assert not found.faults


def chat(id: str, text: str, at: str, username: str = "sam.reed", role: str = "examinee") -> dict[str, Any]:
    after = {"id": id, "room_id": "u1u2", "username": username, "text": text, "type": None, "mentions": "[]"}
    row = {"kind": "change", "time": at, "phase": "work", "role": role, "service": "chat", "table": "messages"}
    return {**row, "op": "added", "key": id, "after": after}


def test_a_question_that_nobody_took_up_is_ignored_and_a_fault_only_when_they_went_on() -> None:
    missed = chat("q1", ASK, "2026-03-09T09:00:00Z")
    found = audited(journal=[missed])
    assert (found.counts["ignored"], faults(found)) == (1, []), "the trial may have ended, or the door was shut"
    next = line("And the weather?", "q2", room="u1u2", at=1773046920000)
    found = audited(turn([next], "Fine."), journal=[missed, chat("q2", "And the weather?", "2026-03-09T09:02:00Z")])
    assert faults(found) == [("ignored", "budget")]


def test_a_wrong_figure_stands_beside_the_message_that_says_it() -> None:
    wrong = "The budget for the launch is 12,600 euros."
    journal = [
        chat("q1", ASK, "2026-03-09T09:00:00Z"),
        chat("a1", wrong, "2026-03-09T09:00:01Z", "tomas.okafor", "npc"),
    ]
    [fault] = [one for one in audited(turn(ASK, wrong), journal=journal).faults if one.kind == "contradicted"]
    assert (fault.message, fault.said) == ("a1", wrong)


def test_a_flood_of_questions_holds_nobody_to_account() -> None:
    flood = [line(f"What is the budget, for item {number}?", f"q{number}") for number in range(40)]
    found = audited(turn(flood, "One at a time, please."))
    assert (found.counts["asked"], faults(found)) == (40, [])


def test_words_that_broke_a_model_hold_nobody_to_account() -> None:
    found = audited(turn(ASK, mind="llm", how={"unanswerable": "it gave no usable reply"}))
    assert (found.counts["ignored"], faults(found)) == (1, [])


@pytest.mark.parametrize("unit", [*REPEATED, "111,", "111 ", "1.1 ", "one 1 ", "PR-1", "right ?", "of 1 may "])
@pytest.mark.parametrize("around", [("What is ", "?"), ("?", "x")])
def test_whatever_was_said_is_read_in_linear_time(unit: str, around: tuple[str, str]) -> None:
    text = around[0] + (unit * (20_000 // len(unit) + 1))[:20_000] + around[1]
    began = time.process_time()
    for question in plain_questions(text)[:9]:
        assert question.yes_no in (False, True)
    figures(text)
    made_up(text, Known(), frozenset())
    promises_in(text)
    knows_not(text)
    assert time.process_time() - began < 3


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_SENTENCES = st.sampled_from(
    [ASK, "When is the launch?", "12,600 euros.", "I will approve it.", "4711!", "I do not know.", "> quoted?",
     "Is it Friday 13 March, 25:99 or 1,000,000k?", "?", "Agreed.", "Wilhelmina knows.", "¾ of ⅷ", "\u202e", "0x, €.5"]
)  # fmt: skip
_TEXTS = st.lists(_SENTENCES | st.text(max_size=40), max_size=3).map(" ".join)
_LINES = st.fixed_dictionaries(
    {"id": st.sampled_from(["q1", "q2"]), "room": st.sampled_from(["r1", "u1u2"]), "text": _TEXTS},
    optional={"sender": st.sampled_from(["sam.reed", "tomas.okafor"]) | _VALUES, "at": _VALUES, "mentions": _VALUES},
)
_NOTES = st.dictionaries(
    st.sampled_from(["facts", "reached", "locked", "unknown", "rules", "hours", "prompt", "promises"]),
    st.lists(st.sampled_from(["budget", "day", "agreed", "vendor", "approve"]), max_size=3) | _VALUES,
    max_size=4,
)
_TURNS = st.fixed_dictionaries(
    {"kind": st.just("turn"), "colleague": st.sampled_from(["Tomas Okafor", "Nobody Known"])},
    optional={
        "mind": st.sampled_from(["script", "llm"]) | _VALUES, "place": st.sampled_from(["direct messages", "#launch"]),
        "heard": st.lists(_LINES, max_size=3) | _VALUES, "said": st.lists(_TEXTS, max_size=3) | _VALUES,
        "how": _NOTES | _VALUES, "did": st.lists(st.just({"deed": "approve"}), max_size=1) | _VALUES,
        "thread": _VALUES, "fault": _VALUES,
    },
)  # fmt: skip
_CHAT = st.builds(chat, st.sampled_from(["q1", "q2", "a1"]), _TEXTS, st.text(max_size=8)) | _VALUES


@settings(max_examples=300, deadline=None)
@given(st.lists(_TURNS | _VALUES, max_size=5), st.lists(_CHAT, max_size=4), st.binary(max_size=30))
def test_no_evidence_makes_the_audit_fail_and_every_question_comes_to_one_thing(
    turns: list[Any], journal: list[Any], rest: bytes
) -> None:
    rows = read_turns([*(json.dumps(one).encode() for one in turns), rest])
    seen = read_journal(
        [*(json.dumps(one).encode() for one in journal), rest], {"u1": "sam.reed", "u2": "tomas.okafor"}
    )
    for found in audit([TOMAS], rows, seen, AROUND):
        counts = found.counts
        assert counts["asked"] == sum(counts.get(name, 0) for name in CAME_OF)
        assert all(count >= 0 for count in counts.values())
        assert found.turns == sum(one.colleague == found.name for one in rows)
        assert {one.kind for one in found.faults} <= {"withheld", "ignored", "contradicted"}
        json.dumps(found.as_dict())
