"""Grades rank-the-wishes: the order in the file, the messages to both, and what else became of the company."""

import csv
import io
import re

from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "2026-03-request-ranking.csv"
ORDER = [
    "Copy last year's week",
    "A site's own closing days in the plan",
    "Own words for tasks",
    "Print the week on one page",
    "See who changed a shift",
    "Send the plan as a text message to seasonal workers",
    "See the plan for two days without internet",
    "A colour of their own for people with the same first name",
    "A swap between three people",
]


def plain(text):
    return re.sub(r"[^a-z0-9]+", " ", (text or "").lower().replace("'", "").replace("’", "")).strip()


def ranked():
    """The wishes in the order of their rank, as Sam's file has it."""
    content = (get_binary_file_content_owncloud(FILE, "Product") or b"").decode("utf-8-sig", "replace")
    separator = ";" if content.count(";") > content.count(",") else ","
    rows = [
        row
        for row in csv.DictReader(io.StringIO(content), delimiter=separator)
        if (row.get("rank") or "").strip(" .").isdigit()
    ]
    return [plain(row.get("request")) for row in sorted(rows, key=lambda row: int(row["rank"].strip(" .")))]


def right():
    """How many are right from the top down."""
    count = 0
    for given, wanted in zip(ranked(), ORDER, strict=False):
        if given != plain(wanted):
            break
        count += 1
    return count if len(ranked()) == len(ORDER) else min(count, 8)


def said_to(username):
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, username, content_only=False)
    return [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]


@grader
def grade_ranking():
    return (right() >= 3) + (right() >= 6) + (right() == 9)


@grader
def grade_heard():
    return right() >= 3 and all(said_to(username) for username in ("priya.nair", "luca.moretti"))


@grader
def grade_told():
    first, others = plain(ORDER[0]), [plain(wish) for wish in ORDER[1:]]

    def tells(text):
        return first in plain(text) and not any(other in plain(text).split(first)[0] for other in others)

    return all(any(tells(text) for text in said_to(username)) for username in ("priya.nair", "luca.moretti"))


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return right() >= 3 and paths == [f"/Product/{FILE}"] and not changes("plane")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_ranking())))
    checkpoints.append(Checkpoint(1, int(grade_heard())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    return result
