"""A mutant: one edit of one source file, placed by byte offsets, known by its text rather than by its line number."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Edit:
    """Bytes `start` to `end` of a file become `new`; `kind` names the operator that made it."""

    start: int
    end: int
    new: bytes
    kind: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.new + source[self.end :]


@dataclass(frozen=True)
class Mutant:
    """An edit in its place: the file, the function, and the lines of the statement it changes."""

    path: str
    function: str
    first: int
    last: int
    edit: Edit
    source: bytes

    @cached_property
    def line(self) -> int:
        return self.source.count(b"\n", 0, self.edit.start) + 1

    @property
    def text(self) -> bytes:
        """The whole file with the edit made."""
        return self.edit.apply(self.source)

    def compiles(self) -> bool:
        """Whether it is a program at all; asked of those that are picked, because it costs milliseconds."""
        try:
            ast.parse(self.text)
        except (SyntaxError, ValueError):
            return False
        return True

    @cached_property
    def diff(self) -> tuple[str, str]:
        """The changed lines before and after, each joined to one line."""
        start = self.source.rfind(b"\n", 0, self.edit.start) + 1
        end = self.source.find(b"\n", self.edit.end)
        end = len(self.source) if end < 0 else end
        before = self.source[start:end]
        after = self.source[start : self.edit.start] + self.edit.new + self.source[self.edit.end : end]
        return _one_line(before), _one_line(after)

    @cached_property
    def key(self) -> str:
        """The same as long as the file is the same but for other edits of it."""
        return hashlib.sha256(self.path.encode() + b"\0" + self.text).hexdigest()[:20]

    @property
    def module_level(self) -> bool:
        """Whether the line runs when the module is imported, where no test's context sees it."""
        return self.function == ""


def _one_line(text: bytes) -> str:
    return " ".join(part.strip() for part in text.decode("utf-8").splitlines()).strip()
