"""How many tokens a model's conversation may have, for models whose makers say so. Unknown is unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping

_RELEASE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")

WINDOWS: Mapping[str, int] = {
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


def window_of(model: str) -> int | None:
    """By name, or by name without a release date."""
    plain = model.rpartition("/")[2]
    return WINDOWS.get(plain, WINDOWS.get(_RELEASE.sub("", plain)))
