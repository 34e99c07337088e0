"""Excel workbooks, with openpyxl: every sheet, values as they would be read, formulas where no value was saved."""

from __future__ import annotations

from datetime import date, datetime, time
from io import BytesIO
from itertools import islice, zip_longest
from typing import Any

from dayjob.company.drive.previews.blocks import MOST_COLUMNS, MOST_ROWS

_MOST_SHEETS = 40


def xlsx(content: bytes) -> dict[str, Any]:
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # it ships no types

    values = load_workbook(BytesIO(content), read_only=True, data_only=True)
    formulas = load_workbook(BytesIO(content), read_only=True, data_only=False)
    sheets = []
    for name in values.sheetnames[:_MOST_SHEETS]:
        sheet, written = values[name], formulas[name]
        if not hasattr(sheet, "iter_rows"):
            sheets.append({"name": name, "rows": [], "notes": ["This sheet is a chart."]})
            continue
        sheets.append(_sheet(sheet, written, name))
    notes = []
    if len(values.sheetnames) > _MOST_SHEETS:
        notes.append(f"The first {_MOST_SHEETS} of {len(values.sheetnames)} sheets are shown.")
    return {"sheets": sheets, "notes": notes}


def _sheet(sheet: Any, written: Any, name: str) -> dict[str, Any]:
    rows: list[list[str]] = []
    wide = long = False
    for one in (sheet, written):
        one.reset_dimensions()
    pairs = zip_longest(sheet.iter_rows(), written.iter_rows(), fillvalue=())
    for cells, texts in islice(pairs, MOST_ROWS + 1):
        if len(rows) == MOST_ROWS:
            long = True
            break
        wide = wide or len(cells) > MOST_COLUMNS
        rows.append([_shown(cell, text) for cell, text in islice(zip_longest(cells, texts), MOST_COLUMNS)])
    notes = []
    if long:
        notes.append(f"The first {MOST_ROWS} rows are shown. Download the file for the rest.")
    if wide:
        notes.append(f"The first {MOST_COLUMNS} columns are shown.")
    if sheet.sheet_state != "visible":
        notes.append("This sheet is hidden in the workbook.")
    return {"name": name, "rows": trim(rows), "notes": notes}


def trim(rows: list[list[str]]) -> list[list[str]]:
    """Without empty rows at the end and empty columns at the right; every row equally long."""
    while rows and not any(rows[-1]):
        rows.pop()
    width = max((at + 1 for row in rows for at, text in enumerate(row) if text), default=0)
    return [(row + [""] * width)[:width] for row in rows]


def _shown(cell: Any, text: Any) -> str:
    value = cell.value if cell is not None else None
    if value is None:
        value = text.value if text is not None else None
    form = str(getattr(cell, "number_format", "") or "") if cell is not None else ""
    return as_read(value, form)


def as_read(value: Any, form: str = "") -> str:
    """A value as a person would read it in the cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (int, float)):
        return _number(value, form)
    return str(value)


def _number(value: int | float, form: str) -> str:
    after_point = form.partition(".")[2]
    places = len(after_point) - len(after_point.lstrip("0")) if "." in form else 0
    if "%" in form:
        return f"{value * 100:.{places}f}%"
    grouped = "," if "#,##0" in form else ""
    if places or grouped:
        return format(value, f"{grouped}.{places}f")
    return str(value) if isinstance(value, int) else f"{value:.10g}"
