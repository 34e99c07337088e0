"""`paraphrases.yml`: right answers in other words, which get full marks, and near misses, which get less.

It names what a task wants delivered, and holds texts. The solution does everything else: the functions of it that
deliver are named in `without` and left out. Texts are taken as they are written, so that `12:00` and `yes` stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from dayjob.nearest import did_you_mean
from dayjob.task.findings import Finding, TaskError
from dayjob.task.reading import parse_yaml, read_text
from dayjob.task.rules import Rule

NAME = "paraphrases.yml"
RIGHT, NEAR = 20, 10
"""How many of each a task should have."""
PARTS = 10
"""A day's share of them is one part of this many."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,9})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CELL = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}")
_AT_MOST = re.compile(r"at most (\d+)")
_ACTS = ("edit", "reply", "delete")
_TEXT_OR_STEP = "Put a text that has ': ' in it in quotes, or write one of edit, reply, delete and its text"

# Kind of deliverable: how its place looks, and what else may be said about it.
KINDS: Mapping[str, tuple[re.Pattern[str], str, tuple[str, ...]]] = {
    "message": (re.compile(r"#\S+|@\S+( @\S+)*"), '"#channel", "@user.name", or "@one @another" for a group', ()),
    "issue": (re.compile(r"[^\s:#!]+/[^\s:#!]+"), "group/project", ("labels",)),
    "comment": (re.compile(r"[^\s#!]+/[^\s#!]+[#!]\d+"), "group/project#4 (an issue) or group/project!4", ()),
    "merge-request": (re.compile(r"[^\s:#!]+/[^\s:#!]+"), "group/project", ("branch", "reviewer")),
    "code": (re.compile(r"[^\s:@]+/[^\s:@]+@[^\s:]+:\S+"), "group/project@branch:path/in/it.py", ()),
    "wiki": (re.compile(r"[^\s:]+/[^\s:]+:\S+"), "group/project:page", ()),
    "card": (re.compile(r"\S.*"), "the name of a project on the board", ("state", "assignee", "due")),
    "card-comment": (re.compile(r"[A-Z][A-Z0-9]*-\d+"), "the number of an item, such as WEB-12", ()),
    "items": (re.compile(r"\S.*"), "the name of a project on the board", ()),
    "drive": (re.compile(r"/\S.*"), "the path of a file on the drive, such as /Finance/sum.csv", ()),
    "sheet": (
        re.compile(r"/\S.*\.xlsx"),
        "the path of a workbook on the drive, such as /Finance/sum.xlsx",
        ("page", "from"),
    ),
    "document": (re.compile(r"/\S.*\.docx"), "the path of a document on the drive, such as /Finance/sum.docx", ()),
    "names": (re.compile(r"/\S.*[^/]"), "the path of a folder on the drive", ()),
    "link": (re.compile(r"/\S.*"), "the path on the drive of what the link is to", ()),
    "file": (re.compile(r"/workspace/\S.*"), "the path of a file below /workspace", ()),
}

# Kinds whose texts are lines of one form: the form, and an example.
LINES: Mapping[str, tuple[re.Pattern[str], str]] = {
    "items": (re.compile(r"[A-Z][A-Z0-9]*-\d+ (state|module|due): \S.*"), "WEB-12 state: Done"),
    "names": (re.compile(r"\S.* ->( \S.*)?"), "old.txt -> new.txt, or old.txt -> to delete it"),
    "link": (re.compile(r"(name|password|expireDate|permissions): \S.*"), "password: four-words-of-mine"),
}


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that is done to deliver: `new`, `edit` (of the latest), `reply` (in its thread) or `delete`."""

    do: str
    text: str = ""
    cells: Mapping[str, str | float | date] = field(default_factory=dict)
    """For sheets: what goes into which cell."""


@dataclass(frozen=True, slots=True)
class Deliverable:
    id: str
    kind: str
    place: str
    more: Mapping[str, str]
    usual: tuple[Act, ...]
    """What is delivered when an entry says nothing about it."""


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """One way of delivering. `most`: the result it may get at most, `exactly` the one it must get; None: full marks
    for a right answer, less than full marks for a near miss."""

    name: str
    line: int
    acts: Mapping[str, tuple[Act, ...]]
    """By the deliverable's id."""
    right: bool
    wrong: str = ""
    exactly: int | None = None
    most: int | None = None

    @property
    def said(self) -> str:
        """Its own words in one short line."""
        parts = [act.text or ", ".join(f"{cell} {value}" for cell, value in act.cells.items()) or act.do
                 for acts in self.acts.values() for act in acts]  # fmt: skip
        line = " / ".join(" ".join(part.split()) for part in parts) or "nothing"
        return line if len(line) <= 100 else f"{line[:99]}…"

    def refuted(self, result: int, total: int) -> str | None:
        """Why this result is not the expected one; None when it is."""
        got = f"got {result} of {total}"
        if self.right:
            return None if result == total else f"{got}, and is right"
        if self.exactly is not None:
            return None if result == self.exactly else f"{got}, and {self.exactly} was expected: {self.wrong}"
        most = total - 1 if self.most is None else self.most
        return None if result <= most else f"{got}, and at most {most} was expected: {self.wrong}"


@dataclass(frozen=True, slots=True)
class Paraphrases:
    without: tuple[str, ...]
    """The functions of solution.py that deliver."""
    deliverables: Mapping[str, Deliverable]
    entries: tuple[Paraphrase, ...]

    @property
    def right(self) -> tuple[Paraphrase, ...]:
        return tuple(one for one in self.entries if one.right)

    @property
    def near(self) -> tuple[Paraphrase, ...]:
        return tuple(one for one in self.entries if not one.right)

    def deliveries(self, entry: Paraphrase) -> Iterator[tuple[Deliverable, tuple[Act, ...]]]:
        """What is delivered for an entry, in the order of the deliverables."""
        for id, deliverable in self.deliverables.items():
            acts = entry.acts.get(id, deliverable.usual)
            yield deliverable, tuple(_over(deliverable.usual, act) for act in acts)

    def share(self, which: str, today: date) -> tuple[Paraphrase, ...]:
        """`all`, `none`, or of a `tenth` those whose turn it is on this day, of right ones and near misses alike."""
        if which != "tenth":
            return self.entries if which == "all" else ()
        return tuple(
            one for group in (self.right, self.near) for at, one in enumerate(group) if at % PARTS == part_of(today)
        )


def _over(usual: tuple[Act, ...], act: Act) -> Act:
    """Cells as they usually are, but for those that are given; an empty text leaves one empty."""
    if not act.cells or not usual:
        return act
    cells = {**usual[-1].cells, **act.cells}
    return replace(act, cells={cell: value for cell, value in cells.items() if value != ""})


def part_of(today: date) -> int:
    """Which of the parts is this day's, from 0."""
    return today.toordinal() % PARTS


def source_of(folder: Path) -> str:
    """The text of the folder's paraphrases, in the one place where it is made."""
    return read_text(folder, NAME)


def load_paraphrases(folder: Path) -> Paraphrases | None:
    """The folder's paraphrases; None when it has none. Raises `TaskError` at the first thing that is wrong."""
    if not (folder / NAME).exists():
        return None
    found, problems = read_paraphrases(source_of(folder))
    if problems:
        one = problems[0]
        raise TaskError(one.rule, one.file, one.line, one.message, one.fix)
    return found


def read_paraphrases(text: str) -> tuple[Paraphrases, list[Finding]]:
    """What the text says, and everything that is wrong with it."""
    parse_yaml(text, NAME, Rule.PARAPHRASES)  # says what is wrong with the syntax
    reading = _Reading()
    return reading.read(yaml.compose(text, Loader=_LOADER)), reading.problems


class _Reading:
    """Goes through the document's nodes, which know their lines."""

    def __init__(self) -> None:
        self.problems: list[Finding] = []
        self.deliverables: dict[str, Deliverable] = {}
        self._seen: dict[object, int] = {}

    def wrong(self, node: Any, message: str, fix: str) -> None:
        line = node.start_mark.line + 1 if node is not None else 1
        self.problems.append(Finding(Rule.PARAPHRASES, NAME, line, message, fix))

    def read(self, document: Any) -> Paraphrases:
        top = self._mapping(document, "the file", ("format", "without", "deliverables", "right", "near"))
        if "format" not in top or top["format"].value != "1":
            self.wrong(top.get("format", document), "'format: 1' is missing or newer", "Write 'format: 1' at the top")
        without = tuple(self._word(one) for one in self._items(top.get("without"), "without"))
        if not without:
            self.wrong(
                top.get("without", document), "nothing of the solution is left out",
                "Name the functions of solution.py that deliver, as 'without: [tell]'",
            )  # fmt: skip
        self._read_deliverables(top.get("deliverables"), document)
        right = [self._right(number, node) for number, node in enumerate(self._items(top.get("right"), "right"), 1)]
        near = [self._near(number, node) for number, node in enumerate(self._items(top.get("near"), "near"), 1)]
        return Paraphrases(without, self.deliverables, (*right, *near))

    def _read_deliverables(self, node: Any, document: Any) -> None:
        said = self._mapping(node, "'deliverables'") if node is not None else {}
        if not said:
            self.wrong(
                node or document, "there is no deliverable",
                "Name what is delivered, as 'deliverables: {answer: {message: \"@user.name\"}}'",
            )  # fmt: skip
        for id, about in said.items():
            facts = self._mapping(about, f"'{id}'")
            kinds = [key for key in facts if key in KINDS]
            if len(kinds) != 1:
                self.wrong(about, f"'{id}' has {len(kinds)} kinds", f"Give it one of {', '.join(KINDS)}")
                continue
            kind, place = kinds[0], self._word(facts[kinds[0]])
            pattern, example, more = KINDS[kind]
            self._unknown(facts, f"'{id}'", (kind, "usual", *more))
            if not pattern.fullmatch(place):
                self.wrong(facts[kind], f"'{place}' is no place for '{kind}'", f"Write {example}")
            usual = self._acts(facts["usual"], kind) if "usual" in facts else ()
            others = {key: self._word(facts[key]) for key in more if key in facts}
            self.deliverables[id] = Deliverable(id, kind, place, others, usual)

    def _right(self, number: int, node: Any) -> Paraphrase:
        acts = self._entry(node, f"right {number}")
        return Paraphrase(f"right {number}", node.start_mark.line + 1, acts, right=True)

    def _near(self, number: int, node: Any) -> Paraphrase:
        name = f"near {number}"
        facts = self._mapping(node, f"'{name}'", ("text", "wrong", "result"))
        line = node.start_mark.line + 1
        if "wrong" not in facts or not self._word(facts["wrong"]):
            self.wrong(node, f"{name} does not say what is wrong with it", "Write 'wrong: …' beside its text")
        if "text" not in facts:
            self.wrong(node, f"{name} has no text", "Write 'text: …'")
        exactly = most = None
        result = self._word(facts["result"]) if "result" in facts else "less"
        if result.isdecimal():
            exactly = int(result)
        elif found := _AT_MOST.fullmatch(result):
            most = int(found[1])
        elif result != "less":
            self.wrong(facts["result"], f"'{result}' is no result", "Write a number, 'at most 3', or 'less'")
        acts = self._entry(facts["text"], name) if "text" in facts else {}
        wrong = self._word(facts["wrong"]) if "wrong" in facts else ""
        return Paraphrase(name, line, acts, right=False, wrong=wrong, exactly=exactly, most=most)

    def _entry(self, node: Any, name: str) -> dict[str, tuple[Act, ...]]:
        """What an entry delivers: a text or several for the first deliverable, or a mapping by their ids."""
        acts: dict[str, tuple[Act, ...]] = {}
        first = next(iter(self.deliverables), None)
        if isinstance(node, yaml.MappingNode) and not self._is_cells(node):
            for id, said in self._mapping(node, name).items():
                if id not in self.deliverables:
                    near = did_you_mean(id, list(self.deliverables))
                    known = ", ".join(self.deliverables) or "none"
                    self.wrong(said, f"{name}: there is no deliverable '{id}'.{near}", f"There are: {known}")
                else:
                    acts[id] = self._acts(said, self.deliverables[id].kind)
        elif first is not None:
            acts[first] = self._acts(node, self.deliverables[first].kind)
            if not acts[first]:
                self.wrong(node, f"{name} has no text", "Write one")
        key = tuple(
            (id, tuple((act.do, act.text, tuple(act.cells.items())) for act in acts[id])) for id in sorted(acts)
        )
        if acts and key in self._seen:
            self.wrong(node, f"{name} is the same as the entry of line {self._seen[key]}", "Keep one of them")
        self._seen.setdefault(key, node.start_mark.line + 1)
        return acts

    def _acts(self, node: Any, kind: str) -> tuple[Act, ...]:
        each = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return tuple(act for one in each if (act := self._act(one, kind)) is not None)

    def _act(self, node: Any, kind: str) -> Act | None:
        if isinstance(node, yaml.ScalarNode):
            if not node.value.strip():
                self.wrong(node, "a text is empty", "Write one, or [] for nothing at all")
                return None
            self._lines(node, kind)
            return Act("new", node.value)
        if kind == "sheet" and isinstance(node, yaml.MappingNode):
            return self._cells(node)
        facts = self._mapping(node, "a step")
        if len(facts) != 1 or not facts.keys() <= set(_ACTS):
            self.wrong(node, "this is neither a text nor a step", _TEXT_OR_STEP)
            return None
        ((do, said),) = facts.items()
        if do in ("reply", "delete") and kind != "message":
            self.wrong(node, f"'{do}' is for messages", "Write a text")
        return Act(do, self._word(said) if do != "delete" else "")

    def _lines(self, node: Any, kind: str) -> None:
        if kind not in LINES:
            return
        form, example = LINES[kind]
        for line in node.value.strip().splitlines():
            if not form.fullmatch(line.strip()):
                self.wrong(node, f"'{line.strip()}' is no line for '{kind}'", f"Write it as {example}")

    def _is_cells(self, node: Any) -> bool:
        return all(isinstance(key, yaml.ScalarNode) and _CELL.fullmatch(key.value) for key, _ in node.value)

    def _cells(self, node: Any) -> Act:
        cells: dict[str, str | float | date] = {}
        for cell, said in self._mapping(node, "a sheet").items():
            value = self._word(said)
            plain = isinstance(said, yaml.ScalarNode) and not said.style
            cells[cell] = self._plain(said, value) if plain else value
            if not _CELL.fullmatch(cell):
                self.wrong(said, f"'{cell}' is no cell", "Write its column and row, such as D4")
        return Act("new", cells=cells)

    def _plain(self, node: Any, value: str) -> str | float | date:
        """A number or a day, where it looks like one."""
        if _NUMBER.fullmatch(value):
            return float(value) if "." in value else int(value)
        if not _DAY.fullmatch(value):
            return value
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.wrong(node, f"there is no day {value}", "Write another one, or put it in quotes")
            return value

    # -- nodes ---------------------------------------------------------------------------------------------------

    def _mapping(self, node: Any, what: str, known: tuple[str, ...] | None = None) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            self.wrong(node, f"{what} is not a mapping", "Write 'key: value' lines")
            return {}
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if name in found:
                self.wrong(key, f"{what} has '{name}' twice", "Keep one of them")
            found[name] = value
        if known is not None:
            self._unknown(found, what, known)
        return found

    def _unknown(self, found: dict[str, Any], what: str, known: tuple[str, ...]) -> None:
        for key, value in found.items():
            if key not in known:
                near = did_you_mean(key, list(known))
                self.wrong(value, f"{what} has the unknown key '{key}'.{near}", f"There are: {', '.join(known)}")

    def _items(self, node: Any, what: str) -> list[Any]:
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.wrong(node, f"'{what}' is not a list", "Begin each entry with '- '")
            return []
        return list(node.value)

    def _word(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self.wrong(node, "this must be a text", "Write it in one piece")
            return ""
        return str(node.value)
