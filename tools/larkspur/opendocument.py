"""OpenDocument files by odfpy: spreadsheets, texts and slides, as bytes that are the same every time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from odf.draw import Frame, Page, TextBox  # type: ignore[import-untyped]  # odfpy ships no types
from odf.opendocument import (  # type: ignore[import-untyped]  # likewise
    OpenDocumentPresentation,
    OpenDocumentSpreadsheet,
    OpenDocumentText,
)
from odf.style import MasterPage, PageLayout, PageLayoutProperties  # type: ignore[import-untyped]  # likewise
from odf.table import Table, TableCell, TableRow  # type: ignore[import-untyped]  # likewise
from odf.text import H, List, ListItem, P  # type: ignore[import-untyped]  # likewise

from tools.larkspur.containers import settled


def _saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.write(out)
    return settled(out.getvalue())


def ods(title: str, rows: Iterable[Sequence[object]]) -> bytes:
    """One sheet; numbers and days stay numbers and days."""
    made = OpenDocumentSpreadsheet()
    table = Table(name=title)
    for row in rows:
        line = TableRow()
        for value in row:
            line.addElement(_cell(value))
        table.addElement(line)
    made.spreadsheet.addElement(table)
    return _saved(made)


def _cell(value: object) -> Any:
    if value is None:
        return TableCell()
    if isinstance(value, date):
        cell = TableCell(valuetype="date", datevalue=value.isoformat())
    elif isinstance(value, int | float):
        cell = TableCell(valuetype="float", value=value)
    else:
        cell = TableCell(valuetype="string")
    cell.addElement(P(text=f"{value:.2f}" if isinstance(value, float) else str(value)))
    return cell


def odt(title: str, sections: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """A heading, then sections of paragraphs; a paragraph that starts with `- ` is a point in a list."""
    made = OpenDocumentText()
    made.text.addElement(H(outlinelevel=1, text=title))
    for heading, paragraphs in sections:
        made.text.addElement(H(outlinelevel=2, text=heading))
        for text in paragraphs:
            if text.startswith("- "):
                points, item = List(), ListItem()
                item.addElement(P(text=text[2:]))
                points.addElement(item)
                made.text.addElement(points)
            else:
                made.text.addElement(P(text=text))
    return _saved(made)


def odp(pages: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """Slides with a heading and lines below it."""
    made = OpenDocumentPresentation()
    layout = PageLayout(name="Screen")
    layout.addElement(PageLayoutProperties(pagewidth="28cm", pageheight="21cm", printorientation="landscape"))
    made.automaticstyles.addElement(layout)
    master = MasterPage(name="Larkspur", pagelayoutname=layout)
    made.masterstyles.addElement(master)
    for n, (heading, texts) in enumerate(pages, 1):
        page = Page(masterpagename=master, name=f"Slide {n}")
        for place, height, content in (("1.5cm", "3cm", [heading]), ("5cm", "14cm", texts)):
            frame = Frame(width="25cm", height=height, x="1.5cm", y=place)
            box = TextBox()
            for text in content:
                box.addElement(P(text=text))
            frame.addElement(box)
            page.addElement(frame)
        made.presentation.addElement(page)
    return _saved(made)
