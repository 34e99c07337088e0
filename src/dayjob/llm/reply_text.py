"""What a model's reply says, without the fence that models add around its JSON unasked, and which model wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


def unfenced(text: Any) -> str | None:
    """None when the reply has no text."""
    if not isinstance(text, str):
        return None
    bare = text.strip()
    fenced = _FENCE.fullmatch(bare)
    return fenced[1] if fenced else bare


def served_by(answer: Mapping[str, Any]) -> str:
    """What a chat completion says it came from: the model's version, and the provider's fingerprint of it."""
    return " ".join(one for name in ("model", "system_fingerprint") if isinstance(one := answer.get(name), str))
