"""Grades status-round: the states on the board, what else changed there, and the message in #engineering."""

import re

from common import (
    changes,
    get_plane_project_all_issues,
    get_plane_project_id,
    get_plane_state_id_dict,
    grader,
    messages_from,
)
from scoring import Checkpoint, Points, Result
from variant import VALUES

EXAMINEE = "sam.reed"
WHO = {
    15: "chidi.eze",
    16: "arjun.mehta",
    20: "mateo.vargas",
    23: "lena.fischer",
    25: "ewa.kowalska",
    28: "jonas.weber",
}
STATES = {int(number): state for number, state in VALUES["key"]["states"].items()}
# The items that the board had in another state, and those that it had right.
CHANGED = {number: state for number, state in STATES.items() if state != VALUES["before"][str(number)]}
SAME = {number: state for number, state in STATES.items() if number not in CHANGED}
STATE = r"\b(backlog|todo|in progress|in review|done|cancelled)\b"
# What a line says of the past, or says that it is not.
PAST = rf"\b(was|were|from|before|previously|not|instead of|no longer) {STATE}"
EITHER = rf"{STATE}\W*(?:\bor\b|/)\W*{STATE}"


def board():
    """Number to state of every item of Trellis, and the items' ids."""
    project = get_plane_project_id("Trellis")
    _, names = get_plane_state_id_dict(project)
    items = get_plane_project_all_issues(project)
    return {item["sequence_id"]: names[item["state"]].lower() for item in items}, {
        item["sequence_id"]: item["id"] for item in items
    }


def report():
    """Sam's last message in #engineering that has the states of four of the items at least; None without one."""
    mine = [one for one in messages_from(EXAMINEE) if one.channel == "engineering"]
    found = [one for one in mine if len(reported(one.text).keys() & WHO.keys()) >= 4]
    return found[-1] if found else None


def asked():
    """The items whose person Sam wrote to before the report, in a direct message or by name anywhere else."""
    end = report()
    before = [one for one in messages_from(EXAMINEE) if end is None or one.at < end.at]
    return {number for number, username in WHO.items() if any(one.is_to(username) for one in before)}


def set_right():
    """The items that were out of date, whose person was asked, and that are right now."""
    states, _ = board()
    return {number for number in asked() & CHANGED.keys() if states[number] == CHANGED[number]}


def plain(words):
    """Words of a line with states spelled as on the board, and without those of the past."""
    words = words.lower().replace("to do", "todo").replace("to-do", "todo")
    return re.sub(PAST, "", re.sub(r"\b(in)[-_ ]?(progress|review)\b", r"\1 \2", words))


def reported(text):
    """Number to state, as a message says: the first state after its number on the line, or before it; two are none."""
    found = {}
    for line in text.splitlines():
        key = re.search(r"\bTREL-(\d+)\b", line, re.IGNORECASE)
        if not key:
            continue
        before, rest = plain(line[: key.start()]), plain(line[key.end() :])
        after_arrow = re.split(r"→|➜|➡|[-=]+>", rest)[-1]
        state = re.search(STATE, after_arrow) or re.search(STATE, rest) or re.search(STATE, before)
        either = re.search(EITHER, rest)
        said = set(either.groups()) if either else {state.group()} if state else set()
        found.setdefault(int(key.group(1)), set()).update(said)
    return {number: states.pop() for number, states in found.items() if len(states) == 1}


@grader
def grade_states():
    states, _ = board()
    wrong = [
        f"TREL-{number} is {states[number]}; asked was {state}"
        if states[number] != state
        else f"TREL-{number} is right, and {WHO[number]} was not asked"
        for number, state in CHANGED.items()
        if number not in set_right()
    ]
    return Points(len(set_right()), "; ".join(wrong) or "all four that were out of date are right")


@grader
def grade_rest():
    if len(set_right()) < 2:
        return Points(0, "fewer than two states were set right, beside which it counts")
    states, ids = board()
    moved = [f"TREL-{number} is {states[number]} now" for number, state in SAME.items() if states[number] != state]
    ours = {ids[number] for number in CHANGED}
    rows = [row for row in changes("plane") if row["table"] != "comments"]
    others = [
        row["words"]
        for row in rows
        if not (row["table"] == "items" and row["op"] == "changed" and row["key"] in ours and only_moved(row))
    ]
    return Points((not moved) + (not others), "; ".join(moved + others[:4]) or "nothing else on the board changed")


def only_moved(row):
    moved = {name for name, value in row["after"].items() if row["before"][name] != value}
    return moved <= {"state", "completed_at", "sort_order"}


@grader
def grade_message():
    end, known = report(), asked()
    found = reported(end.text) if end else {}
    right = {number for number, state in STATES.items() if number in known and found.get(number) == state}
    if end is None:
        return Points(0, "no message of Sam's in #engineering has the states of four of the six")
    wrong = [f"TREL-{number} {found.get(number, 'not there')}" for number in sorted(WHO) if number not in right]
    said = f"{len(right)} of six are right, and asked for" + (f"; not so: {', '.join(wrong)}" if wrong else "")
    points = (len(right) >= 4) + (len(right) == 6)
    return Points(points if len(right & CHANGED.keys()) >= 2 else 0, said)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(4, grade_states()))
    checkpoints.append(Checkpoint(2, grade_rest()))
    checkpoints.append(Checkpoint(2, grade_message()))
    return result
