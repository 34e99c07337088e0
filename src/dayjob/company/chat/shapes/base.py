"""What all shapes have in common. Absent values are left out, as Rocket.Chat does."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def given(found: Json) -> Json:
    """Without the values that are None."""
    return {key: value for key, value in found.items() if value is not None}
