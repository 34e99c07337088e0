"""Documents for the previews: good ones with a known text, and hostile ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

SCRIPT = "<script>alert('ran')</script>"


def docx(text: str = "Quarterly plan") -> bytes:
    from docx import Document

    document = Document()
    document.add_heading(text, 1)
    paragraph = document.add_paragraph("Growth is ")
    paragraph.add_run("steady").bold = True
    document.add_paragraph("first point", style="List Bullet")
    table = document.add_table(2, 2)
    table.cell(1, 1).text = "cell four"
    return _saved(document.save)


def xlsx(text: str = "Quarterly plan") -> bytes:
    from openpyxl import Workbook  # type: ignore[import-untyped]  # it ships no types

    book = Workbook()
    sheet = book.active
    sheet.title = "Totals"
    sheet.append([text, 1234.5, "=SUM(B1:B1)"])
    sheet["B1"].number_format = "#,##0.00"
    book.create_sheet("Second").append(["on the second sheet"])
    long = book.create_sheet("Long")
    for number in range(1000):
        long.append([number])
    return _saved(book.save)


def pptx(text: str = "Quarterly plan") -> bytes:
    from pptx import Presentation

    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = text
    slide.placeholders[1].text = "one\ntwo"
    slide.notes_slide.notes_text_frame.text = "say it slowly"
    return _saved(show.save)


def odt(text: str = "Quarterly plan") -> bytes:
    from odf.opendocument import OpenDocumentText  # type: ignore[import-untyped]  # it ships no types
    from odf.text import H, List, ListItem, P  # type: ignore[import-untyped]  # it ships no types

    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text=text))
    document.text.addElement(P(text="Growth is steady"))
    points, point = List(), ListItem()
    point.addElement(P(text="first point"))
    points.addElement(point)
    document.text.addElement(points)
    return _saved(document.write)


def ods(text: str = "Quarterly plan") -> bytes:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow  # type: ignore[import-untyped]  # it ships no types
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    sheet, row = Table(name="Totals"), TableRow()
    for content in (text, "1234"):
        cell = TableCell()
        cell.addElement(P(text=content))
        row.addElement(cell)
    row.addElement(TableCell(numbercolumnsrepeated=16000))
    sheet.addElement(row)
    sheet.addElement(TableRow(numberrowsrepeated=1000000))
    document.spreadsheet.addElement(sheet)
    return _saved(document.write)


def odp(text: str = "Quarterly plan") -> bytes:
    from odf.draw import Frame, Page, TextBox  # type: ignore[import-untyped]  # it ships no types
    from odf.opendocument import OpenDocumentPresentation
    from odf.style import MasterPage, PageLayout  # type: ignore[import-untyped]  # it ships no types
    from odf.text import P

    document = OpenDocumentPresentation()
    layout = PageLayout(name="L")
    document.automaticstyles.addElement(layout)
    master = MasterPage(name="M", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    page, frame, box = Page(masterpagename=master), Frame(width="10cm", height="2cm"), TextBox()
    box.addElement(P(text=text))
    frame.addElement(box)
    page.addElement(frame)
    document.presentation.addElement(page)
    return _saved(document.write)


def pdf(text: str = "Quarterly plan", pages: int = 1) -> bytes:
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # it ships no types

    out = io.BytesIO()
    canvas = Canvas(out)
    for number in range(pages):
        canvas.drawString(72, 720, f"{text} {number + 1}")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def png() -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(out, "PNG")
    return out.getvalue()


MAKERS: dict[str, Callable[[], bytes]] = {
    "docx": docx, "xlsx": xlsx, "pptx": pptx, "odt": odt, "ods": ods, "odp": odp, "pdf": pdf, "png": png,
}  # fmt: skip


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


# -- hostile ------------------------------------------------------------------------------------------------------


def replaced(package: bytes, part: str, content: bytes) -> bytes:
    """The same package with another part in place of one of its own."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, content if info.filename == part else old.read(info))
    return out.getvalue()


def zip_bomb(package: bytes, part: str) -> bytes:
    """A part that unpacks to two hundred megabytes."""
    return replaced(package, part, b"<a>" + b" " * 200_000_000)


def entity_bomb(package: bytes, part: str) -> bytes:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">{levels}]><a>&l9;</a>'
    return replaced(package, part, text.encode())


def late_entity_bomb(package: bytes, part: str) -> bytes:
    """The same in an encoding that a plain search does not see through."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY l0 "lol">{levels}]><a>&l9;</a>'
    return replaced(package, part, text.encode("utf-16"))


def deep(package: bytes, part: str) -> bytes:
    return replaced(package, part, b"<a>" * 200_000 + b"</a>" * 200_000)
