"""A line of a timeline as values, and how a snapshot keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = "timeline.yml"
COMPILED = "timeline.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody does one thing, once: at a moment, or so long after something happened."""

    mark: str
    """Its name: what it is known by once it has happened."""
    place: str
    """The file and line it stands on, for whoever must be told that it was refused."""
    who: str
    act: str
    facts: Mapping[str, Any]
    service: str
    at: str | None = None
    """When, as a stamp; None for what follows an event."""
    after: str = ""
    """The kind of event it follows, or `entry` for another line of the timeline."""
    where: Mapping[str, Any] = field(default_factory=dict)
    """What must be true of the event."""
    delay: float = 0.0
    """Seconds after the event."""


def write_compiled(entries: Sequence[Entry], folder: Path) -> None:
    """Into a snapshot; a world without a timeline has no such file."""
    if entries:
        text = json.dumps({"format": _FORMAT, "entries": [asdict(one) for one in entries]}, indent=1)
        (folder / COMPILED).write_text(text, "utf-8")


def read_compiled(folder: Path) -> list[Entry]:
    try:
        text = (folder / COMPILED).read_text("utf-8")
    except FileNotFoundError:
        return []
    return [Entry(**one) for one in json.loads(text)["entries"]]
