"""Grades february-attendance: the report by the policy in force, the message to Hana, and that nobody else was told."""

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

REFERENCE = Path(__file__).resolve().parent / "references" / "february.json"
EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
TALK = {"Mateo Vargas", "Jonas Weber"}


def reference():
    """Username to name, days, late, early, incomplete, hours."""
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def report():
    """Username to the report's line."""
    name = "2026-02-attendance-report.csv"
    content = (get_binary_file_content_owncloud(name, "People/Attendance") or b"").decode("utf-8-sig", "replace")
    separator = ";" if content.count(";") > content.count(",") else ","
    rows = csv.DictReader(io.StringIO(content), delimiter=separator)
    return {(row.get("username") or "").strip(): row for row in rows}


def number(text):
    found = re.search(r"\d+(?:[.,]\d+)?", text or "")
    return float(found.group().replace(",", ".")) if found else -1.0


def right(*columns):
    """Is everybody there with these columns right? Hours may differ by a rounded minute."""
    found = report()
    return all(
        username in found and abs(number(found[username].get(column)) - wanted[column]) <= 0.02
        for username, wanted in reference().items()
        for column in columns
    )


def table_points():
    return right("days", "incomplete") + right("late", "early") + right("hours")


def message_points():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "hana.sato", content_only=False)
    best = 0
    for said in (message["msg"] for message in history if message["u"]["username"] == EXAMINEE):
        named = {one["name"] for one in reference().values() if one["name"].lower() in said.lower()} - {"Hana Sato"}
        if named >= TALK:
            best = max(best, 1 + (named == TALK))
    return best


@grader
def grade_table():
    return table_points()


@grader
def grade_message():
    return message_points()


@grader
def grade_nobody_else():
    if max(table_points(), message_points()) < 2:
        return False
    for row in changes("rocketchat"):
        if row["table"] == "rooms" and row["op"] == "added" and row["after"]["type"] != "d":
            return False
        if row["table"] == "messages" and row["after"]:
            sam = create_rocketchat_client(EXAMINEE, PASSWORD)
            to_hana = get_rocketchat_personal_chat_history(sam, "hana.sato", content_only=False)
            if row["key"] not in {message["_id"] for message in to_hana}:
                return False
    paths = {(row["after"] or row["before"])["path"] for row in changes("owncloud")}
    return paths <= {"/People/Attendance/2026-02-attendance-report.csv"}


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_table())))
    checkpoints.append(Checkpoint(2, int(grade_message())))
    checkpoints.append(Checkpoint(1, int(grade_nobody_else())))
    return result
