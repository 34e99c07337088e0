"""The budget of the first quarter, the draft of the second, and the price sheet.

Revenue comes from the customer list, personnel from the salaries, vendors from the invoices: nothing is typed twice.
"""

from __future__ import annotations

import csv
from datetime import date

from tools.larkspur.containers import saved, sheet, workbook
from tools.larkspur.customers import revenue
from tools.larkspur.facts import WORLD, facts, month, people, person
from tools.larkspur.invoices import FOLDER, LEDGER, invoices
from tools.larkspur.staff import personnel

# lead, budget of the quarter, spent in January, in February, expected in March: travel, tools, training, small things
TEAMS = {
    "Leadership": (2400.0, 610.0, 540.0, 900.0),
    "Operations": (3600.0, 1140.0, 980.0, 1250.0),
    "Finance": (1200.0, 310.0, 295.0, 400.0),
    "People": (2100.0, 520.0, 745.0, 700.0),
    "Product": (2700.0, 830.0, 760.0, 900.0),
    "Customers": (5400.0, 2260.0, 1480.0, 1500.0),
    "Engineering": (6900.0, 1985.0, 2210.0, 2400.0),
}
Q2 = {
    "Leadership": 2400.0, "Operations": 3300.0, "Finance": 1200.0, "People": 2400.0, "Product": 2700.0,
    "Customers": 6000.0, "Engineering": 7200.0,
}  # fmt: skip


def lead_of(team: str) -> str:
    """Who answers for a team: the member whose lead is in another one."""
    return next(one.name for one in people() if one.team == team and (not one.lead or person(one.lead).team != team))


def vendor_spending(number: int) -> float:
    """The month's invoices of both lists, cancelled ones left out, credit notes taken off; without VAT."""
    with LEDGER.open(encoding="utf-8", newline="") as file:
        cancelled = {row["invoice"] for row in csv.DictReader(file) if row["status"] == "cancelled"}
    return round(sum(one.net for one in invoices() if one.day.month == number and one.number not in cancelled), 2)


def _quarter() -> bytes:
    january, february, march = (month(2026, n)[1] for n in (1, 2, 3))
    spent = [sum(row[n] for row in TEAMS.values()) for n in (1, 2, 3)]
    income: tuple[str | float, ...] = (
        "Fees of customers",
        336000.0,
        float(revenue(january)),
        float(revenue(february)),
        float(revenue(march)),
    )
    costs: list[tuple[str | float, ...]] = [
        ("Personnel", 321000.0, personnel(january), personnel(february), personnel(march)),
        ("Vendors", 19700.0, vendor_spending(1), vendor_spending(2), 5200.0),
        ("Teams", sum(row[0] for row in TEAMS.values()), *spent),
        ("Rent and insurance", 15300.0, 5100.0, 5100.0, 5100.0),
    ]
    book = workbook("Budget Q1 2026")
    together = tuple(round(sum(float(line[n]) for line in costs), 2) for n in range(1, 5))
    result = tuple(round(float(income[n]) - together[n - 1], 2) for n in range(1, 5))
    rows: list[tuple[str | float, ...]] = [income, *costs, ("Costs together", *together), ("Result", *result)]
    page = sheet(
        book, "Summary",
        ("line", "budget_q1_eur", "january_actual_eur", "february_actual_eur", "march_forecast_eur", "forecast_q1_eur"),
        [(*line, round(sum(float(amount) for amount in line[2:]), 2)) for line in rows],
        above=["Budget Q1 2026, without VAT. Tomas Okafor, 6 March 2026",
               "Fees of a month: those of all customers whose contract runs on its last day, not what was invoiced."],
    )  # fmt: skip
    page.column_dimensions["A"].width = 28
    sheet(
        book, "Teams",
        ("team", "lead", "budget_q1_eur", "january_actual_eur", "february_actual_eur", "march_forecast_eur",
         "forecast_q1_eur", "left_eur"),
        [(team, lead_of(team), *row, sum(row[1:]), row[0] - sum(row[1:])) for team, row in TEAMS.items()],
    )  # fmt: skip
    sheet(book, "Vendors", ("vendor", "budget_q1_eur", "owner"), _vendors())
    return saved(book)


def _vendors() -> list[tuple[object, ...]]:
    with (WORLD / FOLDER / "vendor-budgets-2026.csv").open(encoding="utf-8", newline="") as file:
        return [(row["vendor"], float(row["q1_budget_eur"]), row["owner"]) for row in csv.DictReader(file)]


def _next() -> bytes:
    book = workbook("Budget Q2 2026")
    sheet(
        book, "Teams", ("team", "lead", "draft_q2_eur", "forecast_q2_eur", "reason"),
        [(team, lead_of(team), amount, None, None) for team, amount in Q2.items()],
        above=["Draft of the teams' budgets for April to June 2026, without VAT. The leads tell Tomas what changes."],
    )  # fmt: skip
    return saved(book)


def _prices() -> bytes:
    prices = facts()["prices"]
    included, further = prices["people_included"], prices["further_person"]
    book = workbook("Price sheet")
    sheet(
        book, "Prices", ("from", "until", "site_eur", "people_included", "further_person_eur"),
        [
            (date(2023, 1, 1), date(2026, 3, 15), prices["today"], included, further),
            (date(2026, 3, 16), None, prices["from_launch"], included, further),
        ],
        above=["Trellis, a month, without VAT. A contract keeps its price until it is renewed."],
    )  # fmt: skip
    sheet(
        book, "Examples", ("sites", "people", "until_15_march_eur", "from_16_march_eur"),
        [
            (sites, count, *(sites * prices[key] + max(0, count - included * sites) * further
                             for key in ("today", "from_launch")))
            for sites, count in ((1, 5), (1, 12), (2, 10), (2, 31), (5, 118))
        ],
    )  # fmt: skip
    return saved(book)


def files() -> dict[str, bytes]:
    return {
        f"{FOLDER}/Budgets/2026-q1-budget.xlsx": _quarter(),
        f"{FOLDER}/Budgets/2026-q2-budget.xlsx": _next(),
        f"{FOLDER}/price-sheet.xlsx": _prices(),
    }
