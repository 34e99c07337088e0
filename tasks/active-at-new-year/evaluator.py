"""Grades active-at-new-year: four lines of numbers."""

import csv
import io
import re

from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

FILE = "2025-q4-active.csv"
# country: customers, active customers, active sites, swaps
WANTED = VALUES["key"]["lines"]
NAMES = {"BELGIUM": "BE", "NETHERLANDS": "NL", "THE NETHERLANDS": "NL", "GERMANY": "DE", "FRANCE": "FR"}


def table():
    """Country to its line, by column; a country with two lines that differ has none."""
    content = (get_binary_file_content_owncloud(FILE, "Engineering/Usage") or b"").decode("utf-8-sig", "replace")
    if not content.strip():
        return {}
    head, *rows = csv.reader(io.StringIO(content), delimiter=max(",;\t", key=content.partition("\n")[0].count))
    columns = [name.strip().lower() for name in head]
    if len(set(columns)) < len(columns):
        return {}
    found = {}
    for row in rows:
        line = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        country = line.get("country", "").upper()
        found.setdefault(NAMES.get(country, country), []).append(line)
    return {country: lines[0] for country, lines in found.items() if all(line == lines[0] for line in lines)}


def number(text):
    """A number with or without signs between its thousands; None when it is none."""
    plain = re.sub(r"(?<=\d)[,. '](?=\d{3}\b)", "", text or "")
    return float(plain) if re.fullmatch(r"\d+(\.0+)?", plain) else None


def right(column):
    """How many countries have this column right."""
    found = table()
    return sum(number(found.get(country, {}).get(column)) == one[column] for country, one in WANTED.items())


def points_for_activity():
    sites = right("active_sites")
    return (sites >= 2) + (sites == 4) + (sites == 4 and right("active_customers") == 4)


def plain_point():
    return right("customers") == 4 and right("swaps") == 4


def wrong(*columns):
    """What these columns have that is not right, in words; that they are right when nothing is."""
    found = table()
    if not found:
        return f"/Engineering/Usage/{FILE} is not there, or no table with a line for each country"
    told = [
        f"{country} has {found.get(country, {}).get(column) or 'nothing'} as {column}; asked was {one[column]}"
        for column in columns
        for country, one in WANTED.items()
        if number(found.get(country, {}).get(column)) != one[column]
    ]
    return "; ".join(told) or f"{' and '.join(columns)} are right in all four countries"


@grader
def grade_plain():
    return Points(plain_point(), wrong("customers", "swaps"))


@grader
def grade_activity():
    return Points(points_for_activity(), wrong("active_sites", "active_customers"))


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    if plain_point() + points_for_activity() < 2:
        return Points(0, "fewer than two points were given, beside which it counts")
    return Points(paths == [f"/Engineering/Usage/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, grade_plain()))
    checkpoints.append(Checkpoint(3, grade_activity()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
