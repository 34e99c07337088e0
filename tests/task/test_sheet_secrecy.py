"""What a sheet's words give away too early, and what they may say."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dayjob.task.scenario import problems_in
from dayjob.task.secrecy import Guard, Secrets, figures, particulars, standing_nowhere

SHEET: dict[str, Any] = {
    "matter": ["release-77"],
    "facts": {
        "plain": {"says": "I am here until 16:40."},
        "number": {"says": "The commit 7731 counts, says Amelie Roux.", "tell": "after:agreed"},
        "price": {"says": "A crate is 40 EUR."},
        "sum": {"says": "It is 480 EUR in all.", "follows": ["price"]},
        "never": {"says": "It goes to the branch Quellwasser.", "tell": "never"},
    },
    "steps": {
        "agreed": {"needs": {"example": {"shown": ["fails"], "ask": ["Show me."]}}, "says": "Agreed, 7731 counts."},
        "later": {"heard": ["merged"], "after": ["agreed"], "says": "7731 it is."},
    },
    "reacts": {"thanks": ["Any time, until 16:40."]},
    "may": {"note": {"act": {"comment": {"project": "a/b", "merge_request": 1, "text": "x"}}, "when": "after:agreed"}},
}


def problems(*where: str, text: str, **more: Any) -> list[str]:
    sheet = {**copy.deepcopy(SHEET), **more}
    place: Any = sheet
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = text
    return [str(one) for one in problems_in({"Lena Fischer": sheet})]


def test_a_sheet_that_keeps_its_secrets_has_no_problem() -> None:
    assert problems("wants", text="The commit is in main.") == []


@pytest.mark.parametrize(
    ("where", "text", "found"),
    [
        (("reacts", "thanks"), "7731, thank you.", "'Lena Fischer', reacts.thanks: it gives away '7731'"),
        (("reacts", "done"), "Tell Amelie Roux.", "reacts.done: it gives away 'amelie'"),
        (("reacts", "done"), "Good, in Quellwasser.", "it gives away 'quellwasser'"),
        (("reacts", "done"), "480 EUR, then.", "it gives away '480'"),
        (("steps", "agreed", "needs", "example", "ask"), "What does 7,731 show?", "steps.agreed.needs.example"),
        (("steps", "agreed", "needs", "example", "why"), "Because of 7731.", "steps.agreed.needs.example"),
        (("steps", "later", "says"), "480 EUR, and merged.", "steps.later: it gives away '480'"),
        (("may", "note", "says"), "Noted: 480.", "may.note: it gives away '480'"),
    ],
)
def test_what_is_not_open_yet_is_not_in_what_is_said_before(where: tuple[str, ...], text: str, found: str) -> None:
    (problem,) = problems(*where, text=text)
    assert found in problem
    assert problem.endswith("which is not open then")


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (("reacts", "done"), "Until 16:40, for 40 EUR, and release-77."),
        (("may", "note", "says"), "Noted: 7731, by Amelie."),
        (("steps", "later", "says"), "Amelie has 7731 now."),
        (("steps", "agreed", "needs", "example", "ask"), "Show me the order on Monday, by 9."),
        (("facts", "plain", "says"), "Quellwasser is a branch."),
    ],
)
def test_what_is_open_is_said(where: tuple[str, ...], text: str) -> None:
    assert problems(*where, text=text) == []


@pytest.mark.parametrize(
    "where", [("facts", "price", "why"), ("reacts", "done"), ("steps", "later", "says"), ("may", "note", "says")]
)
def test_what_must_not_be_revealed_is_nowhere(where: tuple[str, ...]) -> None:
    (problem,) = problems(*where, text="It is Blue Heron.", must_not_reveal=["blue heron"])
    assert problem.endswith("it gives away what must_not_reveal forbids")


# -- figures and names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,240.00 and 1240 and 1 240 and 1.240,00", {"1240"}),
        ("in 2026 12 crates, 3 of 40", {"2026", "12", "40"}),
        ("7 of 12, at 16:40", {"12", "1640"}),
        ("by 2026-03-12", {"2026", "12"}),
        ("none", set()),
    ],
)
def test_figures_are_compared_in_one_spelling(text: str, found: set[str]) -> None:
    assert figures(text) == found


def test_names_are_words_with_a_capital_that_do_not_begin_a_sentence() -> None:
    assert particulars("The branch Quellwasser. Nobody knows it. Amelie Roux asked on Friday, OK?") == {
        "quellwasser", "amelie", "roux",
    }  # fmt: skip
    assert standing_nowhere("It is Quellwasser, 480.", ["the branch QUELLWASSER"]) == {"480"}


def test_a_guard_says_of_what_kind_a_leak_is() -> None:
    guard = Guard(
        Secrets(("heron",)), ("It goes to Quellwasser for 480.",), ("480 was said",), ("one two three four five six",)
    )
    assert guard.given_away_by("The Heron.") == "what must not be revealed"
    assert guard.given_away_by("So quellwasser it is") == "what is kept back"
    assert guard.given_away_by("480, as you say") is None
    assert guard.given_away_by("One, two, three, four, five, six!") == "the rules"
    assert Guard().given_away_by("Anything, 480.") is None
