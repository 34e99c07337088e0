"""The expense form as xlsx and ods, and two that were handed in: Luca's for January, Marek's for the fair in Essen.

Their amounts follow the policies on expenses and travel; the test says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from openpyxl.styles import Font  # type: ignore[import-untyped]  # openpyxl ships no types

from tools.larkspur.containers import saved, workbook
from tools.larkspur.facts import facts, person
from tools.larkspur.opendocument import ods

FOLDER = "drive/files/Finance/Expenses"
COST_CENTRES = {
    "Leadership": 100, "Operations": 200, "Finance": 300, "People": 400, "Product": 500, "Customers": 600,
    "Engineering": 700,
}  # fmt: skip
COLUMNS = ("date", "vendor", "purpose", "category", "amount_eur", "approved_by", "receipt")
_FIELDS = ("Name", "Team", "Cost centre", "Month", "Total EUR", "Handed in")


@dataclass(frozen=True, slots=True)
class Expense:
    day: date
    vendor: str
    purpose: str
    category: str
    amount: float
    approved: str = ""
    receipt: str = "yes"


@dataclass(frozen=True, slots=True)
class Form:
    username: str
    month: str
    handed_in: date
    expenses: tuple[Expense, ...]

    @property
    def total(self) -> float:
        return round(sum(one.amount for one in self.expenses), 2)


def _rate(country: str, share: float) -> float:
    return round(float(facts()["rules"]["day_rates"][country]) * share, 2)


def forms() -> tuple[Form, Form]:
    luca = Form(
        "luca.moretti", "2026-01", date(2026, 1, 30),
        (
            Expense(date(2026, 1, 13), "Bistro Korenmarkt", "Lunch with Fernhill, two heads", "meals", 46.80),
            Expense(date(2026, 1, 15), "day rate", "Visit to Tuinhuis De Linde, Utrecht, one day", "meals",
                    _rate("NL", 0.5), receipt="day rate"),
            Expense(date(2026, 1, 15), "Stadsbus Utrecht", "From the station and back", "travel", 8.40),
            Expense(date(2026, 1, 22), "own car", "Ghent to Aalst and back, 62 km, Kwekerij Van Damme", "travel",
                    round(62 * facts()["rules"]["kilometre"], 2), receipt="kilometres"),
        ),
    )  # fmt: skip
    marek = Form(
        "marek.nowak", "2026-01", date(2026, 1, 30),
        (
            Expense(date(2026, 1, 27), "day rate", "Trade fair Essen, departure", "meals", _rate("DE", 0.5),
                    receipt="day rate"),
            Expense(date(2026, 1, 28), "day rate", "Trade fair Essen, lunch paid by the fair", "meals",
                    _rate("DE", 0.7), receipt="day rate"),
            Expense(date(2026, 1, 29), "day rate", "Trade fair Essen", "meals", _rate("DE", 1.0), receipt="day rate"),
            Expense(date(2026, 1, 30), "day rate", "Trade fair Essen, return", "meals", _rate("DE", 0.5),
                    receipt="day rate"),
            Expense(date(2026, 1, 27), "Ruhrtaxi", "From the station to the hall with two crates", "travel", 31.50),
            Expense(date(2026, 1, 28), "Messe Essen Service", "Electricity for the stand", "other", 118.00,
                    "Luca Moretti"),
        ),
    )  # fmt: skip
    return luca, marek


def _grid(form: Form | None) -> list[list[object]]:
    """The form, line by line: six fields, an empty line, the head of the table, its lines."""
    if form is None:
        values: list[object] = [None] * len(_FIELDS)
        rows: list[list[object]] = []
    else:
        one = person(form.username)
        values = [one.name, one.team, COST_CENTRES[one.team], form.month, form.total, form.handed_in]
        rows = [
            [each.day, each.vendor, each.purpose, each.category, each.amount, each.approved or None, each.receipt]
            for each in form.expenses
        ]
    head: list[list[object]] = [[field, value] for field, value in zip(_FIELDS, values, strict=True)]
    return [["Larkspur: expense form", None], *head, [], list(COLUMNS), *rows]


def _xlsx(form: Form | None) -> bytes:
    book = workbook("Expense form")
    page: Any = book.create_sheet("Expenses")
    for row in _grid(form):
        page.append(row)
    for row in page.iter_rows():
        for cell in row:
            if isinstance(cell.value, date):
                cell.number_format = "yyyy-mm-dd"
            elif isinstance(cell.value, float):
                cell.number_format = "#,##0.00"
    for cell in (*page[1], *page[9]):
        cell.font = Font(bold=True)
    for column, width in zip("ABCDEFG", (14, 24, 46, 12, 14, 18, 14), strict=True):
        page.column_dimensions[column].width = width
    return saved(book)


def files() -> dict[str, bytes]:
    luca, marek = forms()
    return {
        f"{FOLDER}/expense-form-template.xlsx": _xlsx(None),
        f"{FOLDER}/expense-form-template.ods": ods("Expenses", _grid(None)),
        f"{FOLDER}/2026-01-expenses-luca-moretti.xlsx": _xlsx(luca),
        f"{FOLDER}/2026-01-expenses-marek-nowak.ods": ods("Expenses", _grid(marek)),
    }
