"""Questions that are whole only with what was said before them, and whom a part of a message is for."""

from __future__ import annotations

import pytest

from dayjob.npc.addressing import said_to
from dayjob.npc.linking import corrected, last_question, linked
from dayjob.npc.persona import Persona
from dayjob.npc.understanding import understood

LENA, JONAS = Persona("Lena Fischer", "lena.fischer"), Persona("Jonas Weber", "jonas.weber")


def asked(text: str, before: str = "", *, answered: bool = False) -> list[str]:
    """The questions of a message as they are meant."""
    return [one.whole.text for one in linked(understood(text), before, answered=answered) if one.asks or one.corrects]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("The hall has forty seats. Is that right?", ["The hall has forty seats?"]),
        ("I would come on Friday. OK?", ["I would come on Friday, OK?"]),
        ("Then the last point, the rate. Which is it?", ["Which is it Then the last point, the rate?"]),
        ("One page is missing. What now?", ["What now One page is missing?"]),
        ("May I assume that it is Friday?", ["it is Friday?"]),
        ("Is it Friday? Do you?", ["Is it Friday?"]),
        ("When is it? I have time.", ["When is it?"]),
    ],
)
def test_a_question_takes_up_what_was_said_in_the_same_message(text: str, meant: list[str]) -> None:
    assert asked(text) == meant


@pytest.mark.parametrize(
    ("before", "text", "meant"),
    [
        ("How much was it in 2025?", "2026, sorry", ["How much was it in 2026?"]),
        ("What changes from July to September?", "Oops, April to June.", ["What changes from April to June?"]),
        ("Which state has TREL-61?", "sorry, TREL-16", ["Which state has TREL-16?"]),
        ("Who is the buddy for Nina Claes?", "Sorry, Nele Claes.", ["Who is the buddy for Nele Claes?"]),
        ("How much is it in March?", "and October", ["How much is it in October?"]),
        ("Which is your wish?", "same question to you", ["Which is your wish? same question to you"]),
        ("Which is your wish?", "and the plants", ["Which is your wish? and the plants"]),
        ("Which is your wish?", "I have put the plants out.", []),
    ],
)
def test_a_message_takes_up_what_was_asked_before(before: str, text: str, meant: list[str]) -> None:
    assert asked(text, before) == meant


def test_what_was_answered_is_asked_again_only_by_what_puts_it_right() -> None:
    assert asked("sorry, the blue one", "Which is it?", answered=True) == ["sorry, the blue one"]
    assert asked("sorry, in 2026", "Which is it in 2025?", answered=True) == ["Which is it in 2026?"]


def test_a_correction_says_whether_it_put_something_in_the_place_of_something() -> None:
    assert corrected("Is it free on Monday?", "Tuesday, I meant") == (True, "Is it free on Tuesday?")
    assert corrected("Is it free?", "the small one, sorry") == (False, "Is it free? the small one,")


def test_the_last_question_is_all_that_a_message_asks() -> None:
    assert (
        last_question("Hello. When is it? It is late. Could you open the door?")
        == "When is it? Could you open the door?"
    )
    assert last_question("It is late.") == ""


@pytest.mark.parametrize(
    ("text", "hers", "his"),
    [
        ("Both of you, when?", "Both of you, when?", "Both of you, when?"),
        (
            "@lena.fischer which day? @jonas.weber this is for your information.",
            "which day?",
            "this is for your information.",
        ),
        ("Hi Lena, Jonas! Which day?", "Hi Jonas! Which day?", "Hi Lena! Which day?"),
        ("Lena, is it open?\nJonas: and yours?", "is it open?", "and yours?"),
        ("And the rest, please, Lena.", "And the rest, please.", "And the rest, please, Lena."),
        ("Lena is away today, I hear.", "Lena is away today, I hear.", "Lena is away today, I hear."),
        (
            "@lena.fischer which? Everybody else: thank you.",
            "which?\nEverybody else: thank you.",
            "Everybody else: thank you.",
        ),
    ],
)
def test_each_hears_what_is_for_them(text: str, hers: str, his: str) -> None:
    heard = [said_to(text, one, (LENA, JONAS)).replace("\n", " ") for one in (LENA, JONAS)]
    assert heard == [hers.replace("\n", " "), his]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("each team is one line right", True),
        ("so it is Friday, correct", True),
        ("With the change the order is right.", False),
        ("That's right.", False),
        ("The total looks correct.", False),
    ],
)
def test_a_last_word_may_make_a_question(text: str, asks: bool) -> None:
    assert understood(text).any("asks") == asks
