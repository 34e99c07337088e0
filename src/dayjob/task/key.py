"""key.yml: the values that a task's answers rest on, and what the author knows the company to say about each.

    - what: what the telephone costs Operations from April to June
      is: 918
      about: [telephone|phone, month]      # a passage speaks of it when it has a word of each
      says:
        - {in: chat/channels/finance.yml, words: 310.00 a month, is: agrees}
        - {in: drive/files/Finance/2026-q1-running-costs.csv, is: superseded, by: the new contract}
        - {in: "drive/files/Old/*", is: trap, why: the offer that was not taken}
        - {in: drive/files/Company/Policies/purchasing.md, is: unrelated}

What else the company says about a value is found by `dayjob.trial.contradictions`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from dayjob.task.findings import TaskError
from dayjob.task.rules import Rule

FILE = "key.yml"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SAYS = {"agrees": "", "superseded": "by", "trap": "why", "unrelated": ""}
"""What a passage can be, and what has to be said with it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the author says of passages: those of files that match `file` and have these words."""

    line: int
    file: str
    words: str
    verdict: str
    reason: str

    def covers(self, file: str, text: str) -> bool:
        return fnmatchcase(file, self.file) and squeezed(self.words) in squeezed(text)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the key. `among` are others that it could be, where it is neither a number nor a date."""

    line: int
    what: str
    value: str
    about: tuple[re.Pattern[str], ...]
    among: tuple[str, ...]
    marks: tuple[Mark, ...]


def squeezed(text: str) -> str:
    """As one reads it: whatever the case and the spaces."""
    return " ".join(text.split()).casefold()


def read_key(folder: Path) -> tuple[Value, ...]:
    """The values of a task's key; none without the file. Raises `TaskError`."""
    path = folder / FILE
    if not path.is_file():
        return ()
    try:
        root = yaml.compose(path.read_text("utf-8"), Loader=_Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise _bad(line, f"this is no YAML: {getattr(error, 'problem', error)}", "Mend the line") from error
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise _bad(1, "this is no list", "Write a list of values, each with what, is and about")
    return tuple(_value(node) for node in root.value)


def _value(node: yaml.Node) -> Value:
    found = _fields(node, {"what", "is", "about", "among", "says"}, needed=("what", "is", "about"))
    line = node.start_mark.line + 1
    about = tuple(_words(one) for one in _texts(found["about"]))
    if not about:
        raise _bad(line, "'about' is empty", "Say which words a passage about it has")
    says = found.get("says")
    if says is not None and not isinstance(says, yaml.SequenceNode):
        raise _bad(says.start_mark.line + 1, "'says' is no list", "Write a list of passages, each with in and is")
    marks = tuple(_mark(one) for one in says.value) if says is not None else ()
    among = _texts(found["among"]) if "among" in found else ()
    return Value(line, _text(found["what"]), _text(found["is"]), about, among, marks)


def _mark(node: yaml.Node) -> Mark:
    found = _fields(node, {"in", "words", "is", "by", "why"}, needed=("in", "is"))
    line, verdict = node.start_mark.line + 1, _text(found["is"])
    if verdict not in _SAYS:
        raise _bad(line, f"'{verdict}' is no verdict on a passage", f"Write one of {', '.join(_SAYS)}")
    reason = _SAYS[verdict]
    if reason and reason not in found:
        raise _bad(line, f"a passage that is {verdict} needs a reason", f"Add '{reason}'")
    said = _text(found[reason]) if reason else ""
    return Mark(line, _text(found["in"]), _text(found["words"]) if "words" in found else "", verdict, said)


def _fields(node: yaml.Node, known: set[str], needed: tuple[str, ...]) -> dict[str, yaml.Node]:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise _bad(line, "this is no mapping", f"Write one with {', '.join(needed)}")
    found = {str(key.value): value for key, value in node.value}
    for name in found:
        if name not in known:
            raise _bad(line, f"nobody reads '{name}'", f"There are {', '.join(sorted(known))}")
    for name in needed:
        if name not in found:
            raise _bad(line, f"'{name}' is missing", f"Add '{name}'")
    return found


def _text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        raise _bad(node.start_mark.line + 1, "this is neither a text nor a number", "Write one")
    return str(node.value)


def _texts(node: yaml.Node) -> tuple[str, ...]:
    return tuple(_text(one) for one in node.value) if isinstance(node, yaml.SequenceNode) else (_text(node),)


def _bad(line: int, message: str, fix: str) -> TaskError:
    return TaskError(Rule.KEY, FILE, line, message, fix)


def _words(text: str) -> re.Pattern[str]:
    """One of the words that `|` parts, from its beginning: `telephone` is in `telephones`."""
    parts = [re.escape(part.strip()) for part in text.split("|") if part.strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})", re.IGNORECASE)
