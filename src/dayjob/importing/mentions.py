"""What published tasks name of the company: people, channels, projects, pages, issues, board projects, documents.

A thing that a task asks its examinee to make is noted as such: a world that had it would give a point for nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote_plus

from dayjob.importing.checkout import Checkout, PublishedTask, clean
from dayjob.importing.documents import firm_folders, read_documents
from dayjob.importing.making import MAKES, Making, lines, sentences
from dayjob.importing.programs import Asked, read_program
from dayjob.importing.words import (
    Title,
    boards_in,
    cycles_in,
    emptied_by,
    labels_taken_off,
    milestones_in,
    people_in,
    titles_in,
)

_CHANNEL_PAGE = re.compile(r":3000/(channel|group)/([^\s)\]>\"'`,?#/]+)")
_HASH = re.compile(r"(?<![\w/#&(\[=?-])#([a-z][a-z0-9_.-]*[a-z0-9])(?![\w/])")
_COLOUR = re.compile(r"[0-9a-f]{3}|[0-9a-f]{6}", re.I)
_FORGE_PAGE = re.compile(r":8929/([A-Za-z0-9_][\w.-]*)/([A-Za-z0-9_][\w.-]*)((?:/[^\s)\]>\"'`,]*)?)")
_ISSUE = re.compile(r"\bissues? +#(\d{1,8})\b", re.I)
_BOARD_PAGE = re.compile(r"\b[\w-]+/projects/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})((?:/[\w-]*)*)", re.I)
_RUNNING = re.compile(r"\b(?:current|active|running|next|upcoming|ongoing|this)\s+(?:cycle|sprint)s?\b", re.I)
_OWNER = re.compile(r"\bowner(?:s|ship)?\b", re.I)
_NOT_CODE = ("/-/wikis", "/-/issues", "/-/milestones", "/-/labels", "/-/boards")
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
    people: Index = field(default_factory=Index)
    """Who is to be written to, by full name."""
    accounts: Index = field(default_factory=Index)
    """Whom graders and init scripts ask the chat for, by name or username."""
    init_accounts: set[str] = field(default_factory=set)
    """Those of them whom an init script takes for granted."""
    channels: Index = field(default_factory=Index)
    private: set[str] = field(default_factory=set)
    owners: Named = field(default_factory=Named)
    """The tasks that are about who owns a channel."""
    projects: Index = field(default_factory=Index)
    """`namespace/name`."""
    code: Index = field(default_factory=Index)
    """The same, by the tasks that are about more of a project than its wiki and its issues."""
    wiki: Index = field(default_factory=Index)
    """`namespace/name/slug`."""
    forge: Index = field(default_factory=Index)
    """`namespace/name`, a space, the rest of the address: an issue, a request, a file."""
    issues: dict[str, dict[int, Named]] = field(default_factory=dict)
    """By `namespace/name`: the issues that texts and programs of tasks name by number."""
    titles: dict[str, Index] = field(default_factory=dict)
    """By `namespace/name`: the issues that they name by title."""
    labels: dict[str, Index] = field(default_factory=dict)
    """By `namespace/name`: the labels that a task has taken off issues."""
    milestones: dict[str, Index] = field(default_factory=dict)
    """By `namespace/name`: those that texts and programs of tasks name."""
    boards: Index = field(default_factory=Index)
    board_ids: dict[str, Named] = field(default_factory=dict)
    """The ids of board projects in addresses, by the tasks that use them."""
    named_ids: dict[str, str] = field(default_factory=dict)
    """Those of them of which the tasks together tell the project's name."""
    cycles: dict[str, Index] = field(default_factory=dict)
    """By board project: the cycles that a program of a task asks it for."""
    running: dict[str, Named] = field(default_factory=dict)
    """The board projects of which tasks want the cycle that is running and the next one."""
    by_clock: set[str] = field(default_factory=set)
    """Those of them that are looked at by the clock of the machine."""
    items: dict[str, Index] = field(default_factory=dict)
    board_things: Index = field(default_factory=Index)
    emptied: Index = field(default_factory=Index)
    """What a task wants none left of: `merge requests`, `issues`."""
    folders: Index = field(default_factory=Index)
    documents: Index = field(default_factory=Index)
    loose_documents: Index = field(default_factory=Index)
    """Names of documents on the drive, without a folder."""


def read_mentions(checkout: Checkout) -> Mentions:
    found = Mentions()
    known = {path for task in checkout.tasks for path in firm_folders(task)}
    tasks = [_Task(found, task, checkout.constants, known) for task in checkout.tasks]
    _name_boards(found, tasks)
    for one in tasks:
        one.read()
    return found


def _name_boards(found: Mentions, tasks: list[_Task]) -> None:
    """What a board project is called that tasks open by its id: the only name that all of them have, once each."""
    uses: dict[str, list[_Task]] = {}
    for task in tasks:
        for id, _ in task.opened_boards:
            uses.setdefault(id, []).append(task)
    for id, users in sorted(uses.items()):
        found.board_ids[id] = Named(by={task.name for task in users})
        sets = [names for task in users if (names := task.boards())]
        common = set.intersection(*sets) - set(found.named_ids.values()) if sets else set()
        if len(common) == 1:
            found.named_ids[id] = common.pop()


class _Task:
    """One task, read into what all of them name."""

    def __init__(
        self, found: Mentions, task: PublishedTask, settings: dict[str, object], known_folders: set[str]
    ) -> None:
        self.found = found
        self.task = task
        self.name = task.name
        self.prose = f"{task.text}\n{task.told}"
        self.making = Making(task.text)
        self.programs = [read_program(program, settings) for program in task.programs]
        self.known_folders = known_folders
        opened: dict[str, list[str]] = {}
        for space, name, rest in _FORGE_PAGE.findall(self.prose):
            opened.setdefault(f"{space}/{_project_name(name)}", []).append(rest)
        self.projects = set(opened) or {one for asked in self.programs for one in asked.projects}
        texts = (task.text, task.told, task.sources)
        self.opened_boards = [(id.lower(), rest) for text in texts for id, rest in _BOARD_PAGE.findall(text)]
        self.pages_only = {name for name, rests in opened.items() if all(one.startswith(_NOT_CODE) for one in rests)}

    def read(self) -> None:
        self.pages()
        self.channels()
        self.documents()
        self.board()
        self.issues()
        for person in people_in(self.prose):
            self.found.people[person].note(self.name, False)
        self.accounts()
        for what in emptied_by(self.task.text, self.name, self.services):
            self.found.emptied[what].note(self.name, False)

    def accounts(self) -> None:
        makes = self.making.any("account") or any(asked.makes_accounts for asked in self.programs)
        for name in {name for asked in self.programs for name in asked.accounts}:
            self.found.accounts[name].note(self.name, makes)
            if name in self.task.init and not makes:
                self.found.init_accounts.add(name)

    # -- chat and forge ------------------------------------------------------------------------------------------

    def channels(self) -> None:
        is_chat = re.search(r"rocket|channel|:3000\b", self.task.text, re.I) is not None
        for sentence in sentences(self.prose):  # a grader may look for what the examinee makes: it proves nothing
            makes = bool(MAKES["channel"].search(sentence))
            for kind, written in _CHANNEL_PAGE.findall(sentence):
                name = clean(unquote_plus(written)).rstrip(".")
                self.found.channels[name].note(self.name, makes or self.making.names("channel", name))
                if kind == "group":
                    self.found.private.add(name)
            for name in _HASH.findall(sentence) if is_chat else ():  # elsewhere it begins a colour or an anchor
                if not _COLOUR.fullmatch(name):
                    self.found.channels[name].note(self.name, makes or self.making.names("channel", name))
        if is_chat and _OWNER.search(self.task.text):
            self.found.owners.note(self.name, False)

    def pages(self) -> None:
        """Addresses of the forge, in prose and in programs."""
        for sentence in sentences(self.prose):
            for space, name, rest in _FORGE_PAGE.findall(sentence):
                makes = {kind: bool(MAKES[kind].search(sentence)) for kind in ("project", "page")}
                self.page(space, _project_name(name), rest, makes, sentence)
                if issue := re.match(r"/-/issues/(\d{1,8})\b", rest):
                    self.issue(f"{space}/{_project_name(name)}", int(issue[1]))
        for line in lines(self.task.sources):
            for space, name, rest in _FORGE_PAGE.findall(line):
                makes = {"project": bool(MAKES["project"].search(line)), "page": self.making.any("page")}
                self.page(space, _project_name(name), rest, makes, line)
        for asked in self.programs:
            for project in asked.projects:
                self.found.projects[project].note(self.name, self.making.any("project"))
                if project not in self.pages_only:
                    self.found.code[project].note(self.name, False)
            for project in asked.projects if asked.releases else ():
                self.found.forge[f"{project} releases"].note(self.name, False)

    def page(self, space: str, name: str, rest: str, makes: dict[str, bool], sentence: str) -> None:
        project, rest = f"{space}/{name}", rest.split("?")[0].rstrip("/.")
        if space.lower() in _NOT_NAMESPACES or not name:
            return
        makes_project = makes["project"] or self.making.names("project", name)
        # Whoever opens a page of a project takes the project for granted.
        self.found.projects[project].note(self.name, makes_project and not rest)
        if not rest.startswith(_NOT_CODE):
            self.found.code[project].note(self.name, False)
        if rest.startswith("/-/wikis"):
            slug = unquote_plus(rest.removeprefix("/-/wikis").strip("/")) or "home"
            made = makes["page"] or self.making.names("page", slug.rpartition("/")[2])
            self.found.wiki[f"{project}/{slug}"].note(self.name, made and slug != "home")
        elif re.match(r"/-/(issues|merge_requests|blob|tree|commit|raw|releases|milestones)/.", rest):
            self.found.forge[f"{project} {unquote_plus(rest[3:])}"].note(self.name, False)

    def issue(self, project: str, number: int) -> None:
        if number:
            self.found.issues.setdefault(project, {}).setdefault(number, Named()).note(self.name, False)

    def issues(self) -> None:
        """Issues by number or title, where it is plain which project is meant."""
        titles = titles_in(self.prose, self.services)
        for asked in self.programs:
            if len(home := asked.projects if len(asked.projects) == 1 else self.projects) == 1:
                for number in asked.issues:
                    self.issue(min(home), number)
                titles += [
                    Title("forge", title, self.making.any("item") or self.making.names("item", title))
                    for title in asked.titles
                ]
        if len(self.projects) != 1:
            return
        project = min(self.projects)
        for number in _ISSUE.findall(self.prose):
            self.issue(project, int(number))
        for label in labels_taken_off(self.prose):
            self.found.labels.setdefault(project, Index())[label].note(self.name, False)
        self.milestones(project)
        for title in titles:
            if title.service == "forge":
                self.found.titles.setdefault(project, Index())[title.words].note(self.name, title.made)

    def milestones(self, project: str) -> None:
        own = {title for asked in self.programs for title in asked.made_milestones}
        asked = {title: self.making.any("milestone") for asked in self.programs for title in asked.milestones}
        for title, made in {**asked, **milestones_in(self.prose)}.items():
            if title not in own:
                self.found.milestones.setdefault(project, Index())[title].note(self.name, made)

    @property
    def services(self) -> frozenset[str]:
        """`board` and `forge`, as far as the task is about them."""
        text, listed = self.task.text.lower(), self.task.services
        board = "plane" in listed or re.search(r"\bplane\b|:8091\b", text)
        forge = "gitlab" in listed or re.search(r"gitlab|:8929\b", text)
        return frozenset(name for name, is_used in (("board", board), ("forge", forge)) if is_used)

    # -- board and drive -----------------------------------------------------------------------------------------

    def boards(self) -> set[str]:
        """The board projects that it names."""
        asked = {name for asked in self.programs for name in asked.boards}
        said = boards_in(self.prose, "forge" in self.services) if "board" in self.services else []
        return asked | {next((one for one in asked if one.lower() == name.lower()), name) for name, _ in said}

    def board(self) -> None:
        asked_for = {name for asked in self.programs for name in asked.boards}
        makes = self.making.any("board") and "board" in self.services
        for name in asked_for:
            self.found.boards[name].note(self.name, makes)
        everywhere = set(asked_for)
        if "board" in self.services:
            for name, made in boards_in(self.prose, "forge" in self.services):
                spelt = next((one for one in self.found.boards if one.lower() == name.lower()), name)
                everywhere.add(spelt)
                self.found.boards[spelt].note(self.name, made or self.making.names("board", name))
        ids = {id for id, _ in self.opened_boards}
        if not everywhere and len(ids) == 1 and (known := self.found.named_ids.get(min(ids))):
            everywhere.add(known)
        wants_running = "board" in self.services and _RUNNING.search(self.prose) is not None
        if len(everywhere) == 1 and "board" in self.services:
            for cycle in cycles_in(self.task.text):
                index = self.found.cycles.setdefault(min(everywhere), Index())
                index[cycle].note(self.name, self.making.names("cycle", cycle))
        for asked in self.programs:
            self.asked_of_board(asked, asked.boards if len(asked.boards) == 1 else everywhere, wants_running)
        own = {name for asked in self.programs for name in asked.made_items}
        for title in titles_in(self.prose, self.services):
            if title.service == "board" and title.words not in own:
                self.item(everywhere, title.words, title.made)
        for _, rest in self.opened_boards:
            if item := re.match(r"/issues/([0-9a-f]{8}-[0-9a-f-]{27})", rest, re.I):
                self.found.board_things[f"item {item[1].lower()} (by its id in an address)"].note(self.name, False)

    def asked_of_board(self, asked: Asked, boards: set[str], wants_running: bool) -> None:
        for cycle in asked.cycles:
            if len(boards) == 1:
                index = self.found.cycles.setdefault(min(boards), Index())
                index[cycle].note(self.name, self.making.any("cycle"))
            else:
                self.found.board_things[f"cycle '{cycle}'"].note(self.name, False)
        for item in asked.items - asked.made_items:
            self.item(boards, item, self.making.any("item"))
        if len(boards) == 1 and (wants_running or asked.running_cycles) and not self.making.any("cycle"):
            self.found.running.setdefault(min(boards), Named()).note(self.name, False)
        if len(boards) == 1 and asked.asks_clock:
            self.found.by_clock.add(min(boards))

    def item(self, boards: set[str], name: str, made: bool) -> None:
        if len(boards) == 1:
            self.found.items.setdefault(min(boards), Index())[name].note(self.name, made)
        elif not made:
            self.found.board_things[f"item '{name}'"].note(self.name, False)

    def documents(self) -> None:
        read = read_documents(self.task, self.known_folders)
        for path, made in read.folders:
            self.found.folders[path].note(self.name, made)
        for path, writes in read.documents:
            self.found.documents[path].note(self.name, writes or self.init_names(path))
        for name, writes in read.loose:
            self.found.loose_documents[name].note(self.name, writes or self.init_names(name))
        for asked in self.programs:
            for folder in asked.folders:
                if (path := _plain_path(folder)) and not self.making.names("folder", path.rpartition("/")[2]):
                    self.found.folders[path].note(self.name, False)
            for document in asked.documents:  # perhaps what the examinee makes, if no text names it
                if (path := _plain_path(document)) and not self.found.documents[path].tasks:
                    self.found.documents[path].note(self.name, True)

    def init_names(self, document: str) -> bool:
        """Does an init script of the task name it? Then it may bring it."""
        name = document.rpartition("/")[2]
        return name in self.task.init or quote(name) in self.task.init


def _plain_path(path: str) -> str:
    parts = [part for one in path.strip("/ ").split("/") if (part := clean(one))]
    return "" if "." in parts or ".." in parts else "/".join(parts)


def _project_name(name: str) -> str:
    return name.rstrip(".").removesuffix(".git").removesuffix(".atom").rstrip(".")
