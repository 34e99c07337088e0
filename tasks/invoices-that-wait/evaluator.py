"""Grades invoices-that-wait: the list against the policy, the message to Beatriz, and the rest of the drive."""

import csv
import io
import json
import re
from pathlib import Path

from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "waiting.json"
EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "2026-03-invoices-that-wait.csv"


def wanted():
    """Invoice to reason."""
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def given():
    content = (get_binary_file_content_owncloud(FILE, "Finance") or b"").decode("utf-8-sig", "replace")
    separator = ";" if content.count(";") > content.count(",") else ","
    rows = csv.DictReader(io.StringIO(content), delimiter=separator)
    return {
        (row.get("invoice") or "").strip().upper(): (row.get("reason") or "").strip(" `").lower()
        for row in rows
        if (row.get("invoice") or "").strip()
    }


def right():
    return given().keys() & wanted().keys()


@grader
def grade_list():
    return (len(right()) >= 4) + (len(right()) >= 6) + (len(right()) == 8)


@grader
def grade_no_other():
    return len(right()) >= 4 and right() == given().keys()


@grader
def grade_reasons():
    found = given()
    return len(right()) >= 6 and all(found[invoice] == wanted()[invoice] for invoice in right())


@grader
def grade_told():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "beatriz.ramos", content_only=False)
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    return len(right()) == 8 and any(re.search(r"\b(8|eight)\b", text, re.IGNORECASE) for text in said)


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return len(right()) >= 4 and paths == [f"/Finance/{FILE}"]


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_list())))
    checkpoints.append(Checkpoint(1, int(grade_no_other())))
    checkpoints.append(Checkpoint(1, int(grade_reasons())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    return result
