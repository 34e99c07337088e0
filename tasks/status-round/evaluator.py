"""Grades status-round: the states on the board, what else changed there, and the message in #engineering."""

import re

from common import (
    changes,
    create_rocketchat_client,
    get_plane_project_all_issues,
    get_plane_project_id,
    get_plane_state_id_dict,
    get_rocketchat_channel_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE = "sam.reed"
CHANGED = {16: "Done", 20: "In Review", 23: "In Progress", 28: "Done"}
SAME = {15: "Todo", 25: "In Progress"}
STATES = ("Backlog", "Todo", "In Progress", "In Review", "Done", "Cancelled")


def board():
    """Number to state of every item of Trellis, and the items' ids."""
    project = get_plane_project_id("Trellis")
    _, names = get_plane_state_id_dict(project)
    items = get_plane_project_all_issues(project)
    return {item["sequence_id"]: names[item["state"]] for item in items}, {
        item["sequence_id"]: item["id"] for item in items
    }


def set_right():
    states, _ = board()
    return sum(states[number] == state for number, state in CHANGED.items())


def reported(text):
    """Number to state, as a message says: the first state named after a number, on its line."""
    found = {}
    for line in text.splitlines():
        key = re.search(r"TREL-(\d+)", line, re.IGNORECASE)
        rest = line[key.end() :].lower() if key else ""
        said = [(rest.find(state.lower()), state) for state in STATES if state.lower() in rest]
        if key and said:
            found[int(key.group(1))] = min(said)[1]
    return found


@grader
def grade_states():
    return set_right()


@grader
def grade_rest():
    if set_right() < 2:
        return 0
    states, ids = board()
    same = all(states[number] == state for number, state in SAME.items())
    ours = {ids[number] for number in CHANGED}
    rows = [row for row in changes("plane") if row["table"] != "comments"]
    return same + all(row["table"] == "items" and row["op"] == "changed" and row["key"] in ours for row in rows)


@grader
def grade_message():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "engineering")
    best = 0
    for said in (message["msg"] for message in history if message["u"]["username"] == EXAMINEE):
        found = reported(said)
        news = sum(found.get(number) == state for number, state in CHANGED.items())
        right = news + sum(found.get(number) == state for number, state in SAME.items())
        if news >= 2:
            best = max(best, (right >= 4) + (right == 6))
    return best


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(4, int(grade_states())))
    checkpoints.append(Checkpoint(2, int(grade_rest())))
    checkpoints.append(Checkpoint(2, int(grade_message())))
    return result
