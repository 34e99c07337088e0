"""The script mind: when a rule applies, which one answers, and what is said. Tables, without a chat."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Briefing, Decision
from dayjob.npc.persona import Persona
from dayjob.npc.script_mind import ScriptMind, about, applies_to, filled
from dayjob.task.scenario import Condition, Rule, Scenario

MARA = Persona("Mara Lind", "mara.lind")


def line(text: str = "Hello", number: int = 1, sender: str = "sam.reed", name: str = "Sam Reed") -> Line:
    return Line(f"m{number}", "room", sender, name, text, number)


DIRECT = Conversation("r", "d", "general")
CHANNEL = Conversation("r", "c", "Launch")
MET = Conversation("r", "d", met={"sam.reed"})
ASKED = Conversation("r", "d", step="asked")


@pytest.mark.parametrize(
    ("on", "conversation", "text", "applies"),
    [
        (Condition(), DIRECT, "anything", True),
        (Condition(first_contact=True), DIRECT, "x", True),
        (Condition(first_contact=True), MET, "x", False),
        (Condition(first_contact=False), MET, "x", True),
        (Condition(sender="sam.reed"), DIRECT, "x", True),
        (Condition(sender="SAM.Reed"), DIRECT, "x", True),
        (Condition(sender="sam REED"), DIRECT, "x", True),
        (Condition(sender="sam"), DIRECT, "x", False),
        (Condition(step="asked"), ASKED, "x", True),
        (Condition(step="asked"), DIRECT, "x", False),
        (Condition(step="told"), ASKED, "x", False),
        (Condition(), ASKED, "x", True),
        (Condition(place="direct"), DIRECT, "x", True),
        (Condition(place="direct"), CHANNEL, "x", False),
        (Condition(place="channel"), CHANNEL, "x", True),
        (Condition(place="channel"), DIRECT, "x", False),
        (Condition(place="#launch"), CHANNEL, "x", True),
        (Condition(place="launch"), CHANNEL, "x", True),
        (Condition(place="#general"), CHANNEL, "x", False),
        (Condition(place="#general"), DIRECT, "x", False),
        (Condition(topics=(("launch", "date"),)), DIRECT, "The DATES of our launch", True),
        (Condition(topics=(("launch", "date"),)), DIRECT, "The launch", False),
        (Condition(topics=(("budget",), ("launch",))), DIRECT, "The launch", True),
        (Condition(topics=(("budget",), ("launch",))), DIRECT, "The lunch", False),
        (Condition(pattern=re.compile(r"T-\d+")), DIRECT, "see T-12", True),
        (Condition(pattern=re.compile(r"T-\d+")), DIRECT, "see T-x", False),
        (Condition(topics=(("see",),), pattern=re.compile(r"T-\d+")), DIRECT, "see T-x", False),
        (Condition(topics=(("look",),), pattern=re.compile(r"T-\d+")), DIRECT, "see T-12", False),
        (Condition(sender="sam.reed", step="asked", place="channel"), ASKED, "x", False),
        (Condition(sender="sam.reed", step="asked", place="direct"), ASKED, "x", True),
    ],
)
def test_when_a_rule_applies(on: Condition, conversation: Conversation, text: str, applies: bool) -> None:
    holds, found = applies_to(on, conversation, line(text))
    assert holds is applies
    assert (found is not None) is (applies and on.pattern is not None)


@pytest.mark.parametrize(
    ("text", "topic", "is_about"),
    [
        ("launches", ("launch",), True),
        ("relaunch", ("launch",), False),
        ("launch", ("launch", "launch"), True),
        ("", ("launch",), False),
        ("Prüfung", ("prüf",), True),
        ("STRASSE", ("straße",), False),
        ("well-known", ("known",), True),
    ],
)
def test_a_topic_is_a_set_of_beginnings_of_words(text: str, topic: tuple[str, ...], is_about: bool) -> None:
    assert about(text, topic) is is_about


@pytest.mark.parametrize(
    ("text", "said", "reply"),
    [
        ("Hi ${sender} (${username})", line(), "Hi Sam (sam.reed)"),
        ("Hi ${sender}", line(name=""), "Hi sam.reed"),
        ("${1}-${2}|${word}", line("see T-12"), "T-12|T"),
        ("${3} ${nothing}", line("see T-12"), " ${nothing}"),
        ("$sender {sender}", line(), "$sender {sender}"),
    ],
)
def test_what_a_reply_is_filled_with(text: str, said: Line, reply: str) -> None:
    found = re.search(r"(?P<word>T)-(\d+)(x)?", said.text)
    assert filled(text, said, found) == reply


def test_without_a_pattern_a_reply_knows_the_sender_alone() -> None:
    assert filled("${sender} ${1}", line(), None) == "Sam ${1}"


# -- which rule answers ------------------------------------------------------------------------------------------


def rule(number: int, *replies: str, once: bool = False, then: str = "", **on: Any) -> Rule:
    return Rule(number, Condition(**on), replies, once, then)


def topic(word: str) -> tuple[tuple[str, ...], ...]:
    return ((word,),)


def decided(rules: list[Rule], *texts: str, talk: Conversation | None = None, **scenario: Any) -> Decision:
    mind = ScriptMind(Briefing(MARA, Scenario(script=tuple(rules), **scenario)))
    return asyncio.run(mind.decide(talk or Conversation("r", "d"), [line(text, n) for n, text in enumerate(texts)]))


def test_the_first_rule_that_applies_answers_each_message() -> None:
    rules = [rule(0, "Budget.", topics=topic("budget")), rule(1, "Launch.", topics=topic("launch")), rule(2, "Hm?")]
    decision = decided(rules, "The launch budget?", "The launch?", "Else?")
    assert decision == Decision("speak", ("Budget.", "Launch.", "Hm?"), {"rules": [0, 1, 2], "step": ""})


def test_two_messages_about_one_thing_get_one_answer() -> None:
    decision = decided([rule(0, "A.", "B.")], "x", "y")
    assert (decision.messages, decision.how["rules"]) == (("A.", "B."), [0, 0])


def test_what_no_rule_answers_is_met_with_silence() -> None:
    decision = decided([rule(0, "A.", topics=topic("budget"))], "x")
    assert decision == Decision("silent", (), {"rules": [], "step": ""})
    assert decided([rule(0)], "x") == Decision("silent", (), {"rules": [0], "step": ""})


def test_a_rule_for_once_is_used_once_in_a_conversation() -> None:
    talk = Conversation("r", "d")
    rules = [rule(0, "First.", once=True), rule(1, "Then.")]
    assert decided(rules, "x", "y", talk=talk).messages == ("First.", "Then.")
    assert decided(rules, "z", talk=talk).messages == ("Then.",)
    assert decided(rules, "z").messages == ("First.",), "another conversation"


def test_steps_lead_from_rule_to_rule_and_stay_until_the_next() -> None:
    talk = Conversation("r", "d")
    rules = [rule(0, "Which?", then="asked", topics=topic("help")), rule(1, "That one.", step="asked"), rule(2, "Hm?")]
    assert decided(rules, "x", talk=talk) == Decision("speak", ("Hm?",), {"rules": [2], "step": ""})
    assert decided(rules, "help", talk=talk) == Decision("speak", ("Which?",), {"rules": [0], "step": "asked"})
    assert decided(rules, "x", "y", talk=talk) == Decision("speak", ("That one.",), {"rules": [1, 1], "step": "asked"})


def test_who_leaves_answers_nothing_after_it() -> None:
    rules = [rule(0, "Bye.", then="leave", topics=topic("bye")), rule(1, "Hm?")]
    assert decided(rules, "x", "bye", "z") == Decision("leave", ("Hm?", "Bye."), {"rules": [1, 0], "step": "leave"})


def test_first_contact_is_a_persons_first_message_whatever_came_of_it() -> None:
    talk = Conversation("r", "d")
    rules = [rule(0, "Welcome.", first_contact=True, topics=topic("hello")), rule(1, "Hm?", topics=topic("what"))]
    assert decided(rules, "x", "hello", talk=talk).messages == ()
    assert talk.met == {"sam.reed"}
    assert decided(rules, "hello", "hello").messages == ("Welcome.",)


# -- without rules -----------------------------------------------------------------------------------------------


def test_without_rules_what_may_be_shared_is_read_out_once() -> None:
    talk = Conversation("r", "d")
    shared: dict[str, Any] = {"extra_info": "Room 4.12.", "knows": ("Jonas has the key.",)}
    first = decided([], "x", "y", talk=talk, **shared)
    assert first == Decision(
        "speak", ("My notes on this: “Room 4.12.\nJonas has the key.”",), {"rules": [], "shares": "extra_info"}
    )
    again = decided([], "z", talk=talk, **shared)
    assert again == Decision("speak", ("That is all I know about it.",), {"rules": [], "shares": "extra_info"})


def test_without_rules_and_with_nothing_to_share_there_is_silence() -> None:
    assert decided([], "x") == Decision("silent", (), {"rules": []})
    assert decided([], "x", extra_info=" ") == Decision("silent", (), {"rules": []})
    assert decided([], "x", knows=("A fact.",)).messages == ("My notes on this: “A fact.”",)
