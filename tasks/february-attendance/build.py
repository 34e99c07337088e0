"""The sheet of February with the times of some people exchanged, over the world's own."""

import openpyxl

SHEET = "drive/files/People/Attendance/2026-02-attendance.xlsx"
WORKS = ("office", "remote")


def build(values, made, world):
    if not values["pairs"]:
        return
    book = openpyxl.load_workbook(world / SHEET)
    columns = [cell.value for cell in book.active[1]]
    first = columns.index("arrival")
    rows = {
        (row[columns.index("date")].value, row[columns.index("username")].value): row
        for row in book.active.iter_rows(min_row=2)
        if row[columns.index("kind")].value in WORKS
    }
    for one, other in values["pairs"]:
        for day in {day for day, username in rows if username == one}:
            if (day, other) in rows:
                exchange(rows[day, one][first:], rows[day, other][first:])
    (made / "world" / SHEET).parent.mkdir(parents=True)
    book.save(made / "world" / SHEET)


def exchange(some, others):
    """The times, the break and the note of two rows."""
    for mine, theirs in zip(some, others, strict=True):
        mine.value, theirs.value = theirs.value, mine.value
