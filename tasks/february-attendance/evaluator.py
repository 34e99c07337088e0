"""Grades february-attendance: the report by the policy in force, the message to Hana, and that nobody else was told."""

import csv
import io
import json
import re
from pathlib import Path

from common import changes, get_binary_file_content_owncloud, grader, messages_from
from scoring import Checkpoint, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "february.json"
EXAMINEE = "sam.reed"
FILE = "2026-02-attendance-report.csv"
OF_THE_REPORT = r"attendance|\blate\b|\bearly\b|incomplete|\breport\b|\btalk with\b|\bhours\b"
TALK = {"Mateo Vargas", "Jonas Weber"}


def reference():
    """Username to name, days, late, early, incomplete, hours."""
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def report():
    """Username to the report's line, by column; somebody with two lines that differ has none."""
    content = (get_binary_file_content_owncloud(FILE, "People/Attendance") or b"").decode("utf-8-sig", "replace")
    if not content.strip():
        return {}
    head, *rows = csv.reader(io.StringIO(content), delimiter=max(",;\t", key=content.partition("\n")[0].count))
    columns = [name.strip().lower() for name in head]
    found = {}
    for row in rows:
        line = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        found.setdefault(line.get("username", "").lower(), []).append(line)
    return {username: lines[0] for username, lines in found.items() if all(line == lines[0] for line in lines)}


def number(text):
    plain = (text or "").replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else -1.0


def right(*columns):
    """Is everybody there with these columns right? Hours may have been rounded day by day."""
    found = report()
    return all(
        username in found and abs(number(found[username].get(column)) - wanted[column]) <= 0.11 * (column == "hours")
        for username, wanted in reference().items()
        for column in columns
    )


def touched():
    return {(row["after"] or row["before"])["path"] for row in changes("owncloud")}


def table_points():
    return right("days", "incomplete") + right("late", "early") + right("hours")


def said():
    """Sam's messages, oldest first: those to Hana alone, and all others."""
    mine, hana = messages_from(EXAMINEE), {"hana.sato"}
    return [one for one in mine if one.people == hana], [one for one in mine if one.people != hana]


def names_in(text):
    """The full names in a text, without Hana's own and without Ines's where she is named as Jonas's lead."""
    named = {one["name"] for one in reference().values() if one["name"].lower() in text.lower()} - {"Hana Sato"}
    if re.search(
        r"\blead\b[^.;\n]{0,20}Ines Carvalho|Ines Carvalho[^.;\n]{0,20}\b(lead\b|talks?\b)", text, re.IGNORECASE
    ):
        named -= {"Ines Carvalho"}
    return named


def message_points():
    """What Sam's last message to Hana says that names anybody. Four names are the most that is no guess."""
    to_hana, _ = said()
    named = next((found for one in reversed(to_hana) if (found := names_in(one.text))), set())
    return (1 + (named == TALK)) if named >= TALK and len(named) <= 4 else 0


def tells(message):
    """Has a message anything of the report in it?"""
    return message.has_file or bool(re.search(OF_THE_REPORT, message.text, re.IGNORECASE) or names_in(message.text))


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
    _, others = said()
    return not any(tells(one) for one in others) and touched() <= {f"/People/Attendance/{FILE}"}


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_table())))
    checkpoints.append(Checkpoint(2, int(grade_message())))
    checkpoints.append(Checkpoint(1, int(grade_nobody_else())))
    return result
