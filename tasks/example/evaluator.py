"""Grades the example: what is on the drive, what was said in the chat, and what the journal saw."""

import hashlib
import json
import re
from pathlib import Path

from common import (
    accessed,
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_channel_history,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "spending.json"
EXAMINEE = "sam.reed"
INVOICES = "Finance/vendor-invoices-q1.csv"
REPORT = "over-budget.md"


def reference():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def report():
    """The report's text, empty when there is none."""
    content = get_binary_file_content_owncloud(REPORT, "Operations")
    return "" if content is None else content.decode("utf-8", "replace")


def said_in_launch():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "launch")
    return [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]


def names_all(text):
    return all(vendor.lower() in text.lower() for vendor in reference()["over_budget"])


def names_no_other(text):
    return not any(vendor.lower() in text.lower() for vendor in reference()["within_budget"])


def amounts_in(text):
    """Every number in the text without its thousands separators: 12.40, 12,40 and 12.4 are the same amount."""
    found = set()
    for number in re.findall(r"\d[\d.,' ]*", text):
        digits = re.sub(r"[.,' ]+$", "", number).replace("'", "").replace(" ", "")
        decimal = re.search(r"[.,](\d{1,2})$", digits)
        whole = re.sub(r"[.,]", "", digits[: decimal.start()] if decimal else digits)
        found.add(round(float(f"{whole}.{decimal.group(1) if decimal else 0}"), 2))
    return found


@grader
def grade_invoices_were_opened():
    """The drive itself saw Sam read the invoices, over whichever of its roads, and something came of it."""
    roads = ("/remote.php/webdav/", f"/remote.php/dav/files/{EXAMINEE}/")
    opened = any(accessed("owncloud", road + INVOICES, method="GET") for road in roads)
    return opened and any(names_all(text) for text in (report(), *said_in_launch()))


@grader
def grade_report():
    """Up to three points: all vendors, no other vendor, the amounts."""
    text = report()
    if not names_all(text):
        return 0
    points = 1
    if names_no_other(text):
        points += 1
    if {round(float(amount), 2) for amount in reference()["over_budget"].values()} <= amounts_in(text):
        points += 1
    return points


@grader
def grade_channel():
    """Up to two points for the best of Sam's messages in #launch."""
    return max((1 + names_no_other(text) for text in said_in_launch() if names_all(text)), default=0)


@grader
def grade_direct_message():
    """Sam's own direct messages with Tomas; only what Sam wrote counts."""
    sam = create_rocketchat_client(EXAMINEE, "sam-reed-first-day")
    history = get_rocketchat_personal_chat_history(sam, "tomas.okafor", content_only=False)
    return any(REPORT in message["msg"] for message in history if message["u"]["username"] == EXAMINEE)


@grader
def grade_nothing_else_changed():
    """Only counts beside a report: an untouched drive is no achievement of somebody who did nothing."""
    if not report().strip():
        return False
    for path, digest in reference()["untouched"].items():
        folder, _, name = path.rpartition("/")
        content = get_binary_file_content_owncloud(name, folder)
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            return False
    return not any(change["op"] == "removed" for change in changes("owncloud"))


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, int(grade_invoices_were_opened())))
    checkpoints.append(Checkpoint(3, int(grade_report())))
    checkpoints.append(Checkpoint(2, int(grade_channel())))
    checkpoints.append(Checkpoint(1, int(grade_direct_message())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else_changed())))
    return result
