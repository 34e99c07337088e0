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
from scoring import Checkpoint, Result

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
NUMBERS = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "ten": "10"}


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
    return {NUMBERS.get(word, word) for word in re.findall(rf"\b(\d+|{'|'.join(NUMBERS)})\b", text)}


@grader
def grade_moved():
    return (len(moved()) >= 3) + (len(moved()) == 5)


@grader
def grade_comments():
    rows = [row["after"] for row in changes("plane") if row["table"] == "comments" and row["op"] == "added"]
    commented = {
        row["issue"] for row in rows if re.search(r"[^\W\d_]{4}", re.sub(r"<[^>]*>", "", row["comment_html"] or ""))
    }
    return len(moved()) >= 3 and all(item["id"] in commented for item in moved().values())


@grader
def grade_told():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "priya.nair", content_only=False)
    said = "\n".join(message["msg"] for message in history if message["u"]["username"] == EXAMINEE)
    return len(moved()) == 5 and "5" in counts(said) and len(counts(said)) <= 4


@grader
def grade_nothing_else():
    if len(moved()) < 3:
        return 0
    kept = sprint("Sprint 6")
    ours = {item["id"] for item in moved().values()}
    about = ours | {item["id"] for item in kept.values()}
    fine = all(
        (row["table"] == "comments" and row["op"] == "added" and row["after"]["issue"] in about)
        or (row["table"] == "cycle_items" and (row["after"] or row["before"])["issue"] in ours)
        for row in changes("plane")
    )
    return (kept.keys() >= SETTLED) + fine


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_moved())))
    checkpoints.append(Checkpoint(1, int(grade_comments())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(2, int(grade_nothing_else())))
    return result
