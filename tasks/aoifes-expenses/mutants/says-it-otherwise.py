"""Right, in another form: days and amounts as text, one line for both day rates, a zero line, a sum below."""

import io

import openpyxl
from solution import ask_tomas, claims, form, put

franc, full_day = ask_tomas()
book = openpyxl.load_workbook(io.BytesIO(form([])))
page = book.active
for row, value in enumerate(
    ("Byrne, Aoife", "Customers team", "600", "02/2026", "282,40 EUR", "9 March 2026"), start=2
):
    page.cell(row, 2, value)
lines = [line for line in claims(franc, full_day) if line[1] != "day rate"]
lines.insert(2, (18, "day rate", "Fair in Basel, there and back (18 and 19 Feb)", "Meals", full_day, None, "day rate"))
for at, (day, vendor, purpose, category, amount, yes, receipt) in enumerate(lines, start=10):
    cells = (f"{day} February 2026", vendor, purpose, category, f"{amount:.2f}".replace(".", ","), yes, receipt)
    for column, value in enumerate(cells, start=1):
        page.cell(at, column, value)
page.append(["19/02/2026", "Hotel Rheinblick", "Minibar, not paid", "other", 0.0])
page.append([None, "Total", None, None, 282.4])
content = io.BytesIO()
book.save(content)
put(content.getvalue())
