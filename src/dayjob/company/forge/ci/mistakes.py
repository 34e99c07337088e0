"""What is wrong with a CI file: GitLab's sentence, then the file and the line, then what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml

from dayjob.company import outside_yaml
from dayjob.nearest import did_you_mean

MOST_TOLD = 100
"""Mistakes of one file that are looked for."""
_MANY_NAMES, _LONG_NAME = 100, 40
_SYNTAX = {
    "found undefined alias": "name it with & before, or put the text in quotes",
    "could not determine a constructor": "write no tag but !reference, or put the text in quotes",
    "found character that cannot start": "indent with spaces, or put the text in quotes",
    "month must": "put it in quotes", "day is": "put it in quotes", "hour must": "put it in quotes",
    "invalid literal": "put it in quotes", "the tag promises": "leave the tag out, or put what it promises",
    "but found another document": "write one document, without `---`",
}  # fmt: skip
"""What to do about a problem of YAML, by how it begins."""
NO_JOBS = "write jobs, each a name with `script` below it"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong."""

    sentence: str
    """In GitLab's words, where it has any."""
    fix: str
    path: tuple[str, ...] = ()
    """The key it is about, from the top of the file, with places in lists as numbers; empty for the file itself."""
    place: tuple[str, int] | None = None
    """The file and the line, where they are known without looking for the key."""
    alone: bool = False
    """Clients know the sentence as it is: the linter says place and fix beside it, as a warning."""


class Unfit(ValueError):
    """What the file says cannot be put together; the mistake says why."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake.sentence)
        self.mistake = mistake


def near(name: str, known: Iterable[str], otherwise: str) -> str:
    """The fix that names what was probably meant; looked for among few and short names only, since looking costs."""
    known = [one for one in known if len(one) <= _LONG_NAME]
    if len(name) > _LONG_NAME or len(known) > _MANY_NAMES:
        return otherwise
    return did_you_mean(name, known).strip().replace("Did you mean", "did you mean") or otherwise


def unreadable(error: Exception, file: str, spoken_of: str) -> Mistake:
    """The mistake of a document that is no YAML, or too much of it."""
    if isinstance(error, outside_yaml.YamlTooLarge):
        return Mistake(str(error), "write less, or fewer aliases of large parts", place=(file, 1))
    if not isinstance(error, yaml.MarkedYAMLError):
        return Mistake(str(error).split("\n", 1)[0], _syntax_fix(""), place=(file, 1))
    mark = error.problem_mark
    where = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
    line = mark.line + 1 if mark else 1
    return Mistake(f"({spoken_of}): {error.problem}{where}", _syntax_fix(str(error.problem)), place=(file, line))


def _syntax_fix(problem: str) -> str:
    found = (fix for begin, fix in _SYNTAX.items() if problem.startswith(begin))
    return next(found, "check the indents, quotes and brackets there")


class Sources:
    """The texts that a configuration was read from, and where in them a key stands."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.texts = {file: text}
        """The file itself, and those that it includes, in the order in which each is laid over those before it."""
        self.data: Mapping[str, Any] = {}
        """What they say together."""
        self._places: dict[tuple[str, ...], tuple[str, int]] | None = None

    def told(self, mistake: Mistake) -> str:
        """The sentence with file, line and fix."""
        return f"{mistake.sentence} ({self.where(mistake)}): {mistake.fix}"

    def where(self, mistake: Mistake) -> str:
        file, line = self.place_of(mistake)
        return f"{file} line {line}"

    def place_of(self, mistake: Mistake) -> tuple[str, int]:
        """The file and the line on which the key stands, or the nearest one above it."""
        if mistake.place is not None:
            return mistake.place
        if self._places is None:
            self._places = self._all_places()
        path = mistake.path
        for length in range(len(path), 0, -1):
            for home in self._homes(path[:length]):
                if home in self._places:
                    return self._places[home]
        return self.file, 1

    def _all_places(self) -> dict[tuple[str, ...], tuple[str, int]]:
        found: dict[tuple[str, ...], tuple[str, int]] = {}
        for file in (*(one for one in self.texts if one != self.file), self.file):
            with suppress(yaml.YAMLError, ValueError):
                found |= {path: (file, line) for path, line in outside_yaml.key_lines(self.texts[file]).items()}
        return found

    def _homes(self, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Where a job's key can stand: in the job, in what it extends, in what all jobs have."""
        yield path
        if len(path) > 1:
            seen: set[str] = set()
            for base in self._bases(path[0], seen):
                yield base, *path[1:]
            yield "default", *path[1:]
            yield path[1:]

    def _bases(self, job: str, seen: set[str]) -> Iterator[str]:
        found = self.data.get(job)
        extends = found.get("extends") if isinstance(found, dict) else None
        for base in reversed(extends if isinstance(extends, list) else [extends]):
            if isinstance(base, str) and base not in seen and len(seen) < _MANY_NAMES:
                seen.add(base)
                yield base
                yield from self._bases(base, seen)
