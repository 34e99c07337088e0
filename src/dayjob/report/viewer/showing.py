"""A delivered file as a page shows it: text, a table, a document's blocks, a picture, and its difference from before.

Office files and PDFs are read by the drive's own previews, each in a confined process with little time and memory.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.company.drive.previews.kinds import WRITTEN, kind_of
from dayjob.company.drive.previews.runner import document
from dayjob.company.drive.previews.texts import SHOWN, decode, read_table
from dayjob.report.viewer.diff import text_diff
from dayjob.report.viewer.evidence import picture_kind

_DOCUMENTS = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "pdf")
_MOST_CELLS = 8000


@dataclass(frozen=True, slots=True)
class Shown:
    """`text`, tables, lines of a difference, or a picture; `problem` says why there is nothing to see."""

    text: str = ""
    tables: list[dict[str, Any]] = field(default_factory=list)
    """Each with `name` and `rows`."""
    lines: list[str] = field(default_factory=list)
    picture: bool = False
    problem: str = ""
    cut: bool = False


def shown(name: str, new: bytes | None, old: bytes | None = None) -> Shown:
    """How a file is now; against `old`, where that is text as well, what differs."""
    if new is None:
        return Shown(problem="Its content was not kept, or is too large to be shown.")
    if not new:
        return Shown(problem="The file is empty.")
    kind = kind_of(name)
    if kind == "image" and picture_kind(new):
        return Shown(picture=True)
    if kind in _DOCUMENTS:
        return _document(kind, new, old)
    text, encoding = decode(new[:SHOWN], cut=len(new) > SHOWN)
    if not encoding or kind not in (*WRITTEN, "other"):
        return Shown(problem="There is no preview of this kind of file.")
    cut = len(new) > SHOWN
    before = decode(old[:SHOWN], cut=len(old) > SHOWN) if old is not None else ("", "")
    if before[1]:
        return Shown(lines=text_diff(before[0], text), cut=cut)
    if kind == "csv":
        return Shown(tables=_fitting(read_table(text, name)["sheets"]), cut=cut)
    return Shown(text=text.replace("\r\n", "\n"), cut=cut)


def _document(kind: str, new: bytes, old: bytes | None) -> Shown:
    found = _read(kind, new)
    if "problem" in found:
        return Shown(problem=str(found["problem"]))
    before = _read(kind, old) if old is not None else None
    if before is not None and "problem" not in before:
        return Shown(lines=text_diff(_as_text(before), _as_text(found)))
    if "sheets" in found:
        return Shown(tables=_fitting(found["sheets"]))
    return Shown(text=_as_text(found))


def _read(kind: str, content: bytes) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile(prefix="dayjob-view-") as file:
        file.write(content)
        file.flush()
        return document(kind, Path(file.name), len(content))


def _as_text(found: dict[str, Any]) -> str:
    """A document's words, in the order of its pages; tables a row a line."""
    if "sheets" in found:
        parts = [line for sheet in found["sheets"] for line in (f"[{sheet['name']}]", *map(_row, sheet["rows"]))]
    elif "pages" in found:
        parts = [str(page["text"]) for page in found["pages"]]
    elif "slides" in found:
        parts = [line for slide in found["slides"] for line in (f"# {slide['title']}", *_lines(slide["blocks"]))]
    else:
        parts = _lines(found["blocks"])
    return "\n".join(parts)


def _lines(blocks: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    for block in blocks:
        match block["is"]:
            case "heading":
                found.append(f"{'#' * block['level']} {block['text']}")
            case "paragraph":
                found.append("".join(one["text"] for one in block["runs"]))
            case "list":
                found += ["- " + "".join(one["text"] for one in item) for item in block["items"]]
            case "table":
                found += map(_row, block["rows"])
            case _:
                found.append(f"[{block['text']}]")
    return found


def _row(cells: list[str]) -> str:
    return " | ".join(cells)


def _fitting(sheets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many rows as a page can take."""
    found, left = [], _MOST_CELLS
    for sheet in sheets:
        rows = sheet["rows"][: max(0, left // max(1, len(sheet["rows"][0]) if sheet["rows"] else 1))]
        left -= sum(map(len, rows))
        found.append({"name": sheet["name"], "rows": rows, "cut": len(rows) < len(sheet["rows"])})
    return found
