"""Everything a world says, passage by passage: messages, issues, cards, lines of documents, rows of sheets.

A passage is what a reader takes in at once. Its place is a file of the world and a line, page or row of it; what stands
above it (a heading, a table's first row, the file's name) says what it is about, and is kept beside it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml

from dayjob.company.drive.previews.kinds import kind_of
from dayjob.company.drive.previews.office import docx, pptx
from dayjob.company.drive.previews.opendocument import odp, ods, odt
from dayjob.company.drive.previews.sheets import as_read
from dayjob.company.drive.previews.texts import decode
from dayjob.company.world.files import WorldFiles

_LARGEST = 4 * 1024 * 1024
_NOT_SAID = frozenset({"drive/times.yml"})
"""Files of a world that nobody in the company reads."""
_NO_WORDS = frozenset({"at", "hours", "answers", "password", "reactions", "voice", "asked", "about"})
"""What is written down for the company to run by, and is said by nobody: how people greet and thank, what they are
asked by and which matters are theirs, is no statement."""
_HEADING = re.compile(r"^#{1,6}\s+(.*)")
_OWN_LINE = re.compile(r"^\s*(?:[-*+]|\d+[.)]|\|)\s*\S")
_MARKER = re.compile(r"^(?:[-*+]|\d+[.)])\s+")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Passage:
    """What is said at one place. `about` is what stands above it, `answers` the message that it replies to."""

    file: str
    line: int
    text: str
    about: str = ""
    answers: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def passages(files: WorldFiles) -> Iterator[Passage]:
    """All passages of a world's files, file by file. What holds no text (pictures, archives) has none."""
    for relative in files.under(""):
        path = files.path(relative)
        state = path.stat()
        if state.st_size <= _LARGEST and relative not in _NOT_SAID:
            yield from _of_file(relative, path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4096)
def _of_file(relative: str, path: Path, changed: int, size: int) -> tuple[Passage, ...]:
    """Of one file, remembered for as long as it is not written."""
    content = path.read_bytes()
    kind = kind_of(path.name)
    if kind in _DOCUMENTS:
        return tuple(_of_document(relative, _DOCUMENTS[kind](content)))
    if kind == "xlsx":
        return tuple(_of_workbook(relative, content))
    if kind == "pdf":
        return tuple(_of_pdf(relative, content))
    text, encoding = decode(content)
    if not encoding:
        return ()
    if relative.endswith((".yml", ".yaml")) and (found := _of_yaml(relative, text)) is not None:
        return tuple(found)
    if kind == "csv":
        return tuple(_of_rows(relative, list(csv.reader(text.splitlines(), delimiter=_separator(text))), ""))
    return tuple(_of_text(relative, text, by_line=kind == "code"))


# -- text -----------------------------------------------------------------------------------------------------------


def _of_text(file: str, text: str, *, by_line: bool) -> Iterator[Passage]:
    """Paragraphs; items of lists, rows of tables and lines of source each by themselves."""
    heading, head, parts, began = "", "", list[str](), 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        title = None if by_line else _HEADING.match(line)
        alone = by_line or title is not None or _OWN_LINE.match(line) is not None
        if parts and (alone or not line.strip()):
            yield Passage(file, began, " ".join(parts), _above(file, heading, head))
            parts = []
        if title is not None:
            heading, head = title[1], ""
        if not line.strip():
            head = ""
        elif line.lstrip().startswith("|") and not head:
            head = line  # the first row of a table names its columns
        if not line.strip():
            continue
        if not parts:
            began = number
        parts.append(line.strip() if by_line else _MARKER.sub("", line.strip()))
        if alone and (by_line or title is not None or line.lstrip().startswith("|")):
            yield Passage(file, number, line.strip(), _above(file, heading, head))
            parts = []


def _above(file: str, *parts: str) -> str:
    return " · ".join(part for part in (Path(file).stem, *parts) if part)


# -- YAML -----------------------------------------------------------------------------------------------------------


def _of_yaml(file: str, text: str) -> list[Passage] | None:
    """Each mapping's own values as one passage: a message (not when it was sent), a card, a person.

    None for what is no YAML.
    """
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError:
        return None
    return list(_of_node(file, root, "")) if root is not None else []


def _of_node(file: str, node: yaml.Node, above: str, answers: str = "") -> Iterator[Passage]:
    if isinstance(node, yaml.MappingNode):
        own = [(key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]
        said = {name: words for name, value in own if name not in _NO_WORDS and (words := _plain(value))}
        if said:
            text = "; ".join(f"{name}: {words}" for name, words in said.items())
            yield Passage(file, node.start_mark.line + 1, text, _above(file, above), answers)
        above, answers = said.get("title") or said.get("name") or above, said.get("text", answers)
        for name, value in own:
            if name not in _NO_WORDS:
                yield from _of_node(file, value, above, answers)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _of_node(file, value, above, answers)


def _plain(node: yaml.Node) -> str:
    """A value that is no more than words, or a list of such."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value).strip()
    if isinstance(node, yaml.SequenceNode) and all(isinstance(one, yaml.ScalarNode) for one in node.value):
        return ", ".join(str(one.value) for one in node.value)
    return ""


# -- documents ------------------------------------------------------------------------------------------------------

_DOCUMENTS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "docx": docx, "pptx": pptx, "odt": odt, "ods": ods, "odp": odp,
}  # fmt: skip


def _of_document(file: str, read: dict[str, Any]) -> Iterator[Passage]:
    """Of a document as previews read it: sheets of rows, or blocks of text; slides have blocks too."""
    for sheet in read.get("sheets", ()):
        yield from _of_rows(file, sheet["rows"], sheet["name"])
    yield from _of_blocks(file, read.get("blocks", ()))
    for number, slide in enumerate(read.get("slides", ()), 1):
        title = str(slide.get("title") or "")
        if title:
            yield Passage(file, number, title, _above(file))
        for passage in _of_blocks(file, slide.get("blocks", ())):
            yield Passage(file, number, passage.text, _above(file, title))


def _of_workbook(file: str, content: bytes) -> Iterator[Passage]:
    """Every row of every sheet, hidden ones too; a formula has the value that was saved with it."""
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # it ships no types

    book = load_workbook(BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()
        rows = [[as_read(cell.value, str(cell.number_format or "")) for cell in row] for row in sheet.iter_rows()]
        yield from _of_rows(file, rows, sheet.title)


def _separator(text: str) -> str:
    return max(",;\t|", key=text.partition("\n")[0].count)


def _of_rows(file: str, rows: Sequence[Sequence[str]], name: str) -> Iterator[Passage]:
    """Each row with the names of its columns, which are in the first row that fills most of them."""
    head: Sequence[str] = ()
    for number, row in enumerate(rows, 1):
        filled = sum(bool(cell) for cell in row)
        if not head and filled >= 2 and filled > len(row) // 2:
            head = row
        cells = [
            f"{title}: {cell}" if title and row is not head else cell for title, cell in zip(head, row, strict=False)
        ]
        said = (
            "; ".join(cell for title, cell in zip(row, cells, strict=False) if title) if head else " ".join(row).strip()
        )
        if said:
            yield Passage(file, number, said, _above(file, name))


def _of_blocks(file: str, blocks: Sequence[dict[str, Any]]) -> Iterator[Passage]:
    heading = ""
    for number, block in enumerate(blocks, 1):
        if block["is"] == "heading":
            heading = block["text"]
        if block["is"] == "table":
            for row in _of_rows(file, block["rows"], heading):
                yield Passage(file, number, row.text, row.about)
            continue
        groups = block["items"] if block["is"] == "list" else [block["runs"]] if "runs" in block else []
        for text in ["".join(run["text"] for run in runs) for runs in groups] or [str(block.get("text", ""))]:
            if text.strip():
                yield Passage(file, number, text.strip(), _above(file, heading))


def _of_pdf(file: str, content: bytes) -> Iterator[Passage]:
    """Of a PDF its lines, each with the page it stands on; a page's own first line is what it is about."""
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    document = pypdfium2.PdfDocument(content)
    try:
        for number in range(len(document)):
            page = document[number].get_textpage()
            lines = [line.strip() for line in page.get_text_bounded().splitlines() if line.strip()]
            for line in lines:
                yield Passage(file, number + 1, line, _above(file, lines[0]))
    finally:
        document.close()
