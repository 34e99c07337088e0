"""Documents as bytes that are the same every time: no moment of writing, no compression that a library may change.

Zip containers (xlsx, docx, pptx, odt, ods, odp) are stored uncompressed with one fixed moment; git compresses them.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from openpyxl import Workbook  # type: ignore[import-untyped]  # openpyxl ships no types
from openpyxl.styles import Alignment, Font, PatternFill  # type: ignore[import-untyped]  # likewise
from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]  # likewise
from pptx import Presentation
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]  # reportlab ships no types
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # likewise

MOMENT = (2026, 3, 6, 17, 0, 0)
_STAMP = b"2026-03-06T17:00:00Z"
_MOMENTS = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</)")
GREEN = "2F6B4F"
Row = Sequence[object]


def settled(data: bytes) -> bytes:
    """A zip container without the moment and the compression it happened to be written with."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        names = source.namelist()
        for name in sorted(names, key=lambda one: (one != "mimetype", one != "[Content_Types].xml", one)):
            content = source.read(name)
            if name == "docProps/core.xml":
                content = _MOMENTS.sub(rb"\g<1>" + _STAMP + rb"\g<2>", content)
            info = zipfile.ZipInfo(name, MOMENT)
            info.external_attr = 0o600 << 16
            target.writestr(info, content)
    return out.getvalue()


def saved(document: Any) -> bytes:
    """Whatever has a `save` that takes a file, as settled bytes."""
    out = io.BytesIO()
    document.save(out)
    return settled(out.getvalue())


def csv_text(header: Sequence[str], rows: Iterable[Row]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


# -- spreadsheets ------------------------------------------------------------------------------------------------


def workbook(title: str) -> Any:
    """An empty workbook of Larkspur; its sheets are added with `sheet`."""
    book = Workbook()
    book.remove(book.active)
    book.properties.creator = "Larkspur"
    book.properties.title = title
    return book


def sheet(book: Any, title: str, header: Sequence[str], rows: Iterable[Row], *, above: Sequence[str] = ()) -> Any:
    """A table with a coloured head; lines in `above` stand over it. Numbers and dates stay numbers and dates."""
    page = book.create_sheet(title)
    for line in above:
        page.append([line])
    page.append(list(header))
    top = len(above) + 1
    widths = [len(name) for name in header]
    for cell in page[top]:
        cell.font = Font(bold=True, color="FFFFFF")
        cell.fill = PatternFill("solid", start_color=GREEN)
        cell.alignment = Alignment(vertical="center")
    for row in rows:
        page.append(list(row))
        for n, cell in enumerate(page[page.max_row]):
            if isinstance(cell.value, date):
                cell.number_format = "yyyy-mm-dd"
            elif isinstance(cell.value, float):
                cell.number_format = "#,##0.00"
            if n < len(widths):
                widths[n] = max(widths[n], min(48, len(str(cell.value if cell.value is not None else ""))))
    for n, width in enumerate(widths, 1):
        page.column_dimensions[get_column_letter(n)].width = width + 3
    page.freeze_panes = page.cell(top + 1, 1)
    return page


def bold(page: Any, *cells: str) -> None:
    for cell in cells:
        page[cell].font = Font(bold=True)


# -- texts -------------------------------------------------------------------------------------------------------


def document(title: str, author: str = "Larkspur") -> Any:
    made = Document()
    made.core_properties.title = title
    made.core_properties.author = author
    made.core_properties.comments = ""
    _without_ballast(made)
    return made


def _without_ballast(made: Any) -> None:
    """The library's template carries half a megabyte of table styles twice; a letter needs one of them."""
    for style in list(made.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in ("Normal Table", "Table Grid"):
            style.delete()
    for owner in (made.part, made.part.package):
        for key, link in list(owner.rels.items()):
            if link.reltype.endswith(("/stylesWithEffects", "/thumbnail", "/customXml")):
                del owner.rels[key]


def table(made: Any, header: Sequence[str], rows: Iterable[Row]) -> Any:
    """A grid in a docx document, its first line in bold."""
    grid = made.add_table(rows=1, cols=len(header))
    grid.style = "Table Grid"
    for cell, name in zip(grid.rows[0].cells, header, strict=True):
        cell.text = ""
        cell.paragraphs[0].add_run(name).bold = True
    for row in rows:
        for cell, value in zip(grid.add_row().cells, row, strict=True):
            cell.text = "" if value is None else str(value)
    return grid


def slides(title: str, subtitle: str, pages: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """A title slide, then one slide for each heading with its points."""
    made = Presentation()
    made.core_properties.title = title
    made.core_properties.author = "Larkspur"
    first = made.slides.add_slide(made.slide_layouts[0])
    _text(first, 0, title)
    _text(first, 1, subtitle)
    for heading, points in pages:
        page = made.slides.add_slide(made.slide_layouts[1])
        _text(page, 0, heading)
        _text(page, 1, "\n".join(points))
    return saved(made)


def _text(page: Any, place: int, text: str) -> None:
    page.placeholders[place].text_frame.text = text


# -- pages -------------------------------------------------------------------------------------------------------


def pdf(title: str, draw: Callable[[Any], None], author: str = "Larkspur") -> bytes:
    """A PDF on A4; `draw` gets the canvas at the first page. Text stays uncompressed, so any reader finds it."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, pageCompression=0)
    canvas.setTitle(title)
    canvas.setAuthor(author)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return bytes(out.getvalue())


def lines(canvas: Any, x: float, y: float, texts: Iterable[str], *, size: float = 10, font: str = "Helvetica") -> float:
    """Text line by line from y downwards; gives the y below them."""
    canvas.setFont(font, size)
    for text in texts:
        canvas.drawString(x, y, text)
        y -= size * 1.4
    return y


def wrapped(text: str, width: int = 92) -> list[str]:
    """A paragraph as lines of at most `width` signs."""
    found: list[str] = [""]
    for word in text.split():
        if found[-1] and len(found[-1]) + 1 + len(word) > width:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
    return found


def euros(amount: float) -> str:
    return f"{amount:,.2f} EUR"
