"""What a line of a timeline is about must be there by then: in the world, made by an earlier line, or told by an event.

An event that a line follows may be anybody's doing, so that it vouches for what it can be about: `after:
{merge_request: {title: header}}` for every merge request whose title fits. Where it cannot be known which of two lines
comes first, because they follow different events, either may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dayjob.company.drive.names import name_of, parent_of
from dayjob.company.expressions import expression
from dayjob.company.timeline.drives import Drives
from dayjob.company.timeline.model import Entry
from dayjob.company.timeline.order import Order
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
        self._order = Order(entries)

    def missing(self, one: Entry) -> Iterator[Missing]:
        """What a line names that is not there, or not as it must be."""
        if one.act in ("post", "edit", "invite") and (missing := list(self._room(one))):
            yield from missing
            return
        match one.act:
            case "edit":
                yield from self._message(one)
            case "channel":
                yield from self._new_channel(one)
            case "assign" if "card" in one.facts:
                yield from self._in_project_of_card(one)
            case "push":
                yield from self._pushed(one)
            case "open" if "merge_request" in one.facts:
                yield from self._branches(one, "source", "target")
                target = one.facts.get("target") or self._places.projects[one.facts["project"]].default_branch
                if one.facts["source"] == target:
                    yield "source", f"'{target}' cannot be merged into itself.", "Name the branch to be merged."
            case "close" | "reopen" | "merge" | "approve" | "review" | "assign" | "comment" if "card" not in one.facts:
                yield from self._item(one)
            case "upload":
                yield from self._folder(one)
            case "share" | "rename":
                yield from self._path(one)
            case "unshare":
                yield from self._shared(one)

    # -- events --------------------------------------------------------------------------------------------------

    def _vouched(self, one: Entry, kind: str, title: str | None = None) -> bool:
        """An event that it or an earlier line follows can be about the thing."""
        for other in self._entries:
            if other.after not in _ABOUT[kind] or not (other is one or self._order.comes_before(other, one)):
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

    def _room(self, one: Entry) -> Iterator[Missing]:
        """A channel must have been made, and who acts in a private one must be in it."""
        room = one.facts["in"]
        if not room.startswith("#") or any(
            other.after == "message" and other.where.get("in", room) == room
            for other in self._entries
            if other is one or self._order.comes_before(other, one)
        ):
            return
        made = [other for other in self._order.earlier(one, "channel") if f"#{other.facts['name']}" == room]
        if room[1:] not in self._places.channels and not made:
            yield "in", f"There is no channel {room} by then.", "Let the line that makes it come before."
            return
        inside = set(self._places.private.get(room[1:], ()))
        for other in made:
            inside |= {other.who, *other.facts.get("members", ())} if other.facts.get("private") else set()
        inside |= {other.facts["with"] for other in self._order.earlier(one, "invite") if other.facts["in"] == room}
        private = room[1:] in self._places.private or any(other.facts.get("private") for other in made)
        if private and one.who not in inside:
            fix = "Invite them in a line before, or let somebody who is in it do this."
            yield "in", f"{one.who} is not in the private channel {room} by then.", fix

    def _new_channel(self, one: Entry) -> Iterator[Missing]:
        name = one.facts["name"]
        twice = any(other.facts["name"] == name for other in self._order.earlier(one, "channel"))
        if name in self._places.channels or twice:
            yield "name", f"There is a channel #{name} already by then.", "Choose another name."

    def _message(self, one: Entry) -> Iterator[Missing]:
        room, was = one.facts["in"], one.facts["was"]
        texts = list(self._places.messages.get((self._places.room(room, one.who), one.who), ()))
        made = self._order.earlier(one, "post", "edit")
        texts += [other.facts["text"] for other in made if (other.facts["in"], other.who) == (room, one.who)]
        if not any(was in text for text in texts) and not self._vouched(one, "message"):
            fix = "Write words that stand in a message of theirs, or post it in a line before."
            yield "was", f"{one.who} has no message with '{was}' in {room} by then.", _near(was, texts, fix)

    # -- the forge -----------------------------------------------------------------------------------------------

    def _branches(self, one: Entry, *keys: str) -> Iterator[Missing]:
        project = one.facts["project"]
        known = set(self._places.projects[project].branches)
        for other in self._order.earlier(one, "push"):
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
        for other in self._order.earlier(one, "push"):
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
            for other in self._order.earlier(one, "open")
            if other.facts["project"] == project and kind in other.facts
        ]
        words = f"{project} has no {kind.replace('_', ' ')}"
        if one.act in ("close", "reopen", "merge", "approve") and kind == "merge_request" and self._merged(one):
            yield kind, f"Merge request '{which}' of {project} is merged already by then.", "Name one that is open."
            return
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

    def _merged(self, one: Entry) -> bool:
        """Whether it is merged before, whatever happens."""
        project, which = one.facts["project"], one.facts["merge_request"]
        places = self._places.projects[project]
        known = places.items["merge_request"]
        # Of several with a title the newest is meant.
        number = (
            which if isinstance(which, int) else max((n for n, title in known.items() if title == which), default=0)
        )
        earlier = self._order.earlier(one, "merge", "open")
        if any(other.act == "open" and other.facts.get("merge_request") == which for other in earlier):
            number = 0
        done = [other for other in earlier if other.act == "merge" and self._order.surely_before(other, one)]
        same = [other for other in done if (other.facts["project"], other.facts["merge_request"]) == (project, which)]
        return number in places.merged or bool(same)

    # -- the board -----------------------------------------------------------------------------------------------

    def _in_project_of_card(self, one: Entry) -> Iterator[Missing]:
        inside = self._places.card_members.get(one.facts["card"], set())
        for name in one.facts["assignees"]:
            if name not in inside:
                fix = "Add them to 'members' of the project's file in board/projects/."
                yield "assignees", f"{name} is not in the project of {one.facts['card']}.", fix

    # -- the drive -----------------------------------------------------------------------------------------------

    def _path(self, one: Entry) -> Iterator[Missing]:
        drives, path = Drives(self._places, self._order, one), one.facts["path"]
        seen = drives.of(one.who)
        vouched = self._vouched(one, "file")
        if path not in seen and not vouched:
            fix = "Upload it in a line before, or correct the path."
            yield "path", f"{one.who} has no '{path}' in the drive by then.", _near(path, seen, fix)
        elif one.act == "rename":
            to = one.facts["to"]
            if to in seen:
                yield "to", f"{one.who} has '{to}' in the drive already by then.", "Choose another name."
            elif parent_of(to) not in {"/", *seen} and not vouched:
                yield "to", f"{one.who} has no folder '{parent_of(to)}' in the drive by then.", _NO_FOLDER
        elif one.who == one.facts["with"]:
            yield "with", f"{one.who} cannot share with themselves.", "Name somebody else."
        elif drives.shares.get((one.who, path, one.facts["with"])) == one.facts.get("may", "read") and not vouched:
            fix = "Leave this line out, or let them do something else with it: 'may: read' or 'may: edit'."
            yield "path", f"{one.who} shares '{path}' with {one.facts['with']} so already by then.", fix

    def _folder(self, one: Entry) -> Iterator[Missing]:
        path = one.facts["path"]
        seen, folder = Drives(self._places, self._order, one).of(one.who), parent_of(path)
        if seen.get(path):
            yield "path", f"'{path}' is a folder of {one.who}'s drive by then.", "Name a file in it."
        elif folder != "/" and not self._vouched(one, "file"):
            if folder not in seen:
                sentence = f"{one.who} has no folder '{folder}' in the drive by then."
                yield "path", sentence, _near(folder, [one for one in seen if seen[one]], _NO_FOLDER)
            elif not seen[folder]:
                yield "path", f"'{folder}' is a file of {one.who}'s drive by then.", "Name a folder."

    def _shared(self, one: Entry) -> Iterator[Missing]:
        wanted = (one.who, one.facts["path"], one.facts["with"])
        if wanted not in Drives(self._places, self._order, one).shares and not self._vouched(one, "share"):
            sentence = f"{one.who} does not share '{wanted[1]}' with {wanted[2]} by then."
            yield "path", sentence, "Share it in a line before, or in drive/shares.yml."


_NO_FOLDER = "Put the folder into the world (a file .gitkeep keeps an empty one), or correct the path."


def _near(name: str, known: Iterable[str], otherwise: str) -> str:
    return did_you_mean(name, sorted(known)).strip() or otherwise
