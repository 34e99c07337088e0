"""Grades name-the-scans from the drive's own account of what became of each file."""

import re

from common import changes, check_file_in_owncloud_directory, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

FOLDER = "/Operations/To sort/"
TOO_FEW = "fewer than five names are right, beside which it counts"
KEY, NAMES = VALUES["key"], VALUES["names"]
# A caller may be put into English, as any word of another language.
CALLER, _, CALLED = KEY["call"][1].partition("-")
ENGLISH = {
    "gartnerei": "(garden-)?nursery|gardeners?|garden-centre",
    "baumschule": "(tree-)?nursery",
    "blumengeschaft": "(flower-)?shop|florist",
    "staudenhof": "(perennials?-)?(farm|nursery)",
    "rosenschule": "(rose-)?nursery",
}[CALLER]


def words(*needed, more=""):
    """A pattern for names of these words, in any order, and of no others than `more`."""
    every = "|".join((*needed, *more.split()))
    must = "".join(rf"(?=.*\b(?:{one})\b)" for one in needed)
    return rf"{must}(?:{every})(?:-(?:{every}))*"


# What each document may be called. A small word more or less is a matter of taste; a rule of the policy is not.
MAY = {
    NAMES["note"]: rf"{KEY['note'][0]}-delivery-note(-(of|from))?-{KEY['note'][1]}\.pdf",
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-"
    + words("fire-drill|firedrill", more="report notes minutes of the office kraanlei")
    + r"\.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-"
    + words("desks", "returned", more="img image photo picture 0231 of the two standing to oakline-furniture")
    + r"\.jpg",
    "Keys_new_NH.xlsx": words("keys?", more="list of and with the holders office kraanlei") + r"\.xlsx",
    NAMES["call"]: rf"{KEY['call'][0]}-((tele)?phone-)?(besuch|visit|call|anruf|telephone|notes?)(-(notes?|report))?"
    rf"(-(bei|at|to|of|from|with))?-({CALLER}-{CALLED}|({ENGLISH})-{CALLED}|{CALLED}-({ENGLISH}))\.txt",
    NAMES["quarter"]: rf"{KEY['quarter']}-{words('water', 'coffee', more='and of consumption use usage office')}\.csv",
    "Stamp Logo.PNG": words("stamp", "logo", more="larkspur for of the with") + r"\.png",
    NAMES["month"]: rf"{KEY['month']}-{words('cleaning', 'hours', more='of for the office')}\.csv",
    "Room plan_v2_final.md": words("rooms?", more="plan of the office kraanlei list") + r"\.md",
}
# The document that is there twice, and all others.
ALIKE = (NAMES[KEY["twice"]], VALUES["copy"])
NAME = MAY[ALIKE[0]]
RIGHT = {old: pattern for old, pattern in MAY.items() if old != ALIKE[0]}


def files():
    """What became of files since Sam started: rows with `before` and `after`, folders left out."""
    return [row for row in changes("owncloud") if row["table"] == "nodes" and "folder" not in kinds(row)]


def anything_but_files():
    """Folders and shares that are new, gone or different: nothing of that was asked for."""
    return [row for row in changes("owncloud") if row["table"] != "nodes" or "folder" in kinds(row)]


def kinds(row):
    return {side["kind"] for side in (row["before"], row["after"]) if side}


def path(side):
    return side["path"] if side else ""


def content(row):
    return (row["before"] or row["after"])["blob"]


def named(rows, old, pattern, most=1):
    """Has the file that was called `old` this name in the folder, and no other name beside it?"""
    was = next((content(row) for row in rows if path(row["before"]) == FOLDER + old), None)
    now = [path(row["after"]) for row in rows if row["after"] and row["after"]["blob"] == was]
    return was is not None and len(now) <= most and any(re.fullmatch(re.escape(FOLDER) + pattern, one) for one in now)


def right_names(rows):
    return sum(named(rows, old, pattern) for old, pattern in RIGHT.items()) + any(
        named(rows, old, NAME, most=2) for old in ALIKE
    )


@grader
def grade_names():
    rows = files()
    right = right_names(rows)
    wrong = [old for old, pattern in RIGHT.items() if not named(rows, old, pattern)]
    wrong += [] if any(named(rows, old, NAME, most=2) for old in ALIKE) else [ALIKE[0]]
    said = f"{right} of nine documents have their name" + (f"; not what was: {'; '.join(wrong)}" if wrong else "")
    return Points((right >= 3) + (right >= 5) + (right >= 8) + (right == 9), said)


@grader
def grade_one_of_two():
    """One of the two is gone, the other has the right name."""
    rows = files()
    left = [old for old in ALIKE if check_file_in_owncloud_directory(old, FOLDER)]
    under = [row for row in rows if row["after"] and re.fullmatch(re.escape(FOLDER) + NAME, path(row["after"]))]
    alike = {content(row) for row in rows if path(row["before"]) in {FOLDER + old for old in ALIKE}}
    others = [row for row in rows if row["after"] and row["after"]["blob"] in alike and row not in under]
    one = not left and len(under) == 1 and under[0]["after"]["blob"] in alike and not others
    return Points(
        one,
        f"the two that are the same are {'one file under its right name' if one else 'not one file of that name'}",
    )


@grader
def grade_renamed():
    """No new files, and none gone but one of the two that are the same."""
    rows = files()
    gone = [path(row["before"]) for row in rows if row["op"] == "removed"]
    if right_names(rows) < 5:
        return Points(0, TOO_FEW)
    added = [path(row["after"]) for row in rows if row["op"] == "added"]
    renamed = not added and len(gone) <= 1 and all(each in {FOLDER + old for old in ALIKE} for each in gone)
    if renamed:
        return Points(1, "the files were renamed")
    return Points(0, f"new instead of renamed: {', '.join(added[:4]) or 'none'}; gone: {', '.join(gone[:4]) or 'none'}")


@grader
def grade_nothing_lost():
    """Every content that was in the folder is in it still, and nothing but files of this folder is different."""
    rows = files()
    if right_names(rows) < 5:
        return Points(0, TOO_FEW)
    others = [row["words"] for row in anything_but_files()]
    others += [row["words"] for row in rows if not (path(row["before"]) or path(row["after"])).startswith(FOLDER)]
    others += [row["words"] for row in rows if row["after"] and not path(row["after"]).startswith(FOLDER)]
    if others:
        return Points(0, "; ".join(others[:4]))
    now = {row["after"]["blob"] for row in rows if row["after"]}
    kept = all(content(row) in now for row in rows if row["before"])
    untouched = [old for old in (*RIGHT, *ALIKE) if FOLDER + old not in {path(row["before"]) for row in rows}]
    kept = kept and all(get_binary_file_content_owncloud(old, FOLDER) is not None for old in untouched)
    return Points(kept, "nothing was lost" if kept else "the content of a document is not in the folder any more")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(4, grade_names()))
    checkpoints.append(Checkpoint(1, grade_one_of_two()))
    checkpoints.append(Checkpoint(1, grade_renamed()))
    checkpoints.append(Checkpoint(1, grade_nothing_lost()))
    return result
