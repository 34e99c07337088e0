"""What published tasks name of the company: channels, projects, pages, board projects, documents.

A thing that a task asks its examinee to make is noted as such: a world that had it would give a point for nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from dayjob.importing.checkout import Checkout, PublishedTask, clean, constants_of

_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")
_BETWEEN = (
    r"(?:(?:a|an|the|its|their|your|new|public|private|own|separate|empty|shared|second|another|team|project|rocket\.?chat|"
    r"gitlab|plane|owncloud|nextcloud|wiki|[#\"'`*]\S+)\s+){0,5}"
)
_NOUNS = {
    "channel": "channel|group|room",
    "project": "repository|repo|project",
    "page": "page|wiki|wiki page",
    "board": "project",
    "folder": "folder|directory",
}
_MAKES = {
    kind: re.compile(
        rf"\b(?:creat(?:e|ing)|mak(?:e|ing)|set(?:ting)? up|start(?:ing)?|new)\s+{_BETWEEN}(?:{noun})\b", re.I
    )
    for kind, noun in _NOUNS.items()
}
_WRITES = re.compile(r"\b(?:sav|upload|creat|writ|export|stor|renam|generat)\w*", re.I)

_CHANNEL_PAGE = re.compile(r":3000/(channel|group)/([^\s)\]>\"'`,?#/]+)")
_HASH = re.compile(r"(?<![\w/#&(\[=?-])#([a-z][a-z0-9_.-]*[a-z0-9])(?![\w/])")
_COLOUR = re.compile(r"[0-9a-f]{3}|[0-9a-f]{6}", re.I)
_FORGE_PAGE = re.compile(r":8929/([A-Za-z0-9_][\w.-]*)/([A-Za-z0-9_][\w.-]*)((?:/[^\s)\]>\"'`,]*)?)")
_BOARD_PAGE = re.compile(r":8091/[\w-]+/projects/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})((?:/[\w-]*)*)", re.I)
_DIR = re.compile(r":8092/[^\s)\]>\"'`]*?[?&]dir=([^&\s)\]>\"'`]+)")
_QUOTED = re.compile(r"[\"'`]/?(Documents/[^\"'`\n]+)[\"'`]")
_LOOSE = re.compile(r"(?<![\w/.-])([\w-]+\.(?:md|xlsx?|csv|pdf|odt|ods|docx?|pptx?|zip|txt))\b(?!/)", re.I)
_PLAIN = re.compile(r"(?<![\w\"'`/.])/?(Documents/[^\s\"'`,;:()\[\]]+)")
_NOT_NAMESPACES = {
    "users",
    "api",
    "explore",
    "dashboard",
    "admin",
    "help",
    "search",
    "groups",
    "projects",
    "profile",
    "-",
}


@dataclass(slots=True)
class Named:
    """One thing: who names it as something that is there, and who has it made."""

    by: set[str] = field(default_factory=set)
    made_by: set[str] = field(default_factory=set)

    def note(self, task: str, made: bool) -> None:
        (self.made_by if made else self.by).add(task)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(sorted(self.by | self.made_by))


class Index(dict[str, Named]):
    """Things by name; a name met for the first time is noted."""

    def __missing__(self, key: str) -> Named:
        return self.setdefault(key, Named())


@dataclass(slots=True)
class Mentions:
    channels: Index = field(default_factory=Index)
    private: set[str] = field(default_factory=set)
    projects: Index = field(default_factory=Index)
    """`namespace/name`."""
    wiki: Index = field(default_factory=Index)
    """`namespace/name/slug`."""
    forge: Index = field(default_factory=Index)
    """`namespace/name`, a space, the rest of the address: an issue, a request, a file."""
    boards: Index = field(default_factory=Index)
    board_ids: dict[str, list[tuple[str, frozenset[str]]]] = field(default_factory=dict)
    """A board project's id in an address: the tasks that use it, each with the projects it names."""
    board_things: Index = field(default_factory=Index)
    folders: Index = field(default_factory=Index)
    documents: Index = field(default_factory=Index)
    loose_documents: Index = field(default_factory=Index)
    """Names of documents on the drive, without a folder."""


def read_mentions(checkout: Checkout) -> Mentions:
    found = Mentions()
    for task in checkout.tasks:
        _read_words(found, task)
        _read_programs(found, task)
    return found


def sentences(text: str) -> Iterator[str]:
    return (one for one in _SENTENCE.split(text) if one.strip())


def _read_words(found: Mentions, task: PublishedTask) -> None:
    for text, is_prose in ((task.text, True), (task.told, True), (task.sources, False)):
        for sentence in sentences(text):
            _read_sentence(found, task.name, sentence, is_prose)
    if re.search(r"rocket|channel", task.text, re.I):  # elsewhere a # begins a colour, a directive or an anchor
        for sentence in [*sentences(task.text), *sentences(task.told)]:
            for name in _HASH.findall(sentence):
                if not _COLOUR.fullmatch(name):
                    found.channels[name].note(task.name, bool(_MAKES["channel"].search(sentence)))


def _read_sentence(found: Mentions, task: str, sentence: str, is_prose: bool) -> None:
    makes = {kind: bool(pattern.search(sentence)) for kind, pattern in _MAKES.items()}
    if is_prose:  # a grader may look for what the examinee makes, so its channels prove nothing
        for kind, name in _CHANNEL_PAGE.findall(sentence):
            found.channels[clean(unquote_plus(name)).rstrip(".")].note(task, makes["channel"])
            if kind == "group":
                found.private.add(clean(unquote_plus(name)).rstrip("."))
    for space, name, rest in _FORGE_PAGE.findall(sentence):
        if space.lower() not in _NOT_NAMESPACES:
            _forge_page(found, task, f"{space}/{_project_name(name)}", rest, makes)
    if is_prose:
        paths = [unquote_plus(path) for path in _DIR.findall(sentence)]
        paths += [*_QUOTED.findall(sentence), *_PLAIN.findall(sentence)]
        writes = bool(_WRITES.search(sentence))
        for path in paths:
            _document(found, task, path, makes["folder"], writes)
        if re.search(r"owncloud|nextcloud", sentence, re.I):
            for name in _LOOSE.findall(sentence):
                if not any(path.rstrip("/.").endswith(name) for path in paths):
                    found.loose_documents[name].note(task, writes)


def _project_name(name: str) -> str:
    return name.rstrip(".").removesuffix(".git").removesuffix(".atom").rstrip(".")


def _forge_page(found: Mentions, task: str, project: str, rest: str, makes: dict[str, bool]) -> None:
    if not project.rpartition("/")[2]:
        return
    rest = rest.split("?")[0].rstrip("/.")
    # Whoever opens a page of a project takes the project for granted.
    found.projects[project].note(task, makes["project"] and not rest)
    if rest.startswith("/-/wikis"):
        slug = unquote_plus(rest.removeprefix("/-/wikis").strip("/")) or "home"
        found.wiki[f"{project}/{slug}"].note(task, makes["page"] and slug != "home")
    elif re.match(r"/-/(issues|merge_requests|blob|tree|commit|raw|releases|milestones)/.", rest):
        found.forge[f"{project} {unquote_plus(rest[3:])}"].note(task, False)


def _document(found: Mentions, task: str, path: str, makes_folder: bool, writes: bool) -> None:
    parts = [clean(part) for part in path.strip("/ ").split("/")]
    parts = [part for part in parts if part]
    if not parts or ".." in parts or "." in parts:
        return
    parts[-1] = parts[-1].rstrip(".")
    if re.search(r"\.[A-Za-z0-9]{1,5}$", parts[-1]):
        found.documents["/".join(parts)].note(task, writes)
        parts, makes_folder = parts[:-1], False
    if parts and all(parts):
        found.folders["/".join(parts)].note(task, makes_folder)


# -- what graders and init scripts call --------------------------------------------------------------------------


def _read_programs(found: Mentions, task: PublishedTask) -> None:
    boards: set[str] = set()
    makes_board = any(_MAKES["board"].search(one) and "plane" in task.text.lower() for one in sentences(task.text))
    for program in task.programs:
        constants = constants_of(program)
        for call in (node for node in ast.walk(program) if isinstance(node, ast.Call)):
            values = [_value(argument, constants) for argument in [*call.args, *(one.value for one in call.keywords)]]
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            first, second = [*values[:2], None, None][:2]
            if name == "get_plane_project_id" and first:
                boards.add(first)
            elif name in ("get_plane_issue_details", "get_plane_cycle_details") and second:
                kind = "cycle" if "cycle" in name else "item"
                found.board_things[f"{kind} '{second}'"].note(task.name, False)
            elif name in ("check_file_in_owncloud_directory", "get_binary_file_content_owncloud") and second:
                _document(found, task.name, second, False, True)
    for board in boards:
        found.boards[board].note(task.name, makes_board)
    for text in (task.text, task.told, task.sources):
        for id, rest in _BOARD_PAGE.findall(text):
            found.board_ids.setdefault(id.lower(), []).append((task.name, frozenset(boards)))
            if item := re.match(r"/issues/([0-9a-f]{8}-[0-9a-f-]{27})", rest, re.I):
                found.board_things[f"item {item[1].lower()} (by its id in an address)"].note(task.name, False)


def _value(node: ast.expr, constants: dict[str, object]) -> str | None:
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.Name):
        value = constants.get(node.id)
    return clean(value) or None if isinstance(value, str) else None
