"""Grades forecast-for-spring: the sheet Teams, the message to Tomas, and the rest of the drive."""

import io
import re

import openpyxl
from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "2026-q2-budget.xlsx"
DRAFT = {
    "Leadership": 2400,
    "Operations": 3300,
    "Finance": 1200,
    "People": 2400,
    "Product": 2700,
    "Customers": 6000,
    "Engineering": 7200,
}
CHANGED = {"Engineering": 8450, "Operations": 3780, "Customers": 5600}
SUM = 26530


def rows():
    content = get_binary_file_content_owncloud(FILE, "Finance/Budgets")
    if content is None:
        return []
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return [list(row) for row in book["Teams"].values] if "Teams" in book.sheetnames else []


def teams():
    """Team to its line, as a dict by column."""
    found = rows()
    start = next((at for at, row in enumerate(found) if row and row[0] == "team"), None)
    if start is None:
        return {}
    return {row[0]: dict(zip(found[start], row, strict=False)) for row in found[start + 1 :] if row[0]}


def number(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(float(value), 2)
    digits = re.sub(r"[^\d.]", "", str(value or "").replace(",", ""))
    return float(digits) if digits else None


def changed():
    found = teams()
    return sum(
        number(found.get(team, {}).get("forecast_q2_eur")) == amount
        and bool(str(found[team].get("reason") or "").strip())
        for team, amount in CHANGED.items()
    )


@grader
def grade_changed():
    return changed()


@grader
def grade_same():
    found = teams()
    same = {team: amount for team, amount in DRAFT.items() if team not in CHANGED}
    return changed() >= 1 and all(
        number(found.get(team, {}).get("forecast_q2_eur")) == amount for team, amount in same.items()
    )


@grader
def grade_told():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "tomas.okafor", content_only=False)
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    return any(re.search(r"26[., ’']?530\b", text) for text in said)


@grader
def grade_rest():
    if not changed():
        return 0
    found = teams()
    head = bool(rows()) and str(rows()[0][0] or "").startswith("Draft of the teams' budgets for April to June 2026")
    drafts = all(number(found.get(team, {}).get("draft_q2_eur")) == amount for team, amount in DRAFT.items())
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return (head and drafts and found.keys() == DRAFT.keys()) + (paths == [f"/Finance/Budgets/{FILE}"])


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_changed())))
    checkpoints.append(Checkpoint(1, int(grade_same())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(2, int(grade_rest())))
    return result
