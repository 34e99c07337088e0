"""What previews read out of documents: values as people read them, what is hidden or cut said, texts by letters."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from dayjob.company.drive.previews.blocks import MOST_COLUMNS, MOST_ROWS, heading
from dayjob.company.drive.previews.opendocument import odt
from dayjob.company.drive.previews.sheets import as_read, trim, xlsx
from dayjob.company.drive.previews.texts import decode, read_table, read_text


@pytest.mark.parametrize(
    ("value", "form", "read"),
    [
        (None, "", ""), ("text", "0.00", "text"), (True, "", "TRUE"), (False, "", "FALSE"),
        (date(2026, 3, 9), "", "2026-03-09"), (time(9, 30), "", "09:30:00"),
        (datetime(2026, 3, 9), "", "2026-03-09"), (datetime(2026, 3, 9, 9, 30), "", "2026-03-09 09:30"),
        (7, "", "7"), (0.1 + 0.2, "", "0.3"), (1234.5, "#,##0.00", "1,234.50"), (1234.5, "#,##0", "1,234"),
        (1234.567, "0.0", "1234.6"), (0.256, "0%", "26%"), (0.256, "0.0%", "25.6%"), (3, "0.00", "3.00"),
        (12, "General", "12"),
    ],
)  # fmt: skip
def test_a_cell_is_shown_as_a_person_reads_it(value: Any, form: str, read: str) -> None:
    assert as_read(value, form) == read


def test_empty_rows_at_the_end_and_columns_at_the_right_are_left_out() -> None:
    assert trim([["", "a", "", ""], [], ["b"], ["", ""], []]) == [["", "a"], ["", ""], ["b", ""]]
    assert trim([["", ""], [""]]) == trim([]) == []


def workbook(rows: int, columns: int, *, hidden: bool = False, sheets: int = 1) -> bytes:
    from openpyxl import Workbook  # type: ignore[import-untyped]  # it ships no types

    book = Workbook()
    for _ in range(rows):
        book.active.append(list(range(columns)))
    for number in range(1, sheets):
        book.create_sheet(f"More {number}")
    if hidden:
        book.create_sheet("Visible")
        book.active.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("facts", "shown", "said"),
    [
        ({"rows": 2, "columns": 3}, (2, 3), []),
        ({"rows": 2, "columns": 3, "hidden": True}, (2, 3), ["hidden"]),
        ({"rows": MOST_ROWS, "columns": MOST_COLUMNS}, (MOST_ROWS, MOST_COLUMNS), []),
        ({"rows": MOST_ROWS + 1, "columns": 1}, (MOST_ROWS, 1), ["rows"]),
        ({"rows": 1, "columns": MOST_COLUMNS + 1}, (1, MOST_COLUMNS), ["columns"]),
    ],
)
def test_what_is_hidden_or_cut_of_a_sheet_is_said(
    facts: dict[str, Any], shown: tuple[int, int], said: list[str]
) -> None:
    sheet = xlsx(workbook(**facts))["sheets"][0]
    assert (len(sheet["rows"]), len(sheet["rows"][0])) == shown
    assert len(sheet["notes"]) == len(said)
    assert all(word in note for word, note in zip(said, sheet["notes"], strict=True))


@pytest.mark.parametrize(("sheets", "shown", "notes"), [(40, 40, 0), (41, 40, 1)])
def test_of_many_sheets_the_first_are_shown(sheets: int, shown: int, notes: int) -> None:
    found = xlsx(workbook(1, 1, sheets=sheets))
    assert (len(found["sheets"]), len(found["notes"])) == (shown, notes)


def written(depth: int, *, picture: bool = False) -> bytes:
    """An OpenDocument text with a paragraph that many sections deep."""
    from odf.draw import Frame, Image  # type: ignore[import-untyped]  # it ships no types
    from odf.opendocument import OpenDocumentText  # type: ignore[import-untyped]  # it ships no types
    from odf.text import P, Section  # type: ignore[import-untyped]  # it ships no types

    document = OpenDocumentText()
    place = document.text
    for number in range(depth):
        section = Section(name=str(number))
        place.addElement(section)
        place = section
    place.addElement(P(text="deep"))
    if picture:
        frame = Frame()
        frame.addElement(Image(href="Pictures/a.png"))
        document.text.addElement(frame)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize(("depth", "read"), [(0, True), (12, True), (13, False)])
def test_a_document_is_read_so_deep_and_no_deeper(depth: int, read: bool) -> None:
    texts = [run["text"] for block in odt(written(depth))["blocks"] for run in block["runs"]]
    assert texts == (["deep"] if read else [])


def test_pictures_of_a_document_are_said_to_be_left_out() -> None:
    assert odt(written(0))["notes"] == []
    found = odt(written(0, picture=True))
    assert [block["is"] for block in found["blocks"]] == ["paragraph"]
    assert found["notes"] == ["Pictures in this document are not shown. Download it to see them."]


@pytest.mark.parametrize(("level", "shown"), [(0, 1), (1, 1), (4, 4), (5, 4)])
def test_headings_have_four_levels(level: int, shown: int) -> None:
    assert heading("x", level)["level"] == shown


@pytest.mark.parametrize(
    ("raw", "cut", "text", "encoding"),
    [
        (b"plain", False, "plain", "utf-8"), ("\ufeffé".encode(), False, "é", "utf-8"),
        ("é€".encode()[:-1], True, "é", "utf-8"), ("é€".encode()[:-2], True, "é", "utf-8"),
        ("é€".encode()[:-1], False, "Ã©â‚", "cp1252"), (b"caf\xe9", False, "café", "cp1252"),
        ("é".encode("utf-16"), False, "é", "utf-16"), (b"\xff\xfe\x00", False, "", "utf-16"), (b"a\0b", False, "", ""),
    ],
)  # fmt: skip
def test_a_text_is_read_in_the_letters_it_was_written_in(raw: bytes, cut: bool, text: str, encoding: str) -> None:
    assert decode(raw, cut=cut) == (text, encoding)


@pytest.mark.parametrize(("size", "notes"), [(1024, 0), (1025, 1)])
def test_a_text_that_is_cut_says_how_much_of_it_is_shown(tmp_path: Path, size: int, notes: int) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * size)
    found = read_text(tmp_path / "a.txt", 1024)
    assert (len(found.text), len(found.notes)) == (1024, notes)
    assert all("1 KB" in note for note in found.notes)


@pytest.mark.parametrize(("rows", "shown", "notes"), [(MOST_ROWS, MOST_ROWS, 0), (MOST_ROWS + 1, MOST_ROWS, 1)])
def test_a_table_that_is_cut_says_so(rows: int, shown: int, notes: int) -> None:
    found = read_table("a;b\n" * rows, "x.csv")
    (sheet,) = found["sheets"]
    assert (len(sheet["rows"]), sheet["rows"][0]) == (shown, ["a", "b"])
    assert len(sheet["notes"]) + len(found.get("notes", [])) == notes
