"""What an entry of scenarios.json means, field by field, and where a problem in it lies."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dayjob.task.scenario import (
    EVENTS,
    Condition,
    Initiative,
    Problem,
    Rule,
    Scenario,
    ScenarioError,
    problems_in,
    read_scenarios,
    words,
)
from dayjob.task.secrecy import Secrets


def read(**entry: Any) -> Scenario:
    return read_scenarios({"Mara Lind": entry})["Mara Lind"]


def pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def test_an_empty_entry_knows_and_does_nothing() -> None:
    assert read() == Scenario("", "", (), Secrets(()), (), (), (0.0, 0.0), False, (), "")


def test_every_field_is_read() -> None:
    assert read(
        extra_info="Room 4.12.",
        strategy_hint="Be brief.",
        clarification_hint="Say why.",
        knows=["A fact.", "Another."],
        must_not_reveal=["blue heron", r"/\d{4}/", "//", "/x"],
        channels=["#launch", "random"],
        delay={"min": 1, "max": 2.5},
        typing=True,
        mind="script",
        script=[{"reply": "Hm?"}],
        initiates=[{"at": 3, "say": "Hello."}],
    ) == Scenario(
        "Room 4.12.",
        "Be brief.\nSay why.",
        ("A fact.", "Another."),
        Secrets(("blue heron", pattern(r"\d{4}"), "//", "/x")),
        (Rule(0, Condition(), ("Hm?",)),),
        (Initiative(0, "Hello.", "", 3, "", {}),),
        (1.0, 2.5),
        True,
        ("launch", "random"),
        "script",
    )


@pytest.mark.parametrize(("delay", "read_as"), [(0, (0.0, 0.0)), (2, (2.0, 2.0)), ({"min": 2, "max": 2}, (2.0, 2.0))])
def test_a_delay_is_a_number_or_two(delay: Any, read_as: tuple[float, float]) -> None:
    assert read(delay=delay).delay == read_as


@pytest.mark.parametrize(
    ("found", "rule"),
    [
        ({}, Rule(0, Condition(), ())),
        ({"reply": "One."}, Rule(0, Condition(), ("One.",))),
        ({"reply": ["One.", "Two."], "once": True, "then": "next"},
         Rule(0, Condition(), ("One.", "Two."), True, "next")),
        ({"on": {"topic": "Launch date"}}, Rule(0, Condition((("launch", "date"),)), ())),
        ({"on": {"topic": ["Launch", "the Budget"]}}, Rule(0, Condition((("launch",), ("the", "budget"))), ())),
        ({"on": {"pattern": r"T-\d"}}, Rule(0, Condition(pattern=pattern(r"T-\d")), ())),
        ({"on": {"first_contact": True}}, Rule(0, Condition(first_contact=True), ())),
        ({"on": {"from": "Sam Reed"}}, Rule(0, Condition(sender="Sam Reed"), ())),
        ({"on": {"in": "#launch"}}, Rule(0, Condition(place="#launch"), ())),
        ({"on": {"step": "leave"}}, Rule(0, Condition(step="leave"), ())),
    ],
)  # fmt: skip
def test_what_a_rule_says(found: dict[str, Any], rule: Rule) -> None:
    assert read(script=[found]).script == (rule,)


def test_rules_and_messages_are_numbered_from_the_first() -> None:
    found = read(script=[{}, {}], initiates=[{"at": 1, "say": "a"}, {"at": 2, "say": "b"}])
    assert [one.number for one in found.script] == [0, 1]
    assert [one.number for one in found.initiates] == [0, 1]


@pytest.mark.parametrize(
    ("after", "topic", "where"),
    [
        ("merge", "forge.event", {"action": "^accepted$", "kind": "^MergeRequest$"}),
        ("merge_request", "forge.event", {"action": "^opened$", "kind": "^MergeRequest$"}),
        ("push", "forge.event", {"action": "^pushed"}),
        ("issue", "forge.event", {"action": "^opened$", "kind": "^Issue$"}),
        ("issue_closed", "forge.event", {"action": "^closed$", "kind": "^Issue$"}),
        ("file", "drive.file", {}),
        ("message", "chat.message", {"new": "^True$"}),
        ("board.issue", "board.issue", {}),
        ({"event": "drive.file", "where": {"path": "report"}}, "drive.file", {"path": "report"}),
        ({"event": "drive.file"}, "drive.file", {}),
        ({"event": "push", "where": {"project": "site"}}, "forge.event", {"action": "^pushed", "project": "site"}),
        ({"event": "push", "where": {"action": "new"}}, "forge.event", {"action": "new"}),
    ],
)
def test_what_a_message_may_wait_for(after: Any, topic: str, where: dict[str, str]) -> None:
    (found,) = read(initiates=[{"after": after, "to": "#launch", "say": "Hello."}]).initiates
    assert found == Initiative(0, "Hello.", "#launch", None, topic, {key: pattern(text) for key, text in where.items()})


def test_every_event_with_a_name_of_its_own_is_in_the_table_above() -> None:
    assert set(EVENTS) == {"merge", "merge_request", "push", "issue", "issue_closed", "file", "message"}


@pytest.mark.parametrize(
    ("entry", "where", "sentence"),
    [
        ({"script": [{}, {"on": {"pattern": "("}}]}, "script.1.on.pattern", "'(' is not a pattern: "),
        ({"script": [{}, {"on": {"step": "never"}}]}, "script.1.on.step", "no rule leads to the step 'never'"),
        ({"script": [{"on": {"topic": ["fine", "?!"]}}]}, "script.0.on.topic", "a topic has no words"),
        ({"delay": {"min": 2, "max": 1.5}}, "delay", "min 2 is larger than max 1.5"),
        ({"initiates": [{"say": "x"}]}, "initiates.0", "it needs either 'at' or 'after', and not both"),
        (
            {"initiates": [{"say": "x", "after": "lunch"}]},
            "initiates.0.after",
            "there is no event 'lunch'; known: merge, merge_request, push, issue, issue_closed, file, message",
        ),
        (
            {"initiates": [{"say": "x", "after": {"event": "a.b", "where": {"path": "["}}}]},
            "initiates.0.after.where.path",
            "'[' is not a pattern: ",
        ),
        ({"must_not_reveal": ["x", "/(/"]}, "must_not_reveal.1", "'(' is not a pattern: "),
        (
            {"must_not_reveal": ["x1"], "script": [{}, {"reply": ["fine", "x1"]}]},
            "script.1.reply",
            "it reveals 'x1', which must_not_reveal forbids",
        ),
        ({"must_not_reveal": ["x1"], "knows": ["fine", "X 1"]}, "knows.1", "it reveals 'x1'"),
        (
            {"must_not_reveal": ["x1"], "initiates": [{"at": 1, "say": "a"}, {"at": 1, "say": "x1"}]},
            "initiates.1.say",
            "it reveals 'x1'",
        ),
    ],
)
def test_a_problem_says_whose_it_is_and_where(entry: dict[str, Any], where: str, sentence: str) -> None:
    scenarios = {"Tom Berg": {}, "Mara Lind": entry}
    (problem,) = problems_in(scenarios)
    assert str(problem).startswith(f"'Mara Lind', {where}: {sentence}")
    with pytest.raises(ScenarioError) as refused:
        read_scenarios(scenarios)
    assert str(refused.value) == f"scenarios.json cannot be used: {problem}."
    assert refused.value.problems == [problem]


def test_all_problems_are_told() -> None:
    found = problems_in({"Mara Lind": {"delay": {"min": 2, "max": 1}, "initiates": [{"say": "x"}]}})
    assert [one.where for one in found] == [("initiates", "0"), ("delay",)]
    assert isinstance(found[0], Problem)


def test_a_step_that_some_rule_leads_to_is_none() -> None:
    rules = [{"on": {"step": "next"}, "reply": "b"}, {"reply": "a", "then": "next"}]
    assert problems_in({"Mara Lind": {"script": rules}}) == []


@pytest.mark.parametrize(
    ("text", "found"), [("The Launch-date, 4.12!", ["the", "launch", "date", "4", "12"]), ("", [])]
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found
