"""Everything that is written at Larkspur, as plain text: chat, board, forge, and the documents of the drive by kind."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import odf.opendocument  # type: ignore[import-untyped]  # odfpy ships no types
import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
import pptx
import pypdfium2  # type: ignore[import-untyped]  # pypdfium2 ships no types
from odf import teletype

from tests.company.serving import WORLDS

LARKSPUR = WORLDS / "larkspur"
DRIVE = LARKSPUR / "drive"


def _sheets(path: Path) -> str:
    rows = (row for page in openpyxl.load_workbook(path) for row in page.iter_rows(values_only=True))
    return "\n".join(" | ".join("" if cell is None else str(cell) for cell in row) for row in rows)


def _document(path: Path) -> str:
    made = docx.Document(str(path))
    rows = (" | ".join(cell.text for cell in row.cells) for table in made.tables for row in table.rows)
    return "\n".join([*(part.text for part in made.paragraphs), *rows])


def _slides(path: Path) -> str:
    shapes = (shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes)
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def _pages(path: Path) -> str:
    # A page breaks its lines where they are full; sentences are read as one line.
    return "\n".join(" ".join(page.get_textpage().get_text_range().split()) for page in pypdfium2.PdfDocument(path))


def _open(path: Path) -> str:
    return "\n".join(teletype.extractText(part) for part in odf.opendocument.load(path).body.childNodes)


READ: dict[str, Callable[[Path], str]] = {
    ".xlsx": _sheets, ".docx": _document, ".pptx": _slides, ".pdf": _pages,
    ".odt": _open, ".ods": _open, ".odp": _open,
}  # fmt: skip
SILENT = {".png", ".jpg", ".jpeg", ".sqlite"}


@functools.cache
def documents() -> dict[str, str]:
    """Path below `drive/files` → what the document says."""
    return {
        path.relative_to(DRIVE / "files").as_posix(): READ.get(path.suffix.lower(), Path.read_text)(path)
        for path in sorted((DRIVE / "files").rglob("*"))
        if path.is_file() and path.suffix.lower() not in SILENT
    }


@functools.cache
def files() -> dict[str, str]:
    """Path below the world's folder → text, for all that is written as text: people, chat, board, forge."""
    kinds = {".yml", ".md", ".toml", ".html", ".sql", ".py", ".ts", ".go", ".sh", ".json"}
    return {
        path.relative_to(LARKSPUR).as_posix(): path.read_text("utf-8")
        for path in sorted(LARKSPUR.rglob("*"))
        if path.is_file() and path.suffix in kinds and DRIVE not in path.parents
    }


def everything() -> dict[str, str]:
    return {**files(), **{f"drive/files/{name}": text for name, text in documents().items()}}


def found(pattern: str, flags: int = 0) -> Iterator[tuple[str, re.Match[str]]]:
    """Where a pattern stands: the place and the match, line breaks and indentation read as one space."""
    for name, text in everything().items():
        for match in re.finditer(pattern, re.sub(r"\s*\n\s+", " ", text), flags):
            yield name, match
