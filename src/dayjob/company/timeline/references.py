"""What a line of a timeline is about must be there by then: in the world, made by an earlier line, or told by an event.

An event that a line follows may be anybody's doing, so that it vouches for what it can be about: `after:
{merge_request: {title: header}}` for every merge request whose title fits. Where it cannot be known which of two lines
comes first, because they follow different events, either may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from dayjob.company.drive.names import name_of, parent_of
from dayjob.company.expressions import expression
from dayjob.company.timeline.model import Entry
from dayjob.company.timeline.places import Places
from dayjob.nearest import did_you_mean

Missing = tuple[str, str, str]
"""The key of the act that is about nothing, a sentence, and what to do."""
_ABOUT = {
    "issue": ("issue", "issue_closed"), "merge_request": ("merge_request", "merge"),
    "branch": ("push", "merge_request"), "file": ("file", "share"), "share": ("share",), "message": ("message",),
}  # fmt: skip
"""The events that vouch for a kind of thing."""


class References:
    """The lines of one timeline, in the order they happen as far as that can be known."""

    def __init__(self, places: Places, entries: Sequence[Entry]) -> None:
        self._places = places
        self._entries = entries
        self._by_mark = {one.mark: one for one in entries}
        self._number = {one.mark: number for number, one in enumerate(entries)}

    def missing(self, one: Entry) -> Iterator[Missing]:
        """What a line names that is not there."""
        match one.act:
            case "edit":
                yield from self._message(one)
            case "push":
                yield from self._pushed(one)
            case "open" if "merge_request" in one.facts:
                yield from self._branches(one, "source", "target")
            case "close" | "reopen" | "merge" | "approve" | "review" | "assign" | "comment" if "card" not in one.facts:
                yield from self._item(one)
            case "upload":
                yield from self._folder(one)
            case "share" | "rename":
                yield from self._path(one)
            case "unshare":
                yield from self._shared(one)

    # -- order ---------------------------------------------------------------------------------------------------

    def _way(self, one: Entry) -> list[Entry]:
        """The line, the one it follows, and so on to one with a moment or an event."""
        way = [one]
        while way[-1].after == "entry":
            before = self._by_mark.get(way[-1].where["mark"])
            if before is None or before in way:
                break
            way.append(before)
        return way

    def _moment(self, one: Entry) -> tuple[str, float]:
        """What its time is counted from ("" is the calendar), and the seconds since."""
        way = self._way(one)
        seconds = sum(each.delay for each in way)
        first = way[-1]
        return ("", seconds + datetime.fromisoformat(first.at).timestamp()) if first.at else (first.mark, seconds)

    def _earlier(self, one: Entry, *acts: str) -> list[Entry]:
        """Lines with such an act that come before it, or may."""
        return [other for other in self._entries if other.act in acts and self._comes_before(other, one)]

    def _comes_before(self, other: Entry, one: Entry) -> bool:
        if other in self._way(one)[1:]:
            return True
        if other is one or one in self._way(other):
            return False
        (root, seconds), (other_root, other_seconds) = self._moment(one), self._moment(other)
        here, there = (seconds, self._number[one.mark]), (other_seconds, self._number[other.mark])
        return root != other_root or there < here

    def _vouched(self, one: Entry, kind: str, title: str | None = None) -> bool:
        """An event that it or an earlier line follows can be about the thing."""
        for other in self._entries:
            if other.after not in _ABOUT[kind] or not (other is one or self._comes_before(other, one)):
                continue
            where = other.where
            if kind == "message" and (where.get("in", one.facts["in"]), where.get("by", one.who)) != (
                one.facts["in"], one.who,
            ):  # fmt: skip
                continue
            if where.get("project", one.facts.get("project")) != one.facts.get("project"):
                continue
            if (
                kind in ("file", "share")
                and name_of(str(where.get("path", one.facts["path"]))) not in one.facts["path"]
            ):
                continue
            if title is None or "title" not in where or expression(where["title"], ignore_case=True).found_in(title):
                return True
        return False

    # -- chat ----------------------------------------------------------------------------------------------------

    def _message(self, one: Entry) -> Iterator[Missing]:
        room, was = one.facts["in"], one.facts["was"]
        texts = list(self._places.messages.get((self._places.room(room, one.who), one.who), ()))
        made = self._earlier(one, "post", "edit")
        texts += [other.facts["text"] for other in made if (other.facts["in"], other.who) == (room, one.who)]
        if not any(was in text for text in texts) and not self._vouched(one, "message"):
            fix = "Write words that stand in a message of theirs, or post it in a line before."
            yield "was", f"{one.who} has no message with '{was}' in {room} by then.", _near(was, texts, fix)

    # -- the forge -----------------------------------------------------------------------------------------------

    def _branches(self, one: Entry, *keys: str) -> Iterator[Missing]:
        project = one.facts["project"]
        known = set(self._places.projects[project].branches)
        for other in self._earlier(one, "push"):
            if other.facts["project"] == project and "branch" in other.facts:
                known.add(other.facts["branch"])
        for key in keys:
            name = one.facts.get(key)
            if name is not None and name not in known and not self._vouched(one, "branch"):
                fix = "Push to it in a line before, or name one of the world's."
                yield key, f"{project} has no branch '{name}' by then.", _near(name, known, fix)

    def _pushed(self, one: Entry) -> Iterator[Missing]:
        yield from self._branches(one, "from")
        project = self._places.projects[one.facts["project"]]
        known = set(project.paths)
        for other in self._earlier(one, "push"):
            if other.facts["project"] == one.facts["project"]:
                known |= {path for path, content in other.facts["files"].items() if content is not None}
        for path, content in one.facts["files"].items():
            if content is None and path not in known and not project.bundled and not self._vouched(one, "branch"):
                fix = _near(path, known, "Name a file that is there.")
                yield "files", f"{one.facts['project']} has no file '{path}' to delete by then.", fix

    def _item(self, one: Entry) -> Iterator[Missing]:
        kind = "issue" if "issue" in one.facts else "merge_request"
        project, which = one.facts["project"], one.facts[kind]
        known = self._places.projects[project].items[kind]
        opened = [
            other.facts[kind]
            for other in self._earlier(one, "open")
            if other.facts["project"] == project and kind in other.facts
        ]
        words = f"{project} has no {kind.replace('_', ' ')}"
        if isinstance(which, int):
            if (
                which not in known
                and not 0 < which <= max(known, default=0) + len(opened)
                and not self._vouched(one, kind)
            ):
                yield kind, f"{words} {which} by then.", f"It has {', '.join(map(str, sorted(known)[:10])) or 'none'}."
            return
        titles = [*known.values(), *opened]
        if which not in titles and not self._vouched(one, kind, which):
            fix = "Write its whole title, open it in a line before, or let this line follow the event that opens it."
            yield kind, f"{words} '{which}' by then.", _near(which, titles, fix)

    # -- the drive -----------------------------------------------------------------------------------------------

    def _seen(self, one: Entry) -> set[str]:
        """What the person sees in their drive: their own, what is shared with them, and what lines before it bring."""
        seen = set(self._places.drives.get(one.who, ()))
        for other in self._earlier(one, "upload"):
            path = other.facts["path"]
            if other.who == one.who or parent_of(path) in seen:
                seen.add(path)
        for other in self._earlier(one, "share"):
            if other.facts["with"] == one.who:
                shared = other.facts["path"]
                below = (path for path in self._places.drives.get(other.who, ()) if path.startswith(f"{shared}/"))
                seen |= {f"/{name_of(shared)}{path.removeprefix(shared)}" for path in (shared, *below)}
        return seen

    def _path(self, one: Entry) -> Iterator[Missing]:
        seen, path = self._seen(one), one.facts["path"]
        if path not in seen and not self._vouched(one, "file"):
            fix = "Upload it in a line before, or correct the path."
            yield "path", f"{one.who} has no '{path}' in the drive by then.", _near(path, seen, fix)

    def _folder(self, one: Entry) -> Iterator[Missing]:
        seen, folder = self._seen(one), parent_of(one.facts["path"])
        if folder != "/" and folder not in seen and not self._vouched(one, "file"):
            fix = "Put the folder into the world (a file .gitkeep keeps an empty one), or correct the path."
            yield "path", f"{one.who} has no folder '{folder}' in the drive by then.", _near(folder, seen, fix)

    def _shared(self, one: Entry) -> Iterator[Missing]:
        wanted = (one.who, one.facts["path"], one.facts["with"])
        made = {(other.who, other.facts["path"], other.facts["with"]) for other in self._earlier(one, "share")}
        if wanted not in self._places.shares and wanted not in made and not self._vouched(one, "share"):
            sentence = f"{one.who} does not share '{wanted[1]}' with {wanted[2]} by then."
            yield "path", sentence, "Share it in a line before, or in drive/shares.yml."


def _near(name: str, known: Sequence[str] | set[str], otherwise: str) -> str:
    return did_you_mean(name, sorted(known)).strip() or otherwise
