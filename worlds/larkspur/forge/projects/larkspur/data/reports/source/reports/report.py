"""Runs a report: one query, its parameters, rows with a heading."""

import re

from reports.database import ROOT


class BadReport(Exception):
    """There is no such report, or not for this month."""


def names():
    return sorted(path.stem for path in (ROOT / "queries").glob("*.sql"))


def run(db, name, month):
    """The heading and the rows of a report for a month such as 2025-02."""
    if name not in names():
        raise BadReport(f"there is no report '{name}'; known are {', '.join(names())}")
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
        raise BadReport(f"'{month}' is not a month such as 2025-02")
    cursor = db.execute((ROOT / "queries" / f"{name}.sql").read_text(encoding="utf-8"), {"month": month})
    return [column[0] for column in cursor.description], cursor.fetchall()
