"""Chat's part of a world as values: rooms, the messages in them, settings and the administrator."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Attachment:
    """A file that a message carries: where its content is, and the name it has in the room."""

    path: Path
    name: str
    description: str | None


@dataclass(slots=True)
class Line:
    """A message of a world's history, with the replies to it."""

    author: str
    at: datetime
    text: str
    reactions: dict[str, list[str]]
    pinned: bool
    attachments: list[Attachment]
    replies: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """A room of a world: a channel (its name) or a direct room (no name)."""

    name: str | None
    kind: str
    members: list[str]
    owner: str | None
    lines: list[Line]
    roles: dict[str, list[str]] = field(default_factory=dict)
    """Who holds `owner`, `moderator` and `leader`. Where `owner` is missing, whoever made the room owns it."""
    topic: str | None = None
    announcement: str | None = None
    description: str | None = None
    read_only: bool = False
    default: bool = False
    archived: bool = False


@dataclass(slots=True)
class Section:
    """Everything chat reads from a world."""

    places: list[Place]
    settings: dict[str, Any]
    admin: dict[str, Any] | None
