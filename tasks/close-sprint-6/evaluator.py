"""Grades close-sprint-6: where the items of Sprint 6 are now, and what else became of the board."""

import functools
import re

from common import (
    changes,
    create_rocketchat_client,
    get_plane_cycle_details,
    get_plane_issues_by_project_cycle,
    get_plane_project_id,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Points, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
UNFINISHED = {
    "Week view scrolls smoothly with 60 people",
    "Tablets with battery saving show an old plan",
    "Import report lists Latin names that occur twice",
    "Test swaps on three kinds of phone",
    "Help page says that a swap cannot be undone",
}
SETTLED = {
    "Let two people swap a shift",
    "Fax export of the weekly plan",
    "Test the catalogue import with two nurseries",
    "Time zones in plans and exports",
    "Load test with 140 garden centres planning at once",
}
TOO_FEW = "fewer than three of the five went over, beside which it counts"
NUMBERS = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "ten": "10"}
NUMBER = rf"(\d+|{'|'.join(NUMBERS)})"
# What a message says it was not, and what it says stayed behind.
NOT_MEANT = (
    rf"\b(?:not|instead of|rather than) {NUMBER}\b"
    rf"|\b{NUMBER}(?: (?:items?|issues?|things?|cards?|of them|others?|finished|done))* (?:stay|remain)(?:ed)?\b"
)
CORRECTS = rf"\b(?:correction|miscount\w*|i meant|(?:sorry|no)\W+(?:(?:it|that) (?:is|was) )?{NUMBER})\b"


@functools.cache
def sprint(name):
    """The items of a sprint, by name."""
    project = get_plane_project_id("Trellis")
    cycle = get_plane_cycle_details(project, name)
    return {item["name"]: item for item in get_plane_issues_by_project_cycle(project, cycle["id"])}


@functools.cache
def moved():
    """The unfinished items that are in Sprint 7 now; none, when half of the others went with them."""
    there = sprint("Sprint 7")
    if len(there.keys() & SETTLED) >= 3:
        return {}
    return {name: item for name, item in there.items() if name in UNFINISHED}


def counts(text):
    """The numbers a message has, but for those in names of items and sprints, in dates and before a list's lines."""
    text = text.lower()
    for name in UNFINISHED | SETTLED:
        text = text.replace(name.lower(), "")
    text = re.sub(r"https?://\S+|(sprint|trel(lis)?)[ -]*\d[\d.]*|^\s*\d+[.)]\s", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b\d+(th|st|nd|rd)?\.? (of )?march|\bmarch \d+|\d+[-.:/]\d[\d.:/-]*", "", text)
    return {NUMBERS.get(word, word) for word in re.findall(rf"\b{NUMBER}\b", re.sub(NOT_MEANT, "", text))}


def went_over(text):
    """The numbers of items that a text says went over, whatever else it counts."""
    text = re.sub(r"https?://\S+|(sprint|trel(lis)?)[ -]*\d[\d.]*|" + NOT_MEANT, "", text.lower())
    items = r"(?: (?:of (?:the |all )?\d+|unfinished|open|items?|issues?|things?|tasks?|cards?|of them))*"
    over = r"(?:went|go|going|moved?|carried|transferred|rolled|taken|brought|now in)\b"
    found = re.findall(rf"\b{NUMBER}\b{items}(?: (?:were|have|have been|are|all))* {over}", text)
    found += re.findall(rf"\b(?:moved|carried|transferred|rolled)(?: over)?(?: the)? {NUMBER}\b", text)
    return {NUMBERS.get(one, one) for one in found}


def claimed(text):
    """The numbers that a message says went over, or that it corrects an earlier one with."""
    return went_over(text) or (counts(text) if re.search(CORRECTS, text, re.IGNORECASE) else set())


@grader
def grade_moved():
    missing = "; ".join(sorted(UNFINISHED - moved().keys()))
    taken = len(sprint("Sprint 7").keys() & SETTLED)
    said = f"in Sprint 7 are {len(moved())} of the five unfinished items" + (f"; missing: {missing}" if missing else "")
    more = f"; {taken} finished or cancelled ones went with them" if taken else ""
    return Points((len(moved()) >= 3) + (len(moved()) == 5), said + more)


@grader
def grade_comments():
    rows = [row["after"] for row in changes("plane") if row["table"] == "comments" and row["op"] == "added"]
    commented = {
        row["issue"] for row in rows if re.search(r"[^\W\d_]{4}", re.sub(r"<[^>]*>", "", row["comment_html"] or ""))
    }
    if len(moved()) < 3:
        return Points(0, TOO_FEW)
    without = [name for name, item in moved().items() if item["id"] not in commented]
    return Points(not without, f"without a comment: {'; '.join(without)}" if without else "each has a comment")


@grader
def grade_told():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "priya.nair", content_only=False)
    texts = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    if len(moved()) < 5:
        return Points(0, "not all five went over, so their number was not to be told yet")
    claims, named = [found for found in map(claimed, texts) if found], counts("\n".join(texts))
    if claims:
        # What was said last counts, and is no answer among many.
        told, said = claims[-1] == {"5"} and len(set().union(*claims)) <= 3, claims[-1]
    else:
        told, said = "5" in named and len(named) <= 4, named
    return Points(told, f"Priya was last told {', '.join(sorted(said)[:12]) or 'no number'}; asked was 5")


@grader
def grade_nothing_else():
    if len(moved()) < 3:
        return Points(0, TOO_FEW)
    kept = sprint("Sprint 6")
    ours = {item["id"] for item in moved().values()}
    about = ours | {item["id"] for item in kept.values()}
    others = [
        row["words"]
        for row in changes("plane")
        if not (row["table"] == "comments" and row["op"] == "added" and row["after"]["issue"] in about)
        and not (row["table"] == "cycle_items" and (row["after"] or row["before"])["issue"] in ours)
    ]
    gone = [f"not in Sprint 6 any more: {name}" for name in sorted(SETTLED - kept.keys())]
    return Points((not gone) + (not others), "; ".join(gone + others[:4]) or "nothing else happened on the board")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_moved()))
    checkpoints.append(Checkpoint(1, grade_comments()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(2, grade_nothing_else()))
    return result
