"""A unified difference as rows of a table: line numbers of both sides, colours of the language, threads in between."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from dayjob.company.pages.highlight import lines

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
AT_ONCE = 20_000
"""Longer texts are coloured in a thread, so that nobody else waits for them."""
ROWS = 3000
"""Longer differences of one file are cut off, and the page says so."""


@dataclass(slots=True)
class Row:
    """One line. `kind` is add, del, same, hunk or note."""

    kind: str
    old: int | None
    new: int | None
    html: Markup
    threads: list[Any] = field(default_factory=list)

    @property
    def sign(self) -> str:
        return {"add": "+", "del": "-"}.get(self.kind, " ")

    @property
    def key(self) -> str:
        """`OLD-NEW`, which names the line in an address."""
        return f"{self.old or ''}-{self.new or ''}"


@dataclass(slots=True)
class FileDiff:
    """What happened to one file."""

    number: int
    path: str
    before: str
    verb: str
    rows: list[Row]
    added: int
    removed: int
    note: str = ""

    @property
    def anchor(self) -> str:
        return f"file-{self.number}"


async def files(diffs: list[dict[str, Any]]) -> list[FileDiff]:
    """The wire's differences, ready to be shown; long ones are coloured off the loop."""
    if sum(len(one["diff"]) for one in diffs) > AT_ONCE:
        return await asyncio.to_thread(_files, diffs)
    return _files(diffs)


def _files(diffs: list[dict[str, Any]]) -> list[FileDiff]:
    return [_file(number, one) for number, one in enumerate(diffs, 1)]


def _file(number: int, diff: dict[str, Any]) -> FileDiff:
    path, before = diff["new_path"], diff["old_path"]
    verb = (
        "added" if diff["new_file"]
        else "deleted" if diff["deleted_file"]
        else "renamed" if diff["renamed_file"]
        else "changed"
    )  # fmt: skip
    found = FileDiff(number, path, before, verb, [], 0, 0)
    text: str = diff["diff"]
    if diff.get("too_large"):
        found.note = "This difference is too large to be shown."
    elif text.startswith("Binary files"):
        found.note = "A binary file: its content is not shown."
    elif not text:
        found.note = "The content is the same." if verb == "renamed" else "An empty file." if verb == "added" else ""
    else:
        found.rows = _rows(text, path)
        found.added = sum(row.kind == "add" for row in found.rows)
        found.removed = sum(row.kind == "del" for row in found.rows)
        if len(found.rows) > ROWS:
            found.rows = found.rows[:ROWS]
            found.note = f"Only the first {ROWS} lines are shown."
    return found


def _rows(text: str, path: str) -> list[Row]:
    rows: list[Row] = []
    pending: list[tuple[str, str]] = []
    start = (0, 0)
    for line in text.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            rows += _coloured(pending, start, path)
            pending, start = [], (int(hunk[1]), int(hunk[2]))
            rows.append(Row("hunk", None, None, Markup.escape(line)))
        elif line[:1] in ("+", "-", " ", "\\"):
            pending.append((line[0], line[1:]))
    return rows + _coloured(pending, start, path)


def _coloured(pending: list[tuple[str, str]], start: tuple[int, int], path: str) -> list[Row]:
    """The lines of one hunk; each side is coloured as a text of its own, so that strings over lines keep theirs."""
    old = iter(lines("\n".join(text for sign, text in pending if sign in "- "), path))
    new = iter(lines("\n".join(text for sign, text in pending if sign in "+ "), path))
    before, after = start
    rows: list[Row] = []
    for sign, text in pending:
        if sign == "\\":
            rows.append(Row("note", None, None, Markup.escape(text.strip())))
            continue
        if sign in "- ":
            left = next(old, "")
        if sign in "+ ":
            right = next(new, "")
        kind = {"+": "add", "-": "del", " ": "same"}[sign]
        html = Markup(left if sign == "-" else right)
        rows.append(Row(kind, before if sign != "+" else None, after if sign != "-" else None, html))
        before += sign != "+"
        after += sign != "-"
    return rows


def place_threads(shown: list[FileDiff], threads: list[dict[str, Any]]) -> None:
    """Put each thread on a line under the line it is about; one whose line is gone stays in the overview only."""
    by_line = {
        (file.path if row.new else file.before, row.old if not row.new else None, row.new): row
        for file in shown
        for row in file.rows
        if row.kind in ("add", "del", "same")
    }
    for thread in threads:
        place = thread["notes"][0].get("position")
        if not place:
            continue
        new, old = place.get("new_line"), place.get("old_line")
        key = (place.get("new_path") if new else place.get("old_path"), None if new else old, new)
        row = by_line.get(key)
        if row is not None:
            row.threads.append(thread)
