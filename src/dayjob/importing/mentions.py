"""What published tasks name of the company: channels, projects, pages, board projects, documents.

A thing that a task asks its examinee to make is noted as such: a world that had it would give a point for nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_plus

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
    "cycle": "cycle|sprint",
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
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*")
_ISSUE = re.compile(r"\bissues? +#(\d{1,8})\b", re.I)
_BOARD_PAGE = re.compile(r"\b[\w-]+/projects/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})((?:/[\w-]*)*)", re.I)
_DIR = re.compile(r":8092/[^\s)\]>\"'`]*?[?&]dir=([^&\s)\]>\"'`]+)")
_QUOTED = re.compile(r"[\"'`]/?(Documents/[^\"'`\n]+)[\"'`]")
_LOOSE = re.compile(r"(?<![\w/.-])([\w-]+\.(?:md|xlsx?|csv|pdf|odt|ods|docx?|pptx?|zip|txt))\b(?!/)", re.I)
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")
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
    issues: dict[str, dict[int, Named]] = field(default_factory=dict)
    """By `namespace/name`: the issues that task texts name by number."""
    boards: Index = field(default_factory=Index)
    board_ids: dict[str, list[tuple[str, frozenset[str]]]] = field(default_factory=dict)
    """A board project's id in an address: the tasks that use it, each with the projects it names."""
    cycles: dict[str, Index] = field(default_factory=dict)
    """By board project: the cycles that a program of a task asks it for."""
    items: dict[str, Index] = field(default_factory=dict)
    board_things: Index = field(default_factory=Index)
    folders: Index = field(default_factory=Index)
    documents: Index = field(default_factory=Index)
    loose_documents: Index = field(default_factory=Index)
    """Names of documents on the drive, without a folder."""


def read_mentions(checkout: Checkout) -> Mentions:
    found = Mentions()
    for task in checkout.tasks:
        _read_words(found, task)
        _read_programs(found, task, checkout.constants)
    return found


def sentences(text: str) -> Iterator[str]:
    return (one for one in _SENTENCE.split(text) if one.strip())


class _Making:
    """What a task's text has its examinee make: per kind of thing, the sentences that say so."""

    def __init__(self, text: str) -> None:
        self.said = {
            kind: "-".join(_slug(one) for one in sentences(text) if pattern.search(one))
            for kind, pattern in _MAKES.items()
        }

    def names(self, kind: str, name: str) -> bool:
        """Does such a sentence contain this name, however it is written?"""
        return bool(_slug(name)) and f"-{_slug(name)}-" in f"-{self.said[kind]}-"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _read_words(found: Mentions, task: PublishedTask) -> None:
    making = _Making(task.text)
    for text, is_prose in ((task.text, True), (task.told, True), (task.sources, False)):
        for sentence in sentences(text):
            _read_sentence(found, task.name, sentence, is_prose, making)
    if re.search(r"rocket|channel", task.text, re.I):  # elsewhere a # begins a colour, a directive or an anchor
        for sentence in [*sentences(task.text), *sentences(task.told)]:
            for name in _HASH.findall(sentence):
                if not _COLOUR.fullmatch(name):
                    made = bool(_MAKES["channel"].search(sentence)) or making.names("channel", name)
                    found.channels[name].note(task.name, made)
    prose = f"{task.text}\n{task.told}"
    projects = {f"{space}/{_project_name(name)}" for space, name, _ in _FORGE_PAGE.findall(prose)}
    if len(projects) == 1:
        for number in _ISSUE.findall(prose):
            _issue(found, task.name, projects.copy().pop(), int(number))


def _read_sentence(found: Mentions, task: str, sentence: str, is_prose: bool, making: _Making) -> None:
    makes = {kind: bool(pattern.search(sentence)) for kind, pattern in _MAKES.items()}
    if is_prose:  # a grader may look for what the examinee makes, so its channels prove nothing
        for kind, written in _CHANNEL_PAGE.findall(sentence):
            name = clean(unquote_plus(written)).rstrip(".")
            found.channels[name].note(task, makes["channel"] or making.names("channel", name))
            if kind == "group":
                found.private.add(name)
    for space, name, rest in _FORGE_PAGE.findall(sentence):
        if space.lower() not in _NOT_NAMESPACES:
            project = _project_name(name)
            makes["project"] = makes["project"] or making.names("project", project)
            _forge_page(found, task, f"{space}/{project}", rest, makes)
            if is_prose and (issue := re.match(r"/-/issues/(\d{1,8})\b", rest)):
                _issue(found, task, f"{space}/{project}", int(issue[1]))
    if is_prose:
        _read_documents(found, task, sentence, makes["folder"])


def _issue(found: Mentions, task: str, project: str, number: int) -> None:
    if number:
        found.issues.setdefault(project, {}).setdefault(number, Named()).note(task, False)


def _read_documents(found: Mentions, task: str, sentence: str, makes_folder: bool) -> None:
    paths = [unquote_plus(path) for path in _DIR.findall(sentence)]
    paths += [unquote(path) for path in (*_QUOTED.findall(sentence), *_PLAIN.findall(sentence))]
    paths = list(dict.fromkeys(path.strip("/ ").rstrip(",;.") for path in paths))
    writes = bool(_WRITES.search(sentence))
    for path in paths:
        _document(found, task, path, makes_folder, writes)
    if re.search(r"owncloud|nextcloud", sentence, re.I):
        for name in _LOOSE.findall(sentence):
            if any(path.endswith(name) for path in paths):
                continue
            if len(paths) == 1 and not _FILE.search(paths[0]):
                _document(found, task, f"{paths[0]}/{name}", False, writes)
            else:
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
    if _FILE.search(parts[-1]):
        found.documents["/".join(parts)].note(task, writes)
        parts, makes_folder = parts[:-1], False
    if parts and all(parts):
        found.folders["/".join(parts)].note(task, makes_folder)


# -- what graders and init scripts call --------------------------------------------------------------------------


def _read_programs(found: Mentions, task: PublishedTask, settings: dict[str, object]) -> None:
    boards: set[str] = set()
    makes = {kind: any(pattern.search(one) for one in sentences(task.text)) for kind, pattern in _MAKES.items()}
    for program in task.programs:
        calls = list(_calls(program, settings))
        here = {first for name, first, _ in calls if name == "get_plane_project_id" and first}
        boards |= here
        for name, first, second in calls:
            _call(found, task.name, name, first, second, makes)
            if name in ("get_plane_cycle_details", "get_plane_issue_details") and second:
                kind = "cycle" if "cycle" in name else "item"
                if len(here) == 1:
                    index = (found.cycles if kind == "cycle" else found.items).setdefault(min(here), Index())
                    index[second].note(task.name, kind == "cycle" and makes["cycle"])
                else:
                    found.board_things[f"{kind} '{second}'"].note(task.name, False)
    for board in boards:
        found.boards[board].note(task.name, makes["board"] and "plane" in task.text.lower())
    for text in (task.text, task.told, task.sources):
        for id, rest in _BOARD_PAGE.findall(text):
            found.board_ids.setdefault(id.lower(), []).append((task.name, frozenset(boards)))
            if item := re.match(r"/issues/([0-9a-f]{8}-[0-9a-f-]{27})", rest, re.I):
                found.board_things[f"item {item[1].lower()} (by its id in an address)"].note(task.name, False)


def _call(found: Mentions, task: str, name: str, first: str | None, second: str | None, makes: dict[str, bool]) -> None:
    match name:
        case "check_file_in_owncloud_directory" | "get_binary_file_content_owncloud" if second:
            _document(found, task, unquote(second), False, True)
        case "get_gitlab_project_id" if first and _NAME.fullmatch(first):
            found.projects[f"root/{first}"].note(task, makes["project"])
        case "make_gitlab_request" if first and _NAME.fullmatch(first.partition("/")[2]):
            found.projects[first].note(task, makes["project"])


def _calls(program: ast.Module, settings: dict[str, object]) -> Iterator[tuple[str, str | None, str | None]]:
    """Every call of a function by its name, with its first two arguments where they are texts that can be told."""
    known = _known(program, settings)
    for call in (node for node in ast.walk(program) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Name):
            values = [_value(argument, known) for argument in [*call.args, *(one.value for one in call.keywords)]]
            first, second = [*values[:2], None, None][:2]
            yield call.func.id, first, second


def _known(program: ast.Module, settings: dict[str, object]) -> dict[str, object]:
    """The settings, a program's constants, and names anywhere in it that are only ever given one text."""
    constants = {**settings, **constants_of(program)}
    known, given = dict(constants), dict[str, set[str | None]]()
    for node in (node for node in ast.walk(program) if isinstance(node, ast.Assign)):
        text = _value(node.value, known) if isinstance(node.value, ast.Constant | ast.JoinedStr) else None
        for target in (target for target in node.targets if isinstance(target, ast.Name)):
            given.setdefault(target.id, set()).add(text)
            known.setdefault(target.id, text)
    return {name: value for name, value in known.items() if name in constants or len(given[name]) == 1}


def _value(node: ast.expr, known: dict[str, object]) -> str | None:
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.Name):
        value = known.get(node.id)
    elif isinstance(node, ast.JoinedStr):
        parts = [_value(one.value if isinstance(one, ast.FormattedValue) else one, known) for one in node.values]
        value = "".join(part for part in parts if part) if None not in parts else None
    return clean(value) or None if isinstance(value, str) else None
