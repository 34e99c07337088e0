"""Grades close-sprint-6: where the items of Sprint 6 are now, and what else became of the board."""

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


def sprint(name):
    """The items of a sprint, by name."""
    project = get_plane_project_id("Trellis")
    cycle = get_plane_cycle_details(project, name)
    return {item["name"]: item for item in get_plane_issues_by_project_cycle(project, cycle["id"])}


def moved():
    """The unfinished items that are in Sprint 7 now."""
    return {name: item for name, item in sprint("Sprint 7").items() if name in UNFINISHED}


@grader
def grade_moved():
    return (len(moved()) >= 3) + (len(moved()) == 5)


@grader
def grade_comments():
    rows = [row["after"] for row in changes("plane") if row["table"] == "comments" and row["op"] == "added"]
    commented = {row["issue"] for row in rows if re.sub(r"<[^>]*>|\s", "", row["comment_html"] or "")}
    return len(moved()) >= 3 and all(item["id"] in commented for item in moved().values())


@grader
def grade_told():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "priya.nair", content_only=False)
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    return len(moved()) == 5 and any(re.search(r"\b(5|five)\b", text, re.IGNORECASE) for text in said)


@grader
def grade_nothing_else():
    ours = moved()
    if len(ours) < 3:
        return 0
    ids = {item["id"] for item in ours.values()}
    for row in changes("plane"):
        side = row["after"] or row["before"]
        fine = row["table"] == "comments" and row["op"] == "added"
        fine = fine or (row["table"] == "cycle_items" and side["issue"] in ids)
        if not fine:
            return int(sprint("Sprint 6").keys() >= SETTLED)
    return 2


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_moved())))
    checkpoints.append(Checkpoint(1, int(grade_comments())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(2, int(grade_nothing_else())))
    return result
