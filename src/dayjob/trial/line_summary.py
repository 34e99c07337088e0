"""What an outcome says of its score line, read back from a file that may have been anywhere."""

from __future__ import annotations

import math
from typing import Any

from dayjob.scoring import clean_reason

_WORDS, _FIGURES = ("file", "every"), ("points", "failed", "best", "held", "seconds")


def clean_line(said: object) -> dict[str, Any]:
    """Only the parts that are known, each of its kind."""
    if not isinstance(said, dict):
        return {}
    found: dict[str, Any] = {name: clean_reason(str(said[name])) for name in _WORDS if said.get(name) is not None}
    if "judge" in said:
        found["judge"] = said["judge"] is True
    for name in _FIGURES:
        value = said.get(name)
        known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if name in said:
            found[name] = value if known else None
    return found
