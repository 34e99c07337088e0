"""A scripted model answers by its rules, in order, and a bad script is refused with the rule's number."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.llm.script_file import Conversation, ScriptError, parse_script


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
    action = parse_script({"rules": [{"when": {"last": "x"}, "say": "y"}]}).answer(asked("Where is it?"))
    assert action.status == 400
    assert "Where is it?" in action.message


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
