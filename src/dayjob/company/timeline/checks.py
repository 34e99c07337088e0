"""How each kind of act of a timeline is written, and whether its values can be meant in this world."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dayjob.company.blobs import BlobStore
from dayjob.company.timeline.places import Places
from dayjob.company.world.model import World
from dayjob.company.world.yaml import Located
from dayjob.nearest import did_you_mean

FOLDER = "timeline/"
STATUSES = ("online", "away", "busy", "offline")
_ITEM = ("issue", "merge_request")
_CHANNEL = re.compile(r"[0-9a-zA-Z-_.]+")


def near(name: Any, known: Iterable[str], otherwise: str) -> str:
    """The fix that names what was probably meant."""
    return did_you_mean(str(name), known).strip() or otherwise


class Wrong(Exception):
    """Something in a line cannot be meant."""

    def __init__(self, line: int, message: str, fix: str) -> None:
        super().__init__(message)
        self.line, self.message, self.fix = line, message, fix


@dataclass(slots=True)
class Act:
    """How one kind of act is written: what it needs, what it may have, and the check of its values."""

    service: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    check: Callable[[Checks, Located], None]


class Checks:
    """The checks of values, by what this world has. A value that is fine may be replaced by what it means here."""

    def __init__(self, world: World, places: Places, made: set[str], blobs: BlobStore | None) -> None:
        self.world = world
        self.places = places
        self.made = made
        """The channels that lines make, whenever they do."""
        self.blobs = blobs

    # -- what a world has ----------------------------------------------------------------------------------------

    def person(self, name: Any, line: int) -> str:
        """The username of somebody in people/."""
        found = self.world.person(name)
        if found is None:
            fix = near(str(name), [one.name for one in self.world.people], "Name someone from people/, or add them.")
            raise Wrong(line, f"Nobody here is called '{name}'.", fix)
        return found.username

    def room(self, name: Any, line: int) -> str:
        """`#channel` as it is, or `@username` for a person."""
        if isinstance(name, str) and name.startswith("#"):
            known = self.places.channels | self.made
            if name[1:] not in known:
                fix = near(name[1:], known, "Add it to chat/channels.")
                raise Wrong(line, f"There is no channel {name}.", fix)
            return name
        return "@" + self.person(name, line)

    def project(self, name: Any, line: int) -> None:
        if not isinstance(name, str) or name not in self.places.projects:
            fix = near(str(name), self.places.projects, "Name it as group/project.")
            raise Wrong(line, f"The forge has no project '{name}'.", fix)

    def card(self, facts: Located) -> set[str]:
        name = str(facts["card"])
        if name not in self.places.cards:
            fix = near(name, self.places.cards, "Name it by its project's identifier and number: SOW-3.")
            raise Wrong(facts.at("card"), f"The board has no card '{name}'.", fix)
        return self.places.cards[name]

    # -- the acts ------------------------------------------------------------------------------------------------

    def text(self, facts: Located, *keys: str) -> None:
        for key in keys:
            if key in facts and (not isinstance(facts[key], str) or not facts[key].strip()):
                raise Wrong(facts.at(key), f"'{key}' must be text.", "Put it in quotes.")

    def post(self, facts: Located) -> None:
        self.text(facts, "text", "was")
        facts["in"] = self.room(facts["in"], facts.at("in"))

    def push(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        self.text(facts, "message", "branch", "from")
        files = facts["files"]
        if not isinstance(files, Located) or not files:
            raise Wrong(facts.at("files"), "'files' must map paths to contents.", "Write 'README.md: |' and its text.")
        for path, content in files.items():
            if content is not None and not isinstance(content, str):
                raise Wrong(files.at(path), f"The content of '{path}' must be text.", "Put it in quotes; null deletes.")
            if path.startswith("/") or ".." in path.split("/"):
                raise Wrong(files.at(path), f"'{path}' is no path in a repository.", "Write it from the top, as a/b.")

    def open(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        kind = self.one_of(facts, "'open'", _ITEM)
        self.text(facts, kind, "description", "source", "target")
        if kind == "merge_request" and "source" not in facts:
            raise Wrong(facts.line, "A merge request needs 'source'.", "Add 'source: BRANCH'.")
        if kind == "issue" and "source" in facts:
            raise Wrong(facts.at("source"), "An issue has no 'source'.", "Leave it out.")
        for key in ("assignees", "reviewers"):
            self.people(facts, key)
        labels = facts.get("labels", [])
        if not isinstance(labels, list) or not all(isinstance(one, str) for one in labels):
            raise Wrong(facts.at("labels"), "'labels' must be a list of texts.", "Write 'labels: [bug]'.")

    def one_of(self, facts: Located, act: str, keys: tuple[str, ...]) -> str:
        found = [key for key in keys if key in facts]
        if len(found) != 1:
            raise Wrong(facts.line, f"{act} needs one of {' and '.join(keys)}.", f"Add '{keys[0]}: …'.")
        return found[0]

    def item(self, facts: Located) -> None:
        self.project(facts["project"], facts.at("project"))
        kind = self.one_of(facts, "This line", _ITEM if "issue" in facts or "merge_request" not in facts else _ITEM[1:])
        which = facts[kind]
        if type(which) is not int and not isinstance(which, str):
            raise Wrong(facts.at(kind), f"'{kind}' must be a number or a title.", "Write the number: 12.")

    def merge(self, facts: Located) -> None:
        self.item(facts)

    def approve(self, facts: Located) -> None:
        self.item(facts)
        self.text(facts, "text")

    def assign(self, facts: Located) -> None:
        if "card" in facts:
            self.card(facts)
        elif "project" in facts:
            self.item(facts)
        else:
            raise Wrong(facts.line, "'assign' needs 'card', or 'project' and its issue.", "Add 'card: SOW-3'.")
        self.people(facts, "assignees")

    def people(self, facts: Located, key: str) -> None:
        names = facts.get(key, [])
        if not isinstance(names, list):
            raise Wrong(facts.at(key), f"'{key}' must be a list of people.", f"Write '{key}: [Full Name]'.")
        facts[key] = [self.person(name, facts.at(key)) for name in names]

    def invite(self, facts: Located) -> None:
        facts["in"] = self.room(facts["in"], facts.at("in"))
        if not facts["in"].startswith("#"):
            raise Wrong(facts.at("in"), "People are invited to a channel.", "Write 'in: \"#launch\"'.")
        facts["with"] = self.person(facts["with"], facts.at("with"))

    def channel(self, facts: Located) -> None:
        self.text(facts, "name")
        if not _CHANNEL.fullmatch(facts["name"]):
            fix = "Use letters, digits, '-', '_' and '.'."
            raise Wrong(facts.at("name"), f"'{facts['name']}' cannot be a channel's name.", fix)
        if not isinstance(facts.get("private", False), bool):
            raise Wrong(facts.at("private"), "'private' is true or false.", "Leave it out for a public channel.")
        self.people(facts, "members")

    def comment(self, facts: Located) -> None:
        self.text(facts, "text")
        if "card" in facts:
            self.card(facts)
        elif "project" in facts:
            self.item(facts)
        else:
            raise Wrong(facts.line, "'comment' needs 'card', or 'project' and its issue.", "Add 'card: SOW-3'.")

    def move(self, facts: Located) -> None:
        states = self.card(facts)
        if not isinstance(facts["to"], str) or facts["to"] not in states:
            fix = near(str(facts["to"]), states, f"It has {', '.join(sorted(states))}.")
            raise Wrong(facts.at("to"), f"There is no state '{facts['to']}' in the project of {facts['card']}.", fix)

    def path(self, facts: Located, key: str = "path") -> None:
        path = facts[key]
        if not isinstance(path, str) or not path.startswith("/") or ".." in path.split("/") or path.endswith("/"):
            fix = "Write it as the person sees it in their drive: /Finance/plan.txt."
            raise Wrong(facts.at(key), f"'{path}' is no path of a file or folder.", fix)

    def rename(self, facts: Located) -> None:
        self.path(facts)
        self.path(facts, "to")

    def upload(self, facts: Located) -> None:
        self.path(facts)
        kind = self.one_of(facts, "'upload'", ("content", "file"))
        if kind == "content":
            if not isinstance(facts["content"], str):
                raise Wrong(facts.at("content"), "'content' must be text.", "Name a file of timeline/ instead.")
            return
        source = f"{FOLDER}{facts['file']}"
        if source not in self.world.files:
            raise Wrong(facts.at("file"), f"There is no {source}.", f"Put the file into {FOLDER} of the world.")
        if self.blobs is not None:
            facts["blob"] = self.blobs.put(self.world.files.path(source).read_bytes()).hash

    def share(self, facts: Located) -> None:
        self.path(facts)
        facts["with"] = self.person(facts["with"], facts.at("with"))
        if facts.get("may", "read") not in ("read", "edit"):
            raise Wrong(facts.at("may"), f"'{facts['may']}' is nothing a share can allow.", "Write read or edit.")

    def status(self, facts: Located) -> None:
        # YAML reads a bare `off` as false; nobody means anything else by it here.
        if facts["status"] not in STATUSES:
            raise Wrong(facts.line, f"'{facts['status']}' is no status.", f"Write {', '.join(STATUSES)}.")


ACTS: dict[str, Act] = {
    "post": Act("chat", ("in", "text"), (), Checks.post),
    "edit": Act("chat", ("in", "was", "text"), (), Checks.post),
    "status": Act("chat", ("status",), (), Checks.status),
    "push": Act("forge", ("project", "message", "files"), ("branch", "from"), Checks.push),
    "open": Act(
        "forge", ("project",), (*_ITEM, "description", "labels", "assignees", "reviewers", "source", "target"),
        Checks.open,
    ),
    "close": Act("forge", ("project",), _ITEM, Checks.item),
    "reopen": Act("forge", ("project",), _ITEM, Checks.item),
    "merge": Act("forge", ("project", "merge_request"), (), Checks.merge),
    "approve": Act("forge", ("project", "merge_request"), (), Checks.approve),
    "review": Act("forge", ("project", "merge_request", "text"), (), Checks.approve),
    "assign": Act("forge", ("assignees",), ("card", "project", *_ITEM), Checks.assign),
    "comment": Act("forge", ("text",), ("card", "project", *_ITEM), Checks.comment),
    "move": Act("board", ("card", "to"), (), Checks.move),
    "upload": Act("drive", ("path",), ("content", "file"), Checks.upload),
    "rename": Act("drive", ("path", "to"), (), Checks.rename),
    "share": Act("drive", ("path", "with"), ("may",), Checks.share),
    "unshare": Act("drive", ("path", "with"), (), Checks.share),
    "invite": Act("chat", ("in", "with"), (), Checks.invite),
    "channel": Act("chat", ("name",), ("members", "private"), Checks.channel),
}  # fmt: skip
"""What people can do in a timeline."""
