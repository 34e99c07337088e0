"""Grades revenue-counted-twice by running the report of Sam's merge request on figures only graders know."""

import csv
import functools
import io
import re
import sqlite3
import tempfile
from pathlib import Path

from common import (
    get_from_gitlab,
    gitlab_tree,
    grader,
    newest_merge_request,
    run_as_examinee,
    unittests_pass,
    with_parts_of,
)
from scoring import Checkpoint, Points, Result

PROJECT, PARTS = "larkspur/data/reports", ("queries", "reports", "schema.sql")
NOT_REPAIRED = "no merge request of Sam's repairs the report, beside which it counts"
DATABASE = re.compile(r"\.(db|sqlite3?)$")
MOST = 40  # amounts in what Tomas is told; who lists more only hopes to list the right ones
FIGURE = r"(?<![\d.,])(?!20\d\d\b(?![.,]\d))\d[\d.,']{3,}"
# Two amounts of which one is left to choose.
CHOICE = re.compile(
    r"(\d[\d.,'\u00a0\u202f ]*\d)(?: ?(?:EUR|€|euros))?,? or (?:(?:EUR|€) ?)?(\d[\d.,'\u00a0\u202f ]*\d)"
)
COUNTRIES = {
    "BE": r"\b(?:BE|[Bb]elgi\w+)\b",
    "DE": r"\b(?:DE|[Gg]ermany|[Dd]eutschland)\b",
    "FR": r"\b(?:FR|[Ff]rance)\b",
    "NL": r"\b(?:NL|[Nn]etherlands|[Hh]olland)\b",
    "all": r"\b(?:[Aa]ll|[Tt]otal|[Ss]um|[Tt]ogether|[Aa]ltogether|[Oo]verall|[Ee]verything)\b|Σ",
}
FEBRUARY = {"BE": 39813.0, "DE": 18867.0, "FR": 16782.0, "NL": 38970.0, "all": 114432.0}

CUSTOMERS = [(1, "BE"), (2, "BE"), (3, "NL"), (4, "DE"), (5, "FR"), (6, "DE"), (7, "FR"), (8, "NL")]
SITES = [1, 1, 2, 2, 2, 3, 4, 4, 5, 8, 8, 8, 8]  # whose each is; 6 and 7 have none
INVOICES = [
    *[(1, "02-02", 7800), (1, "02-16", 1200), (2, "02-03", 7800), (3, "02-02", 4500), (4, "02-02", 9000)],
    *[(4, "02-27", -1500), (5, "02-28", 3900), (1, "01-05", 7800), (2, "01-05", 7800), (6, "01-05", 4500)],
    *[(7, "01-06", 3950), (8, "01-07", 15600), (8, "01-31", -600), (3, "03-02", 4500)],
]
# Country, customers, sites, revenue. In February everybody who was invoiced has a site.
EXPECTED = {
    "2026-02": [("BE", 2, 5, 168.0), ("DE", 1, 2, 75.0), ("FR", 1, 1, 39.0), ("NL", 1, 1, 45.0)],
    "2026-01": [("BE", 2, 5, 156.0), ("DE", 1, 0, 45.0), ("FR", 1, 0, 39.5), ("NL", 1, 4, 150.0)],
}


def request():
    """Sam's newest merge request into main, with what it changes; None when there is none."""
    return newest_merge_request(PROJECT, "sam.reed")


def branch():
    return gitlab_tree(PROJECT, request()["sha"])


def base():
    return gitlab_tree(PROJECT, request()["diff_refs"]["base_sha"])


@functools.cache
def unseen():
    """A database with the tables of main and figures of our own."""
    file = Path(tempfile.mkdtemp(), "unseen.db")
    file.parent.chmod(0o755)
    db = sqlite3.connect(file)
    with db:
        db.executescript((base() / "schema.sql").read_text("utf-8"))
        people = [(number, f"Customer {number}", country, "2024-05-06") for number, country in CUSTOMERS]
        db.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", people)
        db.executemany("INSERT INTO sites (customer, city) VALUES (?, 'Ghent')", [(owner,) for owner in SITES])
        bills = [(f"{at:04}", owner, f"2026-{day}", cents) for at, (owner, day, cents) in enumerate(INVOICES)]
        db.executemany("INSERT INTO invoices VALUES (?, ?, ?, ?)", bills)
    db.close()
    file.chmod(0o644)
    return file


@functools.cache
def report(month):
    """The heading and the rows of the merge request's report, in order of country; none when it fails."""
    asked = ["python3", "-m", "reports", "revenue", str(unseen()), "--month", month]
    rows = list(csv.reader(io.StringIO(run_as_examinee(asked, cwd=str(branch())).stdout)))
    heading = rows[0] if rows else []
    found = [dict(zip(heading, row, strict=False)) for row in rows[1:]]
    return heading, sorted(found, key=lambda one: one.get("country", ""))


def number(text):
    """What a cell says, or None when that is no number."""
    try:
        return round(float(text), 2)
    except (TypeError, ValueError):
        return None


def revenue_is_right(month):
    found = [(row.get("country"), number(row.get("revenue"))) for row in report(month)[1]]
    return found == [(country, revenue) for country, _, _, revenue in EXPECTED[month]]


def counts_are_right(month):
    heading, rows = report(month)
    if heading != ["country", "customers", "sites", "revenue"]:
        return False
    found = [(row.get("country"), number(row.get("customers")), number(row.get("sites"))) for row in rows]
    return found == [row[:3] for row in EXPECTED[month]]


@functools.cache
def points_for_report():
    if request() is None or not revenue_is_right("2026-02"):
        return 0
    return 1 + revenue_is_right("2026-01") + all(counts_are_right(month) for month in EXPECTED)


def amounts(text):
    """Every amount that a text may mean, however its thousands and decimals are written."""
    found = set()
    for pattern in (r"\d[\d.,'\u00a0\u202f ]*", r"\d[\d.,']*", r"\d[\d.]*"):
        for piece in re.findall(pattern, text):
            whole, cents = re.fullmatch(r"(.*?)(?:[.,](\d{1,2}))?", piece.rstrip(" .,'\u00a0\u202f")).groups()
            found.add(float(re.sub(r"\D", "", whole) + "." + (cents or "0")))
    return found


def told_by(text):
    """The amounts that a comment gives each country, and all: behind its name, before it, or in the same order,
    whichever of these ways of reading it finds the most that is right."""
    text = CHOICE.sub(undecided, text)
    names = re.compile("|".join(rf"(?P<{code}>{pattern})" for code, pattern in COUNTRIES.items()))
    found = list(names.finditer(text))
    places = [one.lastgroup for one in found]
    starts, ends = [0, *(one.end() for one in found)], [*(one.start() for one in found), len(text)]
    between = [large(text[start:end]) for start, end in zip(starts, ends, strict=True)]
    row = [next(iter(large(piece)), None) for piece in re.findall(FIGURE, text)]
    in_order = [{amount} for amount in row if amount is not None]
    readings = [gathered(places, between[1:]), gathered(places, between)]
    readings.append(gathered(dict.fromkeys(places), in_order))
    best = max(readings, key=lambda told: sum(FEBRUARY[place] in given for place, given in told.items()))
    return best | ({"all": large(text)} if large(text) else {})


def undecided(found):
    """Nothing, where somebody is left to choose between two revenues; the same one in two notations is no choice."""
    one, other = large(found.group(1)), large(found.group(2))
    return " " if one and other and not one & other else found.group()


def gathered(places, amounts_of):
    told = {}
    for place, given in zip(places, amounts_of, strict=False):
        if given:
            told[place] = told.get(place, set()) | given
    return told


def large(text):
    """The amounts in a text that can be a month's revenue."""
    return {amount for amount in amounts(text) if amount >= 3000}


def own_test(own, without):
    """What became of the tests of the branch, in words."""
    if not own:
        return "the tests of the branch do not pass"
    return f"the tests of the branch pass, and with the code of main they {'pass too' if without else 'fail'}"


def wrong_rows():
    """What the report says otherwise than was invoiced, in words."""
    for month, wanted in EXPECTED.items():
        heading, rows = report(month)
        found = [tuple(row.get(name) for name in ("country", "customers", "sites", "revenue")) for row in rows]
        for given, right in zip(found, wanted, strict=False):
            if (given[0], *map(number, given[1:])) != right:
                yield f"{month}: {', '.join(map(str, given))}; asked was {', '.join(map(str, right))}"
        if len(found) != len(wanted):
            yield f"{month}: {len(found)} countries; asked were {len(wanted)}"
        if heading != ["country", "customers", "sites", "revenue"]:
            yield f"the columns are {', '.join(heading) or 'none'}"


@grader
def grade_report():
    if request() is None:
        return Points(0, "there is no merge request of Sam's into main")
    wrong = list(dict.fromkeys(wrong_rows()))
    return Points(points_for_report(), "; ".join(wrong[:3]) or "the report says what was invoiced")


@grader
def grade_told():
    """In one comment, or in several, among few enough numbers that none is a guess."""
    notes = get_from_gitlab(PROJECT, "issues/4/notes", per_page=100, sort="asc").json()
    said = [one["body"] for one in notes if one["author"]["username"] == "sam.reed" and not one["system"]]
    figures = re.findall(FIGURE, "\n".join(said))
    told = {}
    for body in said:
        told |= told_by(body)
    missing = [place for place, amount in FEBRUARY.items() if amount not in told.get(place, ())]
    if missing:
        return Points(0, f"Sam's comments on the issue do not have the right revenue of {', '.join(missing)}")
    return Points(
        len(figures) <= MOST, f"all five amounts are there, among {len(figures)}; at most {MOST} are no guess"
    )


@grader
def grade_the_rest():
    if not points_for_report():
        return Points(0, NOT_REPAIRED)
    same = unittests_pass(with_parts_of(base(), branch(), *PARTS))
    return Points(same, f"the tests of main {'pass' if same else 'do not pass'} with the queries of the branch")


@grader
def grade_own_test():
    if not points_for_report():
        return Points(0, NOT_REPAIRED)
    own = unittests_pass(branch())
    without = own and unittests_pass(with_parts_of(branch(), base(), *PARTS))
    return Points(own and not without, own_test(own, without))


@grader
def grade_merge_request():
    if not points_for_report():
        return Points(0, NOT_REPAIRED)
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    others = [change["new_path"] for change in request()["changes"] if DATABASE.search(change["new_path"])]
    holds = {
        f"it is {request()['state']}, not open": request()["state"] == "opened",
        "it does not close #4": 4 in [issue["iid"] for issue in closed],
        "Sofia is not its reviewer": "sofia.papadaki" in [one["username"] for one in request()["reviewers"]],
        f"it touches {', '.join(others)}": not others,
    }
    wrong = [words for words, right in holds.items() if not right]
    return Points(not wrong, f"!{request()['iid']}: {'; '.join(wrong) or 'as asked'}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_report()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(1, grade_the_rest()))
    checkpoints.append(Checkpoint(1, grade_own_test()))
    checkpoints.append(Checkpoint(1, grade_merge_request()))
    return result
