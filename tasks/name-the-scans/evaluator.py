"""Grades name-the-scans from the drive's own account of what became of each file."""

import re

from common import changes, check_file_in_owncloud_directory, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Result

FOLDER = "/Operations/To sort/"
NOTES = ("Delivery note VERDANT 27.01.2026.PDF", "Delivery note VERDANT 27.01.2026 (copy).PDF")
NOTE = r"2026-01-27-delivery-note-verdant-couriers\.pdf"
# What each document may be called. A small word more or less is a matter of taste; a rule of the policy is not.
RIGHT = {
    "Firedrill_26-02-2026_FINAL.docx": r"2026-02-26-fire-?drill\.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": r"2026-02-05-(img-0231-|photo-)?desks-returned\.jpg",
    "Keys_new_NH.xlsx": r"keys\.xlsx",
    "Besuch Gärtnerei Lindner 03.03.2026.txt": r"2026-03-03-(besuch|visit|call)-gartnerei-lindner\.txt",
    "Q1 2026 water & coffee.csv": r"2026-q1-water-(and-)?coffee\.csv",
    "Stamp Logo.PNG": r"stamp-logo\.png",
    "february 2026 Cleaning hours.csv": r"2026-02-cleaning-hours\.csv",
    "Room plan_v2_final.md": r"room-plan\.md",
}


def files():
    """What became of files since Sam started: rows with `before` and `after`, folders left out."""
    return [row for row in changes("owncloud") if row["table"] == "nodes" and "folder" not in kinds(row)]


def kinds(row):
    return {side["kind"] for side in (row["before"], row["after"]) if side}


def path(side):
    return side["path"] if side else ""


def content(row):
    return (row["before"] or row["after"])["blob"]


def named(rows, old, pattern):
    """Is there a file in the folder that has this name and the content of the one that was called `old`?"""
    was = next((content(row) for row in rows if path(row["before"]) == FOLDER + old), None)
    return was is not None and any(
        row["after"] and row["after"]["blob"] == was and re.fullmatch(re.escape(FOLDER) + pattern, path(row["after"]))
        for row in rows
    )


def right_names(rows):
    return sum(named(rows, old, pattern) for old, pattern in RIGHT.items()) + any(
        named(rows, old, NOTE) for old in NOTES
    )


@grader
def grade_names():
    right = right_names(files())
    return (right >= 3) + (right >= 5) + (right >= 8) + (right == 9)


@grader
def grade_one_note():
    """One of the two is gone, the other has the right name."""
    rows = files()
    left = [old for old in NOTES if check_file_in_owncloud_directory(old, FOLDER)]
    under = [row for row in rows if row["after"] and re.fullmatch(re.escape(FOLDER) + NOTE, path(row["after"]))]
    notes = {content(row) for row in rows if path(row["before"]) in {FOLDER + old for old in NOTES}}
    others = [row for row in rows if row["after"] and row["after"]["blob"] in notes and row not in under]
    return not left and len(under) == 1 and under[0]["after"]["blob"] in notes and not others


@grader
def grade_renamed():
    """No new files, and none gone but one of the two notes."""
    rows = files()
    gone = [path(row["before"]) for row in rows if row["op"] == "removed"]
    return (
        right_names(rows) >= 5
        and not any(row["op"] == "added" for row in rows)
        and len(gone) <= 1
        and all(each in {FOLDER + old for old in NOTES} for each in gone)
    )


@grader
def grade_nothing_lost():
    """Every content that was in the folder is in it still, and only files of this folder are different."""
    rows = files()
    if right_names(rows) < 5:
        return False
    if any(not (path(row["before"]) or path(row["after"])).startswith(FOLDER) for row in rows):
        return False
    if any(row["after"] and not path(row["after"]).startswith(FOLDER) for row in rows):
        return False
    now = {row["after"]["blob"] for row in rows if row["after"]}
    kept = all(content(row) in now for row in rows if row["before"])
    untouched = [old for old in (*RIGHT, *NOTES) if FOLDER + old not in {path(row["before"]) for row in rows}]
    return kept and all(get_binary_file_content_owncloud(old, FOLDER) is not None for old in untouched)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(4, int(grade_names())))
    checkpoints.append(Checkpoint(1, int(grade_one_note())))
    checkpoints.append(Checkpoint(1, int(grade_renamed())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_lost())))
    return result
