"""Grades churn-by-country: the workbook's lines against what the customer list and the reasons say."""

import io
import re

import openpyxl
from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

FILE = "2026-03-churn-by-country.xlsx"
# country: active, left, percent, lost, reason
WANTED = VALUES["key"]["lines"]
NAMES = {"belgium": "be", "netherlands": "nl", "the netherlands": "nl", "germany": "de", "france": "fr"}


def number(value):
    """A number, or a text that is one number and nothing else; None for the rest."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    plain = re.sub(r"[\s€%]|\beur\b", "", str(value or "").lower())
    plain = re.sub(r"(?<=\d)[,.'](?=\d{3}\b)", "", plain).replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else None


def lines():
    """Country to its line, as a dict by column; a country with two lines that differ has none."""
    content = get_binary_file_content_owncloud(FILE, "Customers")
    if content is None:
        return {}
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    sheet = next((name for name in book.sheetnames if name.strip().lower() == "churn"), None)
    rows = [list(row) for row in book[sheet].values] if sheet else []
    start = next((at for at, row in enumerate(rows) if "country" in [str(cell).strip().lower() for cell in row]), None)
    if start is None:
        return {}
    columns = [str(name or "").strip().lower() for name in rows[start]]
    if any(columns.count(name) > 1 for name in columns if name):
        return {}
    found = {}
    for row in rows[start + 1 :]:
        line = dict(zip(columns, row, strict=False))
        country = str(line.get("country") or "").strip().lower()
        found.setdefault(NAMES.get(country, country), []).append(line)
    return {country: same[0] for country, same in found.items() if all(line == same[0] for line in same)}


def counts_right():
    """The countries, `all` among them, whose two numbers are right."""
    found = lines()
    return {
        country
        for country, (active, left, *_) in WANTED.items()
        if country in found
        and (number(found[country].get("active")), number(found[country].get("left"))) == (active, left)
    }


def column(name, at, close):
    found = lines()
    return all(country in found and close(found[country].get(name), wanted[at]) for country, wanted in WANTED.items())


def wrong(holds, *names):
    """What the columns have that is not right, in words; that they are right when nothing is."""
    found = lines()
    if not found:
        return f"/Customers/{FILE} has no sheet Churn with a line for each country"
    at = [("active", "left", "churn_percent", "lost_eur", "main_reason").index(name) for name in names]
    told = [
        f"{country} has {found.get(country, {}).get(name)} as {name}; asked was {wanted[place]}"
        for place, name in zip(at, names, strict=True)
        for country, wanted in WANTED.items()
        if not holds(found.get(country, {}).get(name), wanted[place])
    ]
    return "; ".join(told) or f"{' and '.join(names)} are right for all countries and for all"


def equal(given, wanted):
    return number(given) == wanted


@grader
def grade_counts():
    right = counts_right()
    return Points((len(right - {"all"}) >= 3) + (right == WANTED.keys()), wrong(equal, "active", "left"))


@grader
def grade_percentages():
    def close(given, wanted):
        value = number(given)
        # A cell with a percentage format holds the share.
        return value is not None and min(abs(value - wanted), abs(value * 100 - wanted)) < 0.051

    return Points(column("churn_percent", 2, close), wrong(close, "churn_percent"))


@grader
def grade_fees():
    return Points(column("lost_eur", 3, equal), wrong(equal, "lost_eur"))


@grader
def grade_reasons():
    def same(given, wanted):
        return str(given or "").strip().lower() == wanted

    return Points(column("main_reason", 4, same), wrong(same, "main_reason"))


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    if len(counts_right() - {"all"}) < 3:
        return Points(0, "the customers of fewer than three countries are right, beside which it counts")
    return Points(paths == [f"/Customers/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_counts()))
    checkpoints.append(Checkpoint(1, grade_percentages()))
    checkpoints.append(Checkpoint(1, grade_fees()))
    checkpoints.append(Checkpoint(1, grade_reasons()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
