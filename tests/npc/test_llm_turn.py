"""What a model's reply is taken for: a turn, whatever stands around it, or nothing, and why."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.npc.llm_turn import LONGEST_MESSAGE, ModelTurn, parse_turn, split_message, text_in, turn_in


def reply(action: Any, message: Any = "", **more: Any) -> str:
    return json.dumps({"action": action, "message": message, **more})


YES, SILENT, BYE = reply("speak", "Yes."), reply("silent"), reply("leave", "Bye.")
SAYS_YES = ModelTurn("speak", "Yes.")

ACCEPTED: dict[str, tuple[str, ModelTurn]] = {
    "plain": (YES, SAYS_YES),
    "blank around it": (f"\n {YES} \n", SAYS_YES),
    "blank in it": (reply("speak", "  Yes. \n"), SAYS_YES),
    "silent": (SILENT, ModelTurn("silent")),
    "silent with blanks": (reply("silent", "  "), ModelTurn("silent")),
    "silent with null": (reply("silent", None), ModelTurn("silent")),
    "leave": (BYE, ModelTurn("leave", "Bye.")),
    "leave without a word": (reply("leave"), ModelTurn("leave")),
    "a json fence": (f"```json\n{YES}\n```", SAYS_YES),
    "a bare fence": (f"```\n{YES}\n ```", SAYS_YES),
    "a yaml fence": (f"```yaml\n{YES}\n```", SAYS_YES),
    "reasoning in front": (f"<think>They want a yes. {{maybe}}</think>\n{YES}", SAYS_YES),
    "reasoning with a draft": (f"<think>Perhaps {SILENT}?</think>{YES}", SAYS_YES),
    "reasoning without a beginning": (f"So {BYE} or not?\n</think>\n\n{YES}", SAYS_YES),
    "thoughts that never end": (f"<think>They want a yes. {YES}", SAYS_YES),
    "prose in front": (f"Sure, here is my reply:\n{YES}", SAYS_YES),
    "prose behind": (f"{YES}\nLet me know if you need more!", SAYS_YES),
    "prose and a fence": (f"Sure, here is:\n```json\n{YES}\n```\nDone.", SAYS_YES),
    "prose with braces": (f"The set {{a, b}} it is. {YES}", SAYS_YES),
    "the same twice": (f"{YES}\n{YES}", SAYS_YES),
    "further keys": (reply("speak", "Yes.", mood="good", thought="x"), SAYS_YES),
    "no action": ('{"message": "Yes."}', SAYS_YES),
    "a loud action": (reply(" Speak ", "Yes."), SAYS_YES),
    "within another object": (json.dumps({"reply": json.loads(YES)}), SAYS_YES),
    "within a list": (f"[{YES}]", SAYS_YES),
    "single quotes": ("{'action': 'speak', 'message': 'Yes.', 'facts': []}", ModelTurn("speak", "Yes.", ())),
    "single quotes and none": ("{'action': 'silent', 'message': None}", ModelTurn("silent")),
    "trailing commas": ('{"action": "speak", "message": "Yes.", "facts": ["a",],}', ModelTurn("speak", "Yes.", ("a",))),
    "a line break in a text": ('{"action": "speak", "message": "Yes.\nReally."}', ModelTurn("speak", "Yes.\nReally.")),
    "a message in parts": (reply("speak", ["Yes.", "No."]), ModelTurn("speak", "Yes.\n\nNo.")),
    "a turn in the message": (reply("speak", f"You wrote {BYE}"), ModelTurn("speak", f"You wrote {BYE}")),
    "longer than a message": (reply("speak", "x" * 9000), ModelTurn("speak", "x" * 9000)),
    "all of it": (
        reply("speak", "Yes.", facts=["a", "b"], promises=["I look at it"], do=["approve"]),
        ModelTurn("speak", "Yes.", ("a", "b"), ("I look at it",), ("approve",)),
    ),
    "lists that are none": (
        reply("speak", "Yes.", facts="a", promises=None, do={"approve": True}),
        ModelTurn("speak", "Yes.", ("a",), (), ("approve",)),
    ),
    "lists with other things": (reply("speak", "Yes.", facts=["a", 3, None, " "]), ModelTurn("speak", "Yes.", ("a",))),
}

REFUSED: dict[str, tuple[str | None, str]] = {
    "nothing": (None, "it has no text"),
    "blanks": (" \n", "it has no text"),
    "prose": ("Hello", "it is not one JSON object"),
    "braces": ("{" * 5000, "it is not one JSON object"),
    "a list": ("[]", "it is not one JSON object"),
    "other keys": ('{"answer": "x"}', "it is not one JSON object"),
    "half of one": (YES[:-4], "it is not one JSON object"),
    "two different ones": (f"{YES} {BYE}", "it is more than one JSON object"),
    "an apostrophe in single quotes": ("{'action': 'speak', 'message': 'It's so'}", "it is not one JSON object"),
    "another action": (reply("shout", "x"), "its action is none of speak, silent, leave"),
    "a number for a message": (reply("speak", 3), "its message is not text"),
    "an action and no message": ('{"action": "speak"}', "it speaks without a message"),
    "a message of blanks": (reply("speak", "  "), "it speaks without a message"),
    "silent and talking": (reply("silent", "x"), "it is silent and has a message"),
    "neither": ('{"message": ""}', "its action is none of speak, silent, leave"),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_what_is_unambiguous_is_accepted(kind: str) -> None:
    text, turn = ACCEPTED[kind]
    assert parse_turn(text) == turn


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_turn_says_what_it_is(kind: str) -> None:
    text, because = REFUSED[kind]
    with pytest.raises(ValueError, match=because):
        parse_turn(text)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"choices": [{"message": {"content": "Yes"}}]}, "Yes"),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "Y"}, {"text": "es"}]}}]}, "Yes"),
        ({"choices": [{"message": {"content": None}}]}, None),
        ({"choices": [{"message": {}}]}, None),
        ({"choices": [{}]}, None),
        ({"choices": []}, None),
        ({"choices": None}, None),
        ({}, None),
    ],
)
def test_an_answer_of_any_shape_has_words_or_none(answer: dict[str, Any], text: str | None) -> None:
    assert text_in(answer) == text


def test_an_answer_that_was_cut_short_is_none() -> None:
    with pytest.raises(ValueError, match="it was cut short"):
        turn_in({"choices": [{"message": {"content": YES}, "finish_reason": "length"}]})


@given(st.text(max_size=300))
def test_no_reply_makes_it_fail_in_another_way(text: str) -> None:
    for one in (text, "{" + text, YES + text, text + "}" + YES):
        with contextlib.suppress(ValueError):
            assert parse_turn(one).action in ("speak", "silent", "leave")


# -- long messages -----------------------------------------------------------------------------------------------


def test_a_message_that_chat_takes_stays_whole() -> None:
    assert split_message("x" * LONGEST_MESSAGE) == ("x" * LONGEST_MESSAGE,)
    assert split_message("Yes.") == ("Yes.",)
    assert split_message("") == ()


@pytest.mark.parametrize("between", ["\n\n", "\n", " "])
def test_a_long_message_is_split_where_it_pauses(between: str) -> None:
    sentence = "All of the sixty plants arrived in time and in good order."
    first, *rest = split_message(between.join([sentence] * 100))
    assert rest
    assert first.endswith("order.")
    assert all(one.startswith("All of") and one.endswith("order.") for one in rest)


@given(st.text(alphabet="ab. \n", max_size=400), st.integers(20, 60))
def test_nothing_of_a_long_message_is_lost(text: str, longest: int) -> None:
    parts = split_message(text, longest)
    assert all(0 < len(one) <= longest for one in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
