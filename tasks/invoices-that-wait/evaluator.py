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
from scoring import Checkpoint, Points, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "waiting.json"
EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "2026-03-invoices-that-wait.csv"
DOCUMENTS = 24
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBER = rf"\b(?:\d+|{'|'.join(WORDS)})\b"
# Two numbers between which a message does not choose, one that it denies, and how many it says are paid.
NOT_MEANT = (
    rf"{NUMBER},? (?:or|to) {NUMBER}|\b(?:not|instead of|rather than) {NUMBER}"
    rf"|{NUMBER}(?: (?:invoices?|documents?|others?|of them))* (?:can|may|will) be paid"
)
WAITING = rf"({NUMBER})(?: (?:invoices?|documents?|that|which|have|has|must|should|need|to|are))* (?:wait|held)"
CORRECTS = rf"\b(?:correction|miscount\w*|i meant|(?:sorry|no)\W+(?:(?:it|that) (?:is|was) )?{NUMBER})\b"


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
    text = re.sub(NOT_MEANT, " ", text, flags=re.IGNORECASE)
    numbers = {value(one) for one in re.findall(NUMBER, text, re.IGNORECASE)}
    return {number for number in numbers if number <= DOCUMENTS}


def value(word):
    return WORDS.index(word.lower()) if word.lower() in WORDS else int(word)


def claimed(text):
    """The numbers that a message says must wait, or that it corrects an earlier one with."""
    found = {value(one) for one in re.findall(WAITING, text, re.IGNORECASE)} & counts(text)
    return found or (counts(text) if re.search(CORRECTS, text, re.IGNORECASE) else set())


def counted(holds, said, needed=4):
    """A point, where enough invoices are right for it to count."""
    if len(right()) < needed:
        return Points(0, f"fewer than {needed} invoices are rightly on the list, beside which it counts")
    return Points(holds, said)


@grader
def grade_list():
    missing = sorted(wanted().keys() - given().keys())
    said = f"{len(given().keys() & wanted().keys())} of the eight are on /Finance/{FILE}, among {len(given())}"
    more = f"; missing: {', '.join(missing)}" if missing else ""
    return Points((len(right()) >= 4) + (len(right()) >= 6) + (len(right()) == 8), said + more)


@grader
def grade_no_other():
    others = ", ".join(sorted(given().keys() - right())[:8])
    return counted(right() == given().keys(), f"need not wait: {others}" if others else "no other invoice is on it")


@grader
def grade_reasons():
    found = given()
    wrong = [
        f"{invoice} has {found[invoice] or 'no one reason'}; asked was {wanted()[invoice]}"
        for invoice in sorted(right())
        if found[invoice] != wanted()[invoice]
    ]
    return counted(not wrong, "; ".join(wrong) or "each has the policy's reason", 6)


@grader
def grade_told():
    """A message says eight, none takes it back, and neither it nor the others count through all that it could be."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "beatriz.ramos", content_only=False)
    texts = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    said = [numbers for numbers in map(counts, texts) if numbers]
    # A smaller number is a part of the eight, unless the message takes something back.
    whole = [
        numbers
        for text in texts
        if (numbers := claimed(text)) and (8 in numbers or max(numbers) > 8 or re.search(CORRECTS, text, re.IGNORECASE))
    ]
    last = whole[-1] if whole else {8}
    told = ", ".join(str(number) for number in sorted(set().union(*said))[:12]) or "no number"
    holds = 8 in last and len(said) <= 5 and any(8 in numbers and len(numbers) <= 8 for numbers in said)
    return counted(holds, f"Beatriz was told {told}; asked was 8", 8)


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return counted(paths == [f"/Finance/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_list()))
    checkpoints.append(Checkpoint(1, grade_no_other()))
    checkpoints.append(Checkpoint(1, grade_reasons()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
