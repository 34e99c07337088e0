"""Larkspur's documents, read as they are, agree with facts.toml, with the policies and with each other."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections import Counter
from datetime import date, datetime, time
from typing import Any

import docx
import odf.opendocument  # type: ignore[import-untyped]  # odfpy ships no types
import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
import pypdfium2  # type: ignore[import-untyped]  # pypdfium2 ships no types
import pytest
from odf.table import TableCell, TableRow  # type: ignore[import-untyped]  # odfpy ships no types

from tools.larkspur import attendance, catalogues, customers, hiring, invoices, staff, unsorted, usage
from tools.larkspur.facts import WORLD, facts, monthly_fee, people

DRIVE = WORLD / "drive" / "files"


def table(path: str, sheet: str, skip: int = 0) -> list[dict[str, Any]]:
    rows = list(openpyxl.load_workbook(DRIVE / path)[sheet].iter_rows(values_only=True))[skip:]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def listed(path: str) -> list[dict[str, str]]:
    with (DRIVE / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text_of(path: str) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(DRIVE / path))


def policy(name: str) -> str:
    return (DRIVE / "Company" / "Policies" / f"{name}.md").read_text("utf-8")


# -- customers ---------------------------------------------------------------------------------------------------


def test_the_customer_list_has_the_customers_that_everyone_speaks_of() -> None:
    rows = table("Customers/customer-list.xlsx", "Customers")
    wanted = facts()["customer_list"]
    assert sum(row["end"] is None for row in rows) == wanted["active"] == facts()["company"]["customers"]
    assert Counter(row["country"] for row in rows if row["end"] is None) == wanted["active_by_country"]
    assert Counter(row["country"] for row in rows if row["end"]) == wanted["left_by_country"]
    signed = [row for row in rows if date(2026, 1, 1) <= row["start"].date() <= date(2026, 1, 31)]
    assert len(signed) == wanted["signed_in_january"]
    known = {(row["name"], row["city"], row["country"]) for row in rows if row["end"] is None}
    assert {(one["name"], one["city"], one["country"]) for one in facts()["customers"]} <= known
    assert all(row["monthly_fee_eur"] == monthly_fee(row["sites"], row["people"]) for row in rows)
    assert len({row["number"] for row in rows}) == len({row["name"] for row in rows}) == len(rows)


def test_whoever_left_has_a_reason_and_a_last_day() -> None:
    left = {
        row["number"]: row["end"].date() for row in table("Customers/customer-list.xlsx", "Customers") if row["end"]
    }
    assert {row["number"]: date.fromisoformat(row["end"]) for row in listed("Customers/churn-reasons.csv")} == left


def test_the_export_of_sales_has_eight_companies_twice_and_both_greenacres_once_more() -> None:
    names = [row["company"] for row in listed("Customers/2026-03-06-crm-export.csv")]
    assert len(names) == 140 + len(customers.DUPLICATES)
    assert set(customers.DUPLICATES) | set(customers.DUPLICATES.values()) <= set(names)
    assert "Greenacre Gardens" in names
    assert "Greenacre Gardens" not in customers.DUPLICATES.values()


def test_customers_contracts_say_what_the_list_says() -> None:
    rows = {row["number"]: row for row in table("Customers/customer-list.xlsx", "Customers")}
    paths = sorted((DRIVE / "Customers" / "Contracts").glob("*.pdf"))
    assert len(paths) == 6
    for path in paths:
        text = " ".join(text_of(f"Customers/Contracts/{path.name}").split())
        row = rows[re.search(r"Contract (C\d+)", text)[1]]  # type: ignore[index]  # absent is a failure too
        assert row["name"] in text
        assert f"{row['monthly_fee_eur']:,.2f} EUR a month" in text
        assert path.name.startswith(f"{row['start'].date()}-")


# -- finance -----------------------------------------------------------------------------------------------------


def read_invoice(path: str) -> dict[str, Any]:
    text = text_of(path)
    found = {key: re.search(pattern, text) for key, pattern in (
        ("number", r"Number: (\S+)"), ("day", r"Date: (\S+)"), ("net", r"Net total\s+(-?[\d,.]+) EUR"),
        ("total", r"\nTotal\s+(-?[\d,.]+) EUR"), ("order", r"PO-2026-\d+"),
    )}  # fmt: skip
    said = {key: match[match.re.groups] if match else None for key, match in found.items()}
    for key in ("net", "total"):
        said[key] = float((said[key] or "").replace(",", ""))
    said["vendor"] = text.splitlines()[0].strip()
    return said


def test_each_invoice_is_in_a_list_with_its_net_total_and_vat() -> None:
    paths = sorted((DRIVE / "Finance" / "Invoices").glob("*.pdf"))
    assert len(paths) == 24
    ledger = {row["invoice"]: row for name in ("vendor-invoices-q1", "2026-q1-running-costs")
              for row in listed(f"Finance/{name}.csv")}  # fmt: skip
    seen = [read_invoice(f"Finance/Invoices/{path.name}") for path in paths]
    assert {one["number"] for one in seen} == set(ledger)
    for one in seen:
        row = ledger[one["number"]]
        assert (one["vendor"], one["day"], one["net"]) == (row["vendor"], row["date"], float(row["amount_eur"]))
        assert one["total"] == pytest.approx(one["net"] * 1.21, abs=0.006)


def test_the_invoices_that_must_wait_are_those_the_policy_names() -> None:
    assert {one.number: why for one in invoices.invoices() if (why := invoices.reason(one))} == invoices.WAITING
    reasons = set(re.findall(r"\| `([a-z ]+)` \|", policy("purchasing")))
    assert set(invoices.WAITING.values()) == reasons
    assert f"{facts()['rules']['order_from']} EUR" in policy("purchasing")


def test_an_invoice_names_the_order_that_the_generator_holds_it_against() -> None:
    orders = {row["order"]: row for row in table("Finance/Purchase orders/purchase-orders-2026.xlsx", "Orders")}
    assert {one.number: one.total for one in invoices.ORDERS} == {key: row["total_eur"] for key, row in orders.items()}
    for one in invoices.invoices():
        assert read_invoice(invoices.path(one).removeprefix("drive/files/"))["order"] == one.order, one.number


def test_the_budget_comes_from_the_customers_the_salaries_and_the_invoices() -> None:
    lines = {row["line"]: row for row in table("Finance/Budgets/2026-q1-budget.xlsx", "Summary", skip=2)}
    for column, last in (("january_actual", date(2026, 1, 31)), ("march_forecast", date(2026, 3, 31))):
        assert lines["Fees of customers"][f"{column}_eur"] == sum(
            row["monthly_fee_eur"]
            for row in table("Customers/customer-list.xlsx", "Customers")
            if row["start"].date() <= last and (row["end"] is None or row["end"].date() >= last)
        )
    pay = {row["username"]: row["gross_monthly_eur"] for row in table("People/salaries-2026.xlsx", "Salaries", skip=1)}
    assert set(pay) == {one.username for one in people()}
    gross = sum(amount for name, amount in pay.items() if name != "sam.reed")
    assert lines["Personnel"]["february_actual_eur"] == pytest.approx(gross * staff.EMPLOYER)
    lists = listed("Finance/vendor-invoices-q1.csv") + listed("Finance/2026-q1-running-costs.csv")
    january = [row for row in lists if row["date"] < "2026-02" and row["status"] != "cancelled"]
    assert lines["Vendors"]["january_actual_eur"] == pytest.approx(sum(float(row["amount_eur"]) for row in january))
    for column in ("budget_q1_eur", "january_actual_eur", "february_actual_eur", "march_forecast_eur"):
        costs = sum(lines[name][column] for name in ("Personnel", "Vendors", "Teams", "Rent and insurance"))
        assert lines["Costs together"][column] == pytest.approx(costs)
        assert lines["Result"][column] == pytest.approx(lines["Fees of customers"][column] - costs)


def test_prices_are_those_of_the_facts() -> None:
    prices = facts()["prices"]
    today, later = table("Finance/price-sheet.xlsx", "Prices", skip=1)
    assert (today["site_eur"], later["site_eur"]) == (prices["today"], prices["from_launch"])
    assert later["from"].date() == facts()["dates"]["launch"].date()
    assert f"{prices['from_launch']} EUR a month" in (DRIVE / "Company" / "press-kit.md").read_text("utf-8")


def test_expense_forms_add_up_and_follow_the_day_rates() -> None:
    rows = list(
        openpyxl.load_workbook(DRIVE / "Finance/Expenses/2026-01-expenses-luca-moretti.xlsx")["Expenses"].values
    )
    assert rows[5][1] == pytest.approx(sum(row[4] for row in rows[9:]))
    assert any(row[2] == "Ghent to Aalst and back, 62 km, Kwekerij Van Damme" and row[4] == 27.28 for row in rows[9:])
    book = odf.opendocument.load(DRIVE / "Finance/Expenses/2026-01-expenses-marek-nowak.ods")
    cells = [[cell.getAttribute("value") for cell in row.getElementsByType(TableCell)]
             for row in book.getElementsByType(TableRow)]  # fmt: skip
    amounts = [float(row[4]) for row in cells[9:]]
    assert amounts[:4] == [25.0, 35.0, 50.0, 25.0]
    assert float(cells[5][1]) == pytest.approx(sum(amounts))
    for country, rate in facts()["rules"]["day_rates"].items():
        name = {"BE": "Belgium", "NL": "Netherlands", "DE": "Germany", "FR": "France"}[country]
        assert re.search(rf"\| {name}[^|]*\| {rate} EUR \| {rate / 2:.2f} EUR \|", policy("travel"))


def test_the_rules_that_figures_follow_stand_in_the_policies() -> None:
    rules = facts()["rules"]
    for name, sentence in (
        ("attendance", f"At least {rules['break_minutes']} minutes are taken off"),
        ("sharing-documents", f"at most {rules['link_days']} days after"),
        ("sharing-documents", f"at least {rules['password_length']} signs"),
        ("expenses", f"{rules['kilometre']} EUR a kilometre"),
        ("travel", f"at most {rules['hotel_at_most']} EUR a night"),
        ("purchasing", f"above {rules['ines_decides_above']:,} EUR"),
    ):
        assert sentence in policy(name), (name, sentence)


# -- people ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2])
def test_the_attendance_sheets_give_the_report_that_the_policy_asks_for(number: int) -> None:
    found: dict[str, attendance.Total] = {}
    for row in table(f"People/Attendance/2026-{number:02}-attendance.xlsx", f"2026-{number:02}"):
        total = found.setdefault(row["username"], attendance.Total())
        if row["kind"] in ("leave", "sick", "holiday"):
            assert row["arrival"] is row["departure"] is None
            continue
        total.days += 1
        come, go = row["arrival"], row["departure"]
        if come is None or go is None:
            total.incomplete += 1
            continue
        total.late += row["kind"] != "travel" and come > time(10, 5) and row["note"] != "announced"
        total.early += row["kind"] != "travel" and go < time(16) and row["note"] != "agreed"
        worked = datetime.combine(date.min, go) - datetime.combine(date.min, come)
        total.minutes += int(worked.total_seconds() // 60) - max(30, row["break_minutes"])
    assert found == attendance.summary(2026, number)
    assert set(found) == {one.username for one in people()} - {"sam.reed"}
    assert sum(total.late >= facts()["rules"]["talk_after_late"] for total in found.values()) >= 2


def test_the_archived_attendance_policy_gives_another_report() -> None:
    assert f"after {facts()['rules']['late_after']}" in policy("attendance")
    archived = (DRIVE / "Company" / "Archive" / "attendance-2024.md").read_text("utf-8")
    assert "after 09:40" in archived
    old = Counter(
        one.person.username for one in attendance.sheet_of(2026, 2) if one.arrival and one.arrival > time(9, 40)
    )
    assert {name: old[name] for name in old} != {k: v.late for k, v in attendance.summary(2026, 2).items() if v.late}


def test_six_applicants_have_all_must_haves_and_the_cvs_say_so() -> None:
    assert len(hiring.CANDIDATES) == 14
    assert [one.name for one in hiring.shortlist()] == [
        "Thomas Aerts", "Nadia Rahimi", "Lotte Vandenbroeck", "Marta Kruger", "Amira Benali", "Sanne Bakker",
    ]  # fmt: skip
    folder = "People/Hiring/Support engineer/Applications"
    texts = {}
    for path in sorted((DRIVE / folder).iterdir()):
        is_pdf = path.suffix == ".pdf"
        text = (
            text_of(f"{folder}/{path.name}")
            if is_pdf
            else "\n".join(p.text for p in docx.Document(str(path)).paragraphs)
        )
        texts[text.splitlines()[0].strip()] = " ".join(text.split())
    assert set(texts) == {one.name for one in hiring.CANDIDATES}
    for one in hiring.CANDIDATES:
        assert f"{one.years:g} years" in texts[one.name]
        assert f"from {one.start.day} {one.start:%B %Y}" in texts[one.name]
        assert all(f"{language}: {level}" in texts[one.name] for language, level in one.languages.items())
        assert ("SQL" in texts[one.name]) == ("SQL" in one.skills)


# -- the rest ----------------------------------------------------------------------------------------------------


def test_the_survey_has_the_answers_that_sofia_counted() -> None:
    rows = listed("Product/Survey/2026-02-survey-answers.csv")
    assert (len(rows), len({row["customer"] for row in rows})) == (97, 61)
    early = [row for row in rows if row["at"] < "2026-02-02 11:00"]
    assert (len(early), len({row["customer"] for row in early})) == (61, 38)
    assert [row["answer"] for row in rows] == [
        str(row["answer"]) for row in table("Product/Survey/2026-02-survey-answers.xlsx", "Answers")
    ]


def test_the_merged_catalogue_gives_back_every_plant() -> None:
    page = openpyxl.load_workbook(DRIVE / "Customers/Catalogues/2026-03-catalogue-hof-birkenau.xlsx").active
    top = {cell: (area.min_row, area.min_col) for area in page.merged_cells.ranges for cell in area.cells}
    group, found = "", []
    for n in range(4, page.max_row + 1):
        cells = [page.cell(*top.get((n, column), (n, column))).value for column in range(1, 7)]
        if len(set(cells)) == 1:
            group = cells[0]
            continue
        genus, article, variety, pot, price, stock = cells
        amount = float(price.removesuffix(" €").replace(",", "."))
        found.append(catalogues.Plant(group, genus, article, variety, pot, amount, stock))
    assert tuple(found) == catalogues.PLANTS


def test_launch_week_has_nobody_on_call_and_every_other_week_somebody() -> None:
    for row in table("Operations/on-call-rota-2026.xlsx", "Rota", skip=1):
        assert (row["on_call"] is None) == (row["stands_in"] is None) == (row["week"] == "2026-W12"), row


def test_the_unsorted_files_have_one_right_name_each_and_two_are_alike() -> None:
    folder = WORLD / unsorted.FOLDER
    assert {path.name for path in folder.iterdir()} == set(unsorted.RIGHT)
    assert len({path.read_bytes() for path in folder.iterdir()}) == len(set(unsorted.RIGHT.values())) == 9
    for name in unsorted.RIGHT.values():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z]+", name)


def test_all_customers_but_nine_are_active_at_the_end_of_the_usage_file() -> None:
    with sqlite3.connect(f"file:{DRIVE / 'Engineering/Usage/2025-q4-usage.sqlite'}?mode=ro", uri=True) as db:
        signed, awake = db.execute(
            "SELECT (SELECT count(*) FROM customers), (SELECT count(DISTINCT customer) FROM sites "
            "JOIN weeks ON id = site WHERE monday > date('2025-12-31', '-28 days'))"
        ).fetchone()
    db.close()
    assert (signed, awake) == (len(customers.active(usage.LAST)), len(customers.active(usage.LAST)) - 9)
