"""What a model's reply says once the fence around its JSON, which models add unasked, is gone."""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


def unfenced(text: Any) -> str | None:
    """None when the reply has no text."""
    if not isinstance(text, str):
        return None
    bare = text.strip()
    fenced = _FENCE.fullmatch(bare)
    return fenced[1] if fenced else bare
