"""How long a model's conversation may be, where its maker says so."""

from __future__ import annotations

import pytest

from dayjob.llm.context_windows import WINDOWS, window_of

# As the makers' own pages on their models say.
SAID = {
    "gpt-4o": 128_000,
    "gpt-4o-mini": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4.1-mini": 1_047_576,
    "gpt-4.1-nano": 1_047_576,
    "gpt-5": 272_000,
    "gpt-5-mini": 272_000,
    "gpt-5-nano": 272_000,
    "gpt-5.1": 272_000,
    "gpt-5.2": 272_000,
    "claude-haiku-4-5": 200_000,
    "claude-sonnet-4-5": 200_000,
    "claude-opus-4-1": 200_000,
    "claude-opus-4-5": 200_000,
}


def test_every_window_that_is_known_is_the_one_its_maker_states() -> None:
    assert WINDOWS == SAID


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-2024-08-06", 128_000),
        ("claude-haiku-4-5-20251001", 200_000),
        ("openai/gpt-5.1", 272_000),
        ("proxy/openai/gpt-5.1", 272_000),
        ("anthropic/claude-opus-4-5-20251101", 200_000),
        ("gpt-4o-audio-preview", None),
        ("gpt-4o-2024-08-06-mine", None),
        ("gpt-4o-2024", None),
        ("gpt", None),
        ("", None),
    ],
)
def test_a_window_is_found_by_name_or_by_name_without_a_date_and_never_by_likeness(
    model: str, window: int | None
) -> None:
    assert window_of(model) == window
