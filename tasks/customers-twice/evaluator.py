"""Grades customers-twice: the pairs in Sam's file, by the ids of the export."""

import csv
import io

from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

FILE = "2026-03-duplicates.csv"


def wanted():
    """(keep, remove) of the eight pairs."""
    return {(keep, remove) for keep, remove in VALUES["key"]["pairs"]}


def given():
    """The (keep, remove) of Sam's file, each once."""
    content = (get_binary_file_content_owncloud(FILE, "Customers") or b"").decode("utf-8-sig", "replace")
    if not content.strip():
        return set()
    head, *rows = csv.reader(io.StringIO(content), delimiter=max(",;\t", key=content.partition("\n")[0].count))
    columns = [name.strip().lower() for name in head]
    lines = [dict(zip(columns, (cell.strip().upper() for cell in row), strict=False)) for row in rows if any(row)]
    return {(line.get("keep", ""), line.get("remove", "")) for line in lines}


def right():
    """The given pairs that are pairs, in either order but not in both."""
    found = given()
    pairs = {frozenset(pair) for pair in wanted()}
    return {pair for pair in found if frozenset(pair) in pairs and pair[::-1] not in found}


def found():
    """How many pairs are found; none when most of what is given is no pair."""
    return len(right()) if len(given()) <= 2 * len(right()) else 0


def counted(holds, said, needed=4):
    """A point, where enough pairs are right for it to count."""
    if found() < needed:
        return Points(0, f"fewer than {needed} pairs are right, beside which it counts")
    return Points(holds, said)


@grader
def grade_pairs():
    said = f"{len(right())} of the eight pairs are among the {len(given())} of /Customers/{FILE}"
    more = "" if found() == len(right()) else ", and most of what is given is no pair"
    return Points((found() >= 4) + (found() >= 6) + (found() == 8), said + more)


@grader
def grade_no_other():
    others = ", ".join(f"{keep} and {remove}" for keep, remove in sorted(given() - right())[:8])
    return counted(given() == right(), f"no pairs are: {others}" if others else "every pair that is listed is one")


@grader
def grade_kept():
    wrong = ", ".join(keep for keep, _ in sorted(right() - wanted()))
    said = f"the customer list has the other name of: {wrong}" if wrong else "the names of the customer list are kept"
    return counted(right() <= wanted(), said, 6)


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return counted(paths == [f"/Customers/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_pairs()))
    checkpoints.append(Checkpoint(1, grade_no_other()))
    checkpoints.append(Checkpoint(1, grade_kept()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
