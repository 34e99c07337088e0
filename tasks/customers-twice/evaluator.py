"""Grades customers-twice: the pairs in Sam's file, by the ids of the export."""

import csv
import io
import json
from pathlib import Path

from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "pairs.json"
FILE = "2026-03-duplicates.csv"


def wanted():
    """(keep, remove) of the eight pairs."""
    return {(pair["keep"], pair["remove"]) for pair in json.loads(REFERENCE.read_text(encoding="utf-8"))}


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


@grader
def grade_pairs():
    return (found() >= 4) + (found() >= 6) + (found() == 8)


@grader
def grade_no_other():
    return found() >= 4 and given() == right()


@grader
def grade_kept():
    return found() >= 6 and right() <= wanted()


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return found() >= 4 and paths == [f"/Customers/{FILE}"]


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_pairs())))
    checkpoints.append(Checkpoint(1, int(grade_no_other())))
    checkpoints.append(Checkpoint(1, int(grade_kept())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    return result
