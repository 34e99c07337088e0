"""A scripted model answers by its rules, in order, and a bad script is refused with the rule's number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.script_file import Action, Conversation, ScriptError, load_script, parse_script


def asked(last: str, *, system: str = "", turn: int = 1, model: str = "m") -> Conversation:
    return Conversation(model, system, last, f"{system}\n{last}", turn)


def test_the_first_rule_that_applies_and_is_not_used_up_answers() -> None:
    script = parse_script(
        {
            "rules": [
                {"when": {"last": "budget"}, "say": "Once only.", "once": True},
                {"when": {"last": "budget", "turn": 2}, "say": "Second turn."},
                {"when": {"system": "You are (?P<who>[A-Z]\\w+)"}, "say": "I am ${who}; ${other}."},
                {"when": {"model": "small"}, "json": {"size": "small"}},
                {"say": "Otherwise."},
            ]
        }
    )
    assert script.answer(asked("The BUDGET?")).text == "Once only."
    assert script.answer(asked("The budget?")).text == "Otherwise."
    assert script.answer(asked("The budget?", turn=2)).text == "Second turn."
    assert script.answer(asked("Hi", system="You are Mara.")).text == "I am Mara; ${other}."
    assert script.answer(asked("Hi", model="small-1")).text == '{"size": "small"}'


def test_a_question_no_rule_answers_is_an_error_that_shows_it() -> None:
    script = parse_script({"rules": [{"when": {"last": "x"}, "say": "y"}]})
    action = script.answer(asked("Where is it?"))
    assert action.status == 400
    assert "Where is it?" in action.message


@pytest.mark.parametrize(("length", "shown"), [(200, "y" * 200), (201, "y" * 200 + "…")])
def test_a_long_question_is_shown_in_part(length: int, shown: str) -> None:
    action = parse_script({"rules": []}).answer(asked("y" * length))
    assert f"answers this: {shown!r}." in action.message


@pytest.mark.parametrize(
    ("when", "conversation", "applies"),
    [
        ({"last": "^second$"}, asked("first\nSECOND"), True),
        ({"last": "first.*second"}, asked("first\nsecond"), True),
        ({"last": "alone"}, asked("x", system="alone"), False),
        ({"system": "alone"}, asked("x", system="not ALONE"), True),
        ({"system": "alone"}, asked("alone"), False),
        ({"anywhere": "alone"}, asked("x", system="alone"), True),
        ({"anywhere": "alone"}, asked("alone"), True),
        ({"model": "small"}, asked("x", model="so-Small-1"), True),
        ({"model": "small"}, asked("small"), False),
        ({"turn": 1}, asked("x"), True),
        ({"turn": 1}, asked("x", turn=2), False),
        ({"turn": 2, "last": "x"}, asked("x", turn=2), True),
        ({"turn": 2, "last": "y"}, asked("x", turn=2), False),
        ({"last": "x", "system": "y"}, asked("x"), False),
        ({"last": 17}, asked("at 17:00"), True),
        (None, asked("x"), True),
    ],
)
def test_a_rule_applies_where_all_it_names_is_found(when: Any, conversation: Conversation, applies: bool) -> None:
    script = parse_script({"rules": [{"when": when, "say": "It does."}]})
    assert (script.answer(conversation).text == "It does.") is applies


@pytest.mark.parametrize(("times", "answers"), [({}, 5), ({"once": True}, 1), ({"once": False}, 5), ({"times": 3}, 3)])
def test_a_rule_is_used_as_often_as_it_says(times: dict[str, Any], answers: int) -> None:
    script = parse_script({"rules": [{"say": "Again.", **times}]})
    for one in (script.fresh(), script.fresh()):
        assert [one.answer(asked("x")).text for _ in range(5)].count("Again.") == answers


@pytest.mark.parametrize(
    ("does", "action"),
    [
        ({"say": "Hi ${who}, ${found_nothing}"}, Action("Hi Mara, ")),
        ({"say": 17}, Action("17")),
        ({"json": {"to": ["${who}"], "n": 1, "ü": None}}, Action('{"to": ["Mara"], "n": 1, "ü": null}')),
        ({"call": {"name": "bash", "arguments": {"x": "${who}"}}}, Action("", (("bash", '{"x": "Mara"}'),))),
        ({"call": [{"name": "a"}, {"name": "b", "arguments": {"n": 2}}]}, Action("", (("a", "{}"), ("b", '{"n": 2}')))),
        ({"say": "Look.", "call": {"name": "a"}}, Action("Look.", (("a", "{}"),))),
        ({"fault": "drop"}, Action("This answer never arrives whole.", fault="drop")),
        ({"fault": "half", "say": "Half ${who}"}, Action("Half Mara", fault="half")),
        ({"fault": {"status": "503"}}, Action(status=503, message="The script says so.")),
        (
            {"fault": {"status": 429, "retry_after": 0, "message": "Wait"}},
            Action(status=429, message="Wait", retry_after=0.0),
        ),
        (
            {"say": "x", "delay": 1, "chunk_delay": "0.5", "cut_short": True},
            Action("x", delay=1.0, chunk_delay=0.5, cut_short=True),
        ),
        ({"say": "x", "cut_short": "yes"}, Action("x")),
        ({"say": "x", "usage": {"prompt": 3, "completion": "4"}}, Action("x", usage=(3, 4))),
        (
            {"fault": "short", "delay": 2, "usage": {"prompt": 1, "completion": 2}},
            Action("This answer never arrives whole.", fault="short", delay=2.0, usage=(1, 2)),
        ),
        ({"fault": {"status": 500}, "delay": 3}, Action(status=500, message="The script says so.", delay=3.0)),
    ],
)
def test_what_a_rule_does(does: dict[str, Any], action: Action) -> None:
    script = parse_script({"rules": [{"when": {"system": r"for (?P<who>\w+)(?P<found_nothing>\d)?"}, **does}]})
    assert script.answer(asked("x", system="for Mara")) == action


def test_names_that_no_pattern_has_are_left_as_they_are() -> None:
    assert parse_script({"rules": [{"say": "${who}"}]}).answer(asked("x")).text == "${who}"


def test_a_script_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "model.yml"
    file.write_text("format: 1\nrules: [{say: Grüße}]\n", "utf-8")
    assert load_script(file).answer(asked("x")).text == "Grüße"
    file.write_text("rules: [", "utf-8")
    with pytest.raises(ScriptError, match=r"model\.yml cannot be read as YAML: .*line 1"):
        load_script(file)
    with pytest.raises(ScriptError, match=r"none\.yml cannot be read"):
        load_script(tmp_path / "none.yml")
    file.write_text("rules: [{}]", "utf-8")
    with pytest.raises(ScriptError, match=r"model\.yml: rule 1 does nothing: give it one of say, json, call, fault\."):
        load_script(file)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (None, "a list of 'rules'"),
        ({"format": 9, "rules": []}, "has format 9"),
        ({"rules": [{"say": "a"}, 3]}, "rule 2 must be a mapping"),
        ({"rules": [{"when": {}}]}, "rule 1 does nothing"),
        ({"rules": [{"speak": "a", "say": "b"}]}, "'speak' means nothing here"),
        ({"rules": [{"when": {"last": "("}, "say": "a"}]}, "is not a pattern"),
        ({"rules": [{"when": {"topic": "x"}, "say": "a"}]}, "'when.topic' means nothing"),
        ({"rules": 3}, "a list of 'rules'"),
        ([], "a list of 'rules'"),
        (
            {"rules": [{"when": ["last"], "say": "a"}]},
            "'when' must be a mapping of last, anywhere, system, model, turn",
        ),
        ({"rules": [{"when": {"turn": 0}, "say": "a"}]}, "'when.turn' must be a number from 1"),
        ({"rules": [{"when": {"turn": "2"}, "say": "a"}]}, "'when.turn' must be a number from 1"),
        ({"rules": [{"when": {"turn": True}, "say": "a"}]}, "'when.turn' must be a number from 1"),
        ({"rules": [{"say": "a", "times": True}]}, "'times' must be a number from 1"),
        ({"rules": [{"say": "a", "times": "2"}]}, "'times' must be a number from 1"),
        ({"rules": [{"fault": {"message": "no status"}}]}, "cannot be played"),
        ({"rules": [{"call": "bash"}]}, "cannot be played"),
        ({"rules": [{"say": "a", "usage": {"prompt": 1}}]}, "cannot be played"),
        ({"rules": [{"fault": "explode"}]}, "there is no fault 'explode'"),
        ({"rules": [{"say": "a", "times": 0}]}, "'times' must be a number from 1"),
        ({"rules": [{"say": "a", "delay": "long"}]}, "cannot be played"),
        ({"rules": [{"call": {"arguments": {}}}]}, "cannot be played"),
    ],
)
def test_a_bad_script_is_refused(found: Any, sentence: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(found)
    assert sentence in str(caught.value)
