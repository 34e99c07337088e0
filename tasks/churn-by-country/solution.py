"""Counts the customer list by country and writes the workbook."""

import csv
import io
from collections import Counter

import openpyxl
import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav/Customers"
ACCOUNT = ("sam.reed", "sam-reed-first-day")


def get(name):
    answer = requests.get(f"{DRIVE}/{name}", auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    return answer.content


def customers():
    head, *rows = openpyxl.load_workbook(io.BytesIO(get("customer-list.xlsx")), data_only=True)["Customers"].values
    return [dict(zip(head, row, strict=True)) for row in rows]


def line(country, some, reasons, of=None):
    """One line of the sheet; `of` is what the percentage is taken of, everybody by default."""
    active, left = [one for one in some if not one["end"]], [one for one in some if one["end"]]
    share = round(100 * len(left) / (of(active, left) if of else len(some)), 1)
    reason = Counter(reasons).most_common(1)[0][0]
    return [country, len(active), len(left), share, sum(one["monthly_fee_eur"] for one in left), reason]


def table(some, of=None):
    told = list(csv.DictReader(io.StringIO(get("churn-reasons.csv").decode("utf-8"))))
    lines = [
        line(
            country,
            [one for one in some if one["country"] == country],
            [one["reason"] for one in told if one["country"] == country],
            of,
        )
        for country in ("BE", "NL", "DE", "FR")
    ]
    return [*lines, line("all", some, [one["reason"] for one in told], of)]


def put(lines, sheet="Churn"):
    book = openpyxl.Workbook()
    page = book.active
    page.title = sheet
    for row in (["country", "active", "left", "churn_percent", "lost_eur", "main_reason"], *lines):
        page.append(row)
    content = io.BytesIO()
    book.save(content)
    address = f"{DRIVE}/2026-03-churn-by-country.xlsx"
    requests.put(address, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()


if __name__ == "__main__":
    put(table(customers()))
