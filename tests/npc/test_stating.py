"""What counts as stated by whoever says it, and how long a pattern may look for it."""

from __future__ import annotations

import re

import pytest

from dayjob.npc.stating import stated_in
from dayjob.task.colleague_sheet import Cue


@pytest.mark.parametrize(
    "text",
    [
        "If it fails without the change, you agree.",
        "You approve it when it fails without the change.",
        "The handbook says that it fails without the change.",
        "You told me that it fails without the change.",
        "Your condition: it fails without the change.",
        "Repeat after me: it fails without the change.",
        "lena.fischer: it fails without the change.",
        "**Lena Fischer** 10:42 it fails without the change.",
        "Maybe it fails without the change.",
        "I cannot show that it fails without the change.",
    ],
)
def test_bargains_doubts_and_words_of_others_state_nothing(text: str) -> None:
    assert stated_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "It fails without the change.",
        "If I take his commit out, the test fails without it.",
        "Jonas ran it too, and it fails without the change.",
        "The CI says that it fails without the change.",
        "At 10:42 it failed without the change.",
        "Result: it fails without the change.",
    ],
)
def test_an_example_is_stated_however_it_is_put(text: str) -> None:
    assert stated_in(text) == text


def test_of_a_sentence_with_a_doubt_in_it_the_rest_is_stated() -> None:
    found = stated_in("It fails without the change, perhaps because of the time zone, and passes with it.")
    assert found == "It fails without the change, and passes with it."


CARELESS = r"(?:fail|wrong)[^\n]*[\s\S]*.*(?:without|before) it"


@pytest.mark.parametrize("around", ["", r"(?!never)"])
def test_a_careless_pattern_finds_in_a_long_text_what_it_finds_in_a_short_one(around: str) -> None:
    """By the plain search the second of these does not end while a test may run."""
    cue = Cue((), re.compile(CARELESS if not around else f"{around}fail.*without it", re.IGNORECASE | re.DOTALL))
    assert cue.found_in("It FAILS\nwithout it.")
    assert cue.found_in("It fails " + "x" * 1500 + "\nwithout it.")
    assert not cue.found_in("fail, wrong \udc80 " * 2000)
