"""The name somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence with a space before it that names the nearest of the known names; empty when none is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f" Did you mean '{near[0]}'?" if near else ""
