"""What a world has that a timeline may name: channels, projects, cards and columns, by the names of its own files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.board.store.projects import DEFAULT_STATES

EVENTS: dict[str, tuple[str, dict[str, str]]] = {
    "message": ("chat.message", {"new": "True"}),
    "push": ("forge.event", {"action": "pushed"}),
    "issue": ("forge.event", {"action": "opened", "kind": "Issue"}),
    "issue_closed": ("forge.event", {"action": "closed", "kind": "Issue"}),
    "merge_request": ("forge.event", {"action": "opened", "kind": "MergeRequest"}),
    "merge": ("forge.event", {"action": "accepted", "kind": "MergeRequest"}),
    "file": ("drive.file", {}),
    "share": ("drive.share", {}),
}
"""What `after` can name: the topic the company tells it by, and how such a telling begins."""


@dataclass(slots=True)
class Places:
    """Everything by name; a project's issues and merge requests by number."""

    channels: set[str] = field(default_factory=lambda: {"general"})
    projects: dict[str, tuple[set[int], set[int]]] = field(default_factory=dict)
    cards: dict[str, set[str]] = field(default_factory=dict)
    """Each card (`SOW-3`) with the columns of its project."""
    files: set[str] = field(default_factory=set)
    """The paths of files and folders in the drives of their owners; others may see them elsewhere, by their end."""


def places_of(sections: Mapping[str, Any]) -> Places:
    """From what the services have read of their own files."""
    found = Places()
    found.channels.update(str(place.name) for place in sections["chat"].places if place.name)
    for project in sections["forge"].projects:
        numbers = ({one.number for one in project.issues}, {one.number for one in project.merge_requests})
        found.projects[f"{project.group}/{project.path}"] = numbers
    found.files.update(f"/{path.strip('/')}" for owned in sections["drive"].files.values() for path in owned)
    for project in sections["board"].projects:
        identifier = str(project.facts.get("identifier", ""))
        named = [one if isinstance(one, str) else one.get("name") for one in project.facts.get("states") or []]
        states = {str(one) for one in named} or {str(one[0]) for one in DEFAULT_STATES}
        items = project.facts.get("items") or []
        last = 0
        for item in items if isinstance(items, list) else []:
            own = item.get("number") if isinstance(item, dict) else None
            last = own if isinstance(own, int) else last + 1
            found.cards[f"{identifier}-{last}"] = states
    return found
