"""Plain text, Markdown, source and comma-separated tables, read here: their readers are small and bounded by length."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.company.drive.previews.blocks import MOST_COLUMNS, MOST_ROWS

SHOWN = 256 * 1024
EDITED = 1024 * 1024


@dataclass(slots=True)
class Text:
    """A file's text, or the beginning of it. `encoding` is empty when it is no text at all."""

    text: str
    encoding: str
    notes: list[str] = field(default_factory=list)


def read_text(path: Path, limit: int = SHOWN) -> Text:
    with path.open("rb") as file:
        raw = file.read(limit + 1)
    cut = len(raw) > limit
    text, encoding = decode(raw[:limit], cut=cut)
    notes = [f"The first {limit // 1024} KB are shown. Download the file for the rest."] if cut and encoding else []
    return Text(text.replace("\r\n", "\n"), encoding, notes)


def decode(raw: bytes, *, cut: bool = False) -> tuple[str, str]:
    """The text and its encoding; no encoding for what is not text."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw[: len(raw) // 2 * 2].decode("utf-16"), "utf-16"
        except UnicodeDecodeError:
            return "", ""
    if b"\0" in raw:
        return "", ""
    for end in range(4 if cut else 1):  # a cut may go through the middle of a letter
        try:
            return raw[: len(raw) - end].decode("utf-8-sig"), "utf-8"
        except UnicodeDecodeError:
            continue
    return raw.decode("cp1252", "replace"), "cp1252"


def read_table(text: str, name: str) -> dict[str, Any]:
    """A comma-separated file as one sheet, whatever its separator."""
    separator = "\t" if name.lower().endswith(".tsv") else _separator(text)
    rows: list[list[str]] = []
    notes: list[str] = []
    try:
        for row in csv.reader(text.splitlines(keepends=True), delimiter=separator):
            if len(rows) == MOST_ROWS:
                notes.append(f"The first {MOST_ROWS} rows are shown. Download the file for the rest.")
                break
            rows.append(row[:MOST_COLUMNS])
    except csv.Error:
        notes.append("A line of this file is not a row of a table; what stands before it is shown.")
    width = max(map(len, rows), default=0)
    return {"sheets": [{"name": name, "rows": [row + [""] * (width - len(row)) for row in rows], "notes": notes}]}


def _separator(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t|", key=first.count) if any(one in first for one in ",;\t|") else ","
