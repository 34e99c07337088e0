"""What scenarios.json may say, what a schema cannot see, and when a message is meant for somebody."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from dayjob.npc.hearing import Line, is_addressed
from dayjob.npc.persona import Persona
from dayjob.npc.script_mind import about
from dayjob.task import TaskError
from dayjob.task.model import load_scenarios
from dayjob.task.rules import Rule
from dayjob.task.scenario import problems_in, read_scenarios
from dayjob.task.schema import schema_error
from dayjob.task.secrecy import Secrets, copied_from

MARA = Persona("Mara Lindqvist", "mara.lindqvist")


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"Mara Lindqvist": {}},
        {"Mara Lindqvist": {"extra_info": "", "strategy_hint": ""}},
        {
            "Mara Lindqvist": {
                "extra_info": "x",
                "strategy_hint": "y",
                "knows": ["a fact"],
                "must_not_reveal": ["secret", "/sal[a]ry/"],
                "channels": ["#launch"],
                "delay": {"min": 1, "max": 2.5},
                "typing": True,
                "mind": "script",
                "script": [
                    {"on": {"topic": ["a b", "c"], "in": "direct", "from": "sam.reed"}, "reply": "r", "then": "next"},
                    {
                        "on": {"step": "next", "pattern": "x|y", "first_contact": False},
                        "reply": ["a", "b"],
                        "once": True,
                    },
                    {},
                ],
                "initiates": [
                    {"at": 3, "say": "hello"},
                    {"after": "merge", "to": "#launch", "say": "merged"},
                    {"after": {"event": "drive.file", "where": {"path": "report"}}, "say": "thanks"},
                ],
            }
        },
    ],
)
def test_what_may_be_written(found: dict[str, Any]) -> None:
    assert schema_error("scenarios.json", found) is None
    assert problems_in(found) == []
    assert read_scenarios(found).keys() == found.keys()


@pytest.mark.parametrize(
    "entry",
    [
        {"extra": "typo"},
        {"extra_info": 3},
        {"mind": "telepathy"},
        {"delay": -1},
        {"delay": {"min": 1}},
        {"knows": "not a list"},
        {"script": [{"reply": ""}]},
        {"script": [{"on": {"in": "kitchen"}}]},
        {"script": [{"when": {}}]},
        {"initiates": [{"at": 1}]},
        {"initiates": [{"say": "x", "at": "noon"}]},
    ],
)
def test_what_the_schema_refuses(entry: dict[str, Any]) -> None:
    assert schema_error("scenarios.json", {"Mara Lindqvist": entry}) is not None


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"script": [{"on": {"pattern": "("}}]}, "script.0.on.pattern: '(' is not a pattern"),
        ({"script": [{"on": {"step": "never"}}]}, "no rule leads to the step 'never'"),
        ({"script": [{"on": {"topic": "?!"}}]}, "a topic has no words"),
        ({"delay": {"min": 2, "max": 1}}, "delay: min 2 is larger than max 1"),
        ({"initiates": [{"say": "x"}]}, "either 'at' or 'after'"),
        ({"initiates": [{"say": "x", "at": 1, "after": "merge"}]}, "either 'at' or 'after'"),
        ({"initiates": [{"say": "x", "after": "lunch"}]}, "there is no event 'lunch'"),
        ({"must_not_reveal": ["/(/"]}, "'(' is not a pattern"),
        (
            {"must_not_reveal": ["14 March"], "script": [{"reply": "It is on the 14. march!"}]},
            "script.0.reply: it reveals '14 March'",
        ),
        ({"must_not_reveal": ["/sal[a]ry/"], "knows": ["The SALARY list"]}, "knows.0: it reveals '/sal[a]ry/'"),
        ({"must_not_reveal": ["x1"], "initiates": [{"at": 1, "say": "X1 it is"}]}, "initiates.0.say: it reveals"),
    ],
)
def test_what_only_a_closer_look_finds(entry: dict[str, Any], sentence: str) -> None:
    assert schema_error("scenarios.json", {"Mara Lindqvist": entry}) is None
    (problem,) = problems_in({"Mara Lindqvist": entry})
    assert sentence in str(problem)
    assert problem.colleague == "Mara Lindqvist"


def test_dayjob_check_takes_that_closer_look(tmp_path: Path) -> None:
    scenario = {"must_not_reveal": ["14 March"], "script": [{"reply": "It is 14 March."}]}
    (tmp_path / "scenarios.json").write_text(json.dumps({"Mara Lindqvist": scenario}), "utf-8")
    with pytest.raises(TaskError) as caught:
        load_scenarios(tmp_path)
    assert caught.value.finding.rule is Rule.SCENARIOS
    assert "'Mara Lindqvist': script.0.reply: it reveals '14 March'" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "addressed"),
    [
        ("Mara, can you help?", True),
        ("mara: ping", True),
        ("Hi Mara can you help?", True),
        ("Good morning, Mara Lindqvist", True),
        ("Thanks Mara", True),
        ("Mara?", True),
        ("What do you say, Mara?", True),
        ("@mara.lindqvist hello", True),
        ("Mara is on holiday", False),
        ("I asked Mara yesterday", False),
        ("Ask Mara", False),
        ("Maraschino, anyone?", False),
        ("hello all", False),
    ],
)
def test_who_is_called_by_name(text: str, addressed: bool) -> None:
    mentions = ("mara.lindqvist",) if text.startswith("@") else ()
    line = Line("1", "r", "sam.reed", "Sam Reed", text, 1, mentions=mentions)
    assert is_addressed(line, MARA, takes_part=False) is addressed


def test_a_topic_is_a_set_of_beginnings_of_words() -> None:
    assert about("The DATES of our launch", ("launch", "date"))
    assert not about("Update the launcher", ("launch", "date"))
    assert about("Prüfung", ("prüf",))


@pytest.mark.parametrize(
    "text",
    [
        "The code word is Blue Heron.",
        "b-l-u-e h.e.r.o.n",
        "ｂｌｕｅ　ｈｅｒｏｎ",
        "BLUEHERON",
        "noreh eulb, read it backwards",
        "oyhr ureba",
        base64.b64encode(b"it is: blue heron").decode(),
        "blue\u200bheron",
    ],
)
def test_a_secret_is_found_in_common_disguises(text: str) -> None:
    assert Secrets(("blue heron",)).revealed_by(text) == "blue heron"
    assert Secrets(("blue heron",)).revealed_by("A blue bird and a grey heron") is None


def test_a_run_of_words_from_a_private_text_is_found_unless_it_may_be_shared() -> None:
    private = "First say that you are busy, then send them to Jonas after the second question."
    assert copied_from("My hint: first say that you are busy, then …", [private])
    assert copied_from("first say, then send", [private]) is None
    assert copied_from("First say that you are busy", [private], [private]) is None


def test_a_hint_for_questions_is_more_of_the_private_briefing() -> None:
    both = {"Mara Lindqvist": {"strategy_hint": "Be brief.", "clarification_hint": "If asked why, say so."}}
    assert read_scenarios(both)["Mara Lindqvist"].strategy_hint == "Be brief.\nIf asked why, say so."
    alone = {"Mara Lindqvist": {"clarification_hint": "If asked why, say so."}}
    assert read_scenarios(alone)["Mara Lindqvist"].strategy_hint == "If asked why, say so."
