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
DOCUMENTS = 24
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def wanted():
    """Invoice to reason."""
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def given():
    """Invoice to reason; an invoice with two reasons has none."""
    content = (get_binary_file_content_owncloud(FILE, "Finance") or b"").decode("utf-8-sig", "replace").strip()
    separator = max(",;\t", key=content.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(content), delimiter=separator, skipinitialspace=True))
    head = [name.strip().lower() for name in rows[0]] if rows else []
    found = {}
    for row in rows[1:]:
        line = dict(zip(head, row, strict=False))
        reason = re.sub(r"[\s_-]+", " ", line.get("reason", "").strip(" `'\"").lower())
        found.setdefault(line.get("invoice", "").strip(" `'\"").upper(), set()).add(reason)
    return {invoice: min(reasons) if len(reasons) == 1 else "" for invoice, reasons in found.items() if invoice}


def right():
    """The invoices that are rightly on the list; none of them when they are not the greater part of it."""
    found = given().keys() & wanted().keys()
    return found if len(found) > len(given()) / 2 else set()


def counts(text):
    """The bare numbers of a message that may be a count: not those of dates, amounts, documents and lists."""
    text = re.sub(r"(?m)^\W*\d+[.):]\s|\b\d+[.)]\s+(?=[A-Z]{2}-)", " ", text)
    text = re.sub(r"\S*[A-Za-z]\S*-\d\S*|\S*\.csv\S*", " ", text)
    text = re.sub(
        r"\d[\d./:-]*[./:-]\d+|\d+(st|nd|rd|th)?\.?\s+(of\s+)?(Jan|Feb|Mar)\w*|(Jan|Feb|Mar)\w*\s+\d+", " ", text
    )
    words = {word: at for at, word in enumerate(WORDS)}
    found = re.findall(rf"\b(?:\d+|{'|'.join(WORDS)})\b", text, re.IGNORECASE)
    numbers = {words[one.lower()] if one.lower() in words else int(one) for one in found}
    return {number for number in numbers if number <= DOCUMENTS}


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
    """A message says eight, and neither it nor the others count through all that it could be."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "beatriz.ramos", content_only=False)
    said = [counts(message["msg"]) for message in history if message["u"]["username"] == EXAMINEE]
    said = [numbers for numbers in said if numbers]
    return len(right()) == 8 and len(said) <= 5 and any(8 in numbers and len(numbers) <= 8 for numbers in said)


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
