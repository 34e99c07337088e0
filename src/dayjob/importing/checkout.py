"""The files of a TheAgentCompany checkout, read whatever their state: what cannot be read becomes a gap.

Known places: the colleagues' definitions and credentials, the graders' settings, the list of tasks, the task folders,
wiki pages.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.importing.errors import CannotImport
from dayjob.importing.gaps import Gap

DEFINITIONS = "servers/rocketchat/npc/npc_definition.json"
CHANNELS = "servers/rocketchat/npc/NPC.md"
CREDENTIALS = ("workspaces/base_image/npc/npc_credential.json", "workspaces/base_image/npc_credential.json")
SETTINGS = ("workspaces/base_image/config.py", "workspaces/base_image/common.py")
LISTING = "evaluation/tasks.json"
TASKS = "workspaces/tasks"
INIT = ("pre_init.py", "populate_data.py", "post_init.py", "init.sh", "pre_init.sh", "post_init.sh")
WIKI = "servers/gitlab/wikis"
LARGEST = 2_000_000
_LISTED = re.compile(r"^\s*-\s*[\"']?([\w.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Definition:
    """A colleague as the checkout defines them."""

    name: str
    title: str
    persona: str
    channels: str


@dataclass(frozen=True, slots=True)
class Credential:
    username: str
    password: str | None


@dataclass(frozen=True, slots=True)
class PublishedTask:
    """What a task folder says in words and in code."""

    name: str
    text: str
    colleagues: tuple[str, ...]
    told: str
    """What colleagues may tell: the scenarios' texts."""
    programs: tuple[ast.Module, ...]
    sources: str
    init: str = ""
    """The text of its init scripts."""
    services: frozenset[str] = frozenset()
    """Those that its dependencies.yml lists."""
    files: frozenset[str] = frozenset()
    """The names of everything in its folder, which an image may copy to the examinee."""


@dataclass(slots=True)
class Checkout:
    definitions: list[Definition] = field(default_factory=list)
    credentials: dict[str, Credential] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    tasks: list[PublishedTask] = field(default_factory=list)
    wiki: dict[str, str] = field(default_factory=dict)
    channels: list[str] = field(default_factory=list)
    """Those that the checkout's own documentation lists."""
    gaps: list[Gap] = field(default_factory=list)


def whole(text: str) -> str:
    """A text without halves of characters, which JSON and Python can spell and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def clean(value: object) -> str:
    """A value as one line of text that any file can hold: no control characters, no halves of characters."""
    text = "".join(" " if unicodedata.category(one) in ("Cc", "Cs") else one for one in whole(str(value)))
    return unicodedata.normalize("NFC", " ".join(text.split()))


def read_checkout(folder: Path) -> Checkout:
    """Read everything known; `CannotImport` when the folder is no such checkout at all."""
    if not (folder / DEFINITIONS).is_file() and not (folder / TASKS).is_dir():
        raise CannotImport(
            f"'{folder}' is not a checkout of TheAgentCompany: it has neither {DEFINITIONS} nor {TASKS}/. "
            "Name the folder that holds servers/ and workspaces/."
        )
    return _Reader(folder).read()


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found = Checkout()

    def unreadable(self, file: str, why: str) -> None:
        self.found.gaps.append(Gap("files", clean(file), why))

    def read(self) -> Checkout:
        for file in SETTINGS:
            if (program := self.program(file, missing_is_fine=True)) is not None:
                self.found.constants.update(constants_of(program))
        self.definitions()
        self.credentials()
        self.channels()
        if (self.folder / WIKI).is_dir():
            for page in sorted((self.folder / WIKI).glob("*.md")):
                if (text := self.text(f"{WIKI}/{page.name}")) is not None:
                    self.found.wiki[page.stem] = text
        if (self.folder / TASKS).is_dir():
            for path in sorted((self.folder / TASKS).iterdir()):
                if (path / "task.md").is_file() or (path / "evaluator.py").is_file():
                    self.found.tasks.append(self.task(path))
        else:
            self.unreadable(f"{TASKS}/", "this folder is missing, so no task could be asked what it names.")
        self.listing()
        return self.found

    def text(self, file: str, missing_is_fine: bool = False) -> str | None:
        path = self.folder / file
        try:
            if path.stat().st_size > LARGEST:
                self.unreadable(file, f"it is larger than {LARGEST // 1_000_000} MB.")
                return None
            return path.read_text("utf-8-sig")
        except FileNotFoundError:
            if not missing_is_fine:
                self.unreadable(file, "it is missing.")
        except UnicodeDecodeError:
            self.unreadable(file, "it is not UTF-8 text.")
        except OSError as error:
            self.unreadable(file, f"{error.strerror}.")
        return None

    def json(self, file: str, kind: type, missing_is_fine: bool = False) -> Any:
        text = self.text(file, missing_is_fine)
        if text is None:
            return None
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.unreadable(file, f"it is not valid JSON ({clean(error)}).")
            return None
        if not isinstance(found, kind):
            self.unreadable(file, f"it holds no {'list' if kind is list else 'object'}.")
            return None
        return found

    def program(self, file: str, missing_is_fine: bool = False) -> ast.Module | None:
        text = self.text(file, missing_is_fine)
        if text is None:
            return None
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.unreadable(file, f"this Python cannot parse it ({clean(error)}); its text was searched all the same.")
            return None

    def definitions(self) -> None:
        for at, one in enumerate(self.json(DEFINITIONS, list) or [], 1):
            facts = one if isinstance(one, dict) else {}
            name = clean(f"{facts.get('first_name') or ''} {facts.get('last_name') or ''}")
            if not name:
                self.unreadable(DEFINITIONS, f"entry {at} has no first_name and last_name.")
                continue
            about = [facts.get("public_info"), facts.get("personality_and_values"), facts.get("decision_making_style")]
            who = ", ".join(clean(facts[key]) for key in ("age", "gender_pronoun") if facts.get(key))
            persona = clean(" ".join(str(part) for part in (f"({who})" if who else "", *about) if part))
            self.found.definitions.append(
                Definition(
                    name, clean(facts.get("occupation") or ""), persona, clean(facts.get("slack_channels") or "")
                )
            )

    def credentials(self) -> None:
        file = next((one for one in CREDENTIALS if (self.folder / one).is_file()), CREDENTIALS[0])
        for name, one in (self.json(file, dict) or {}).items():
            if not clean(name) or not isinstance(one, dict) or not isinstance(one.get("username"), str):
                self.unreadable(file, f"'{clean(name)}' has no name or no username.")
                continue
            password = one.get("password")
            if not isinstance(password, str) or not password.isprintable():
                password = None
                self.unreadable(file, f"'{clean(name)}' has no password that can be typed.")
            self.found.credentials[clean(name)] = Credential(clean(one["username"]), password or None)

    def channels(self) -> None:
        """The rows of every table that begins with `Name | Users`."""
        listed = False
        for line in (self.text(CHANNELS, missing_is_fine=True) or "").splitlines():
            cells = [clean(cell) for cell in line.strip().strip("|").split("|")] if line.strip().startswith("|") else []
            if not cells:
                listed = False
            elif cells[:2] == ["Name", "Users"]:
                listed = True
            elif listed and not set(cells[0]) <= set("-: "):
                self.found.channels.append(cells[0].lstrip("#"))

    def task(self, path: Path) -> PublishedTask:
        place = f"{TASKS}/{path.name}"
        texts = [
            self.text(f"{place}/{name}", missing_is_fine=name != "task.md") for name in ("task.md", "checkpoints.md")
        ]
        scenarios = self.json(f"{place}/scenarios.json", dict, missing_is_fine=True) or {}
        told = [value for one in scenarios.values() if isinstance(one, dict) for value in one.values()]
        programs, sources = [], []
        for file in sorted(path.glob("*.py")):
            if (program := self.program(f"{place}/{file.name}")) is not None:
                programs.append(program)
            sources.append(self.text(f"{place}/{file.name}", missing_is_fine=True) or "")
        return PublishedTask(
            clean(path.name),
            texts[0] or "",
            tuple(name for key in scenarios if (name := clean(key))),
            "\n".join(whole(value) for value in told if isinstance(value, str)),
            tuple(programs),
            "\n".join([texts[1] or "", *sources]),
            "\n".join(self.text(f"{place}/{name}", missing_is_fine=True) or "" for name in INIT),
            frozenset(_LISTED.findall(self.text(f"{place}/dependencies.yml", missing_is_fine=True) or "")),
            frozenset(file.name for file in path.rglob("*") if file.is_file()),
        )

    def listing(self) -> None:
        listed = (self.json(LISTING, dict, missing_is_fine=True) or {}).get("tasks")
        have = {one.name for one in self.found.tasks}
        for one in listed if isinstance(listed, list) else []:
            name = clean(one.get("task_name") or "") if isinstance(one, dict) else ""
            if name and name not in have:
                why = f"{LISTING} lists it, but there is no such folder in {TASKS}/."
                self.found.gaps.append(Gap("tasks", name, why, (name,), is_hole=False))


def constants_of(program: ast.Module) -> dict[str, Any]:
    """Module-level names with a value that can be told without running anything; `a or b` is its last literal."""
    found: dict[str, Any] = {}
    for one in program.body:
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            value: ast.expr = one.value
            if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
                value = value.values[-1]
            if isinstance(value, ast.Call) and len(value.args) == 2:  # os.environ.get(name, otherwise)
                value = value.args[1]
            try:
                found[one.targets[0].id] = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
    return found
