"""What a world has that a timeline may name: rooms, projects, cards, files, by the names of the world's own files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.board.store.projects import DEFAULT_STATES
from dayjob.company.drive.names import free_name, name_of, parent_of

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
Room = str | frozenset[str]
"""A channel (`#launch`), or the people of a direct room."""


@dataclass(slots=True)
class ProjectPlaces:
    """A project of the forge: its issues and merge requests (number → title), branches, and paths of any commit."""

    items: dict[str, dict[int, str]]
    branches: set[str]
    paths: set[str]
    bundled: bool
    """Its repository is a bundle, whose files are not read here."""
    default_branch: str
    merged: set[int]
    """The merge requests that are merged."""


@dataclass(slots=True)
class Places:
    """Everything by name."""

    channels: set[str] = field(default_factory=lambda: {"general"})
    messages: dict[tuple[Room, str], list[str]] = field(default_factory=dict)
    """What each person wrote in each room."""
    private: dict[str, set[str]] = field(default_factory=dict)
    """The private channels, each with who is in it."""
    projects: dict[str, ProjectPlaces] = field(default_factory=dict)
    cards: dict[str, set[str]] = field(default_factory=dict)
    """Each card (`SOW-3`) with the columns of its project."""
    card_members: dict[str, set[str]] = field(default_factory=dict)
    """Each card with who is in its project."""
    drives: dict[str, dict[str, bool]] = field(default_factory=dict)
    """What each person sees, their own and what is shared with them: each path, and whether it is a folder."""
    shares: set[tuple[str, str, str]] = field(default_factory=set)
    """Who shares which path with whom."""

    def room(self, name: str, who: str) -> Room:
        """The room that `#channel` or `@username` is for somebody."""
        return name if name.startswith("#") else frozenset({name[1:], who})


def places_of(sections: Mapping[str, Any]) -> Places:
    """From what the services have read of their own files."""
    found = Places()
    for place in sections["chat"].places:
        if place.name:
            found.channels.add(str(place.name))
            if place.kind == "p":
                found.private[str(place.name)] = {*place.members, *([place.owner] if place.owner else [])}
        room = f"#{place.name}" if place.name else frozenset(place.members)
        for line in place.lines:
            for message in (line, *line.replies):
                found.messages.setdefault((room, message.author), []).append(message.text)
    found.projects = {f"{one.group}/{one.path}": _project(one) for one in sections["forge"].projects}
    _drives(found, sections["drive"])
    for project in sections["board"].projects:
        _cards(found, project.facts, set(project.members))
    return found


def _project(project: Any) -> ProjectPlaces:
    items = {
        "issue": {one.number: one.title for one in project.issues},
        "merge_request": {one.number: one.title for one in project.merge_requests},
    }
    from dayjob.company.forge.world.bundles import BadBundle, read_bundle

    branches = {project.default_branch, *(commit.branch for commit in project.history)}
    if project.bundle is not None:
        with suppress(BadBundle):  # told already, by whoever read the project
            branches.update(read_bundle(project.bundle).branches)
    paths = {path for commit in project.history for path, content in commit.files.items() if content is not None}
    merged = {one.number for one in project.merge_requests if one.state == "merged"}
    return ProjectPlaces(items, branches, paths, project.bundle is not None, project.default_branch, merged)


def _drives(found: Places, drive: Any) -> None:
    for account in drive.accounts:
        files = drive.files.get(account.username, {})
        found.drives[account.username] = {path: source is None for path, source in files.items()}
    taken = {who: {name_of(path) for path in paths if parent_of(path) == "/"} for who, paths in found.drives.items()}
    for share in drive.shares:
        recipients: Iterable[str] = (*share.people, *(found.drives if share.everyone else ()))
        found.shares |= {(share.owner, share.path, who) for who in share.people}
        for who in recipients:
            if who == share.owner or who not in taken:
                continue
            name = free_name(name_of(share.path), taken[who])
            taken[who].add(name)
            for path, source in drive.files.get(share.owner, {}).items():
                if path == share.path or path.startswith(f"{share.path}/"):
                    found.drives[who][f"/{name}{path.removeprefix(share.path)}"] = source is None


def _cards(found: Places, facts: Any, members: set[str]) -> None:
    identifier = str(facts.get("identifier", ""))
    named = [one if isinstance(one, str) else one.get("name") for one in facts.get("states") or []]
    states = {str(one) for one in named} or {str(one[0]) for one in DEFAULT_STATES}
    items = facts.get("items") or []
    last = 0
    for item in items if isinstance(items, list) else []:
        own = item.get("number") if isinstance(item, dict) else None
        last = own if isinstance(own, int) else last + 1
        found.cards[f"{identifier}-{last}"] = states
        found.card_members[f"{identifier}-{last}"] = members
