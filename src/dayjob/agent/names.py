"""An agent's name as part of a file's name: `command:python agent.py {instruction}` has spaces, slashes and braces."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[\w.:-]{1,60}")


def slug(agent: str) -> str:
    """The same for the same agent, different for different ones, and safe in a path."""
    if _PLAIN.fullmatch(agent):
        return agent.replace(":", "-")
    readable = re.sub(r"[^\w.-]+", "-", agent).strip("-.")[:40]
    return f"{readable}-{hashlib.sha256(agent.encode()).hexdigest()[:8]}"
