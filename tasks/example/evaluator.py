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
from scoring import Checkpoint, Points, Result

REFERENCE = Path(__file__).resolve().parent / "references" / "spending.json"
EXAMINEE = "sam.reed"
INVOICES = "Finance/vendor-invoices-q1.csv"
REPORT = "over-budget.md"
# What says that a vendor is over its budget, what says that it is not, and what leaves that open.
OVER = re.compile(r"(?<!not )(?<!have been )\b(?:over(?!-)|above|overs\w+|exceed\w*|too much|more than)\b")
WITHIN = re.compile(
    r"\b(?:within|below|under|inside|fine|ok)\b|\bnot (?:over|above)\b|\bi(?:s|t['’]s) not\b|\b(?:is|are)n['’]t\b"
)
OPEN = re.compile(
    r"(?:\bnot|n['’]t|\bno longer)(?: \w+)? (?:within|below|under|inside|fine|ok)\b|\b(?:may|might|maybe|perhaps|or)\b"
)
HEADING = re.compile(r"\s*(?:#+ .*|\*\*[^*]+\*\*:?|[^|]*:)\s*")


def reference():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def report():
    """The report's text, empty when there is none."""
    content = get_binary_file_content_owncloud(REPORT, "Operations")
    return "" if content is None else content.decode("utf-8", "replace")


def said_in_launch():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "launch")
    return [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]


def vendors():
    return [*reference()["over_budget"], *reference()["within_budget"]]


def is_within(statement):
    """Does a statement say of its vendors that they are within their budgets, and of none that it is over?"""
    return WITHIN.search(statement) and not OVER.search(statement) and not OPEN.search(statement)


def reported(text):
    """What a text reports as over budget, in small letters: all but what it says, or has a heading say, is within."""
    text = re.sub(r"\n(?=[a-z])", " ", text).lower()
    for vendor in vendors():
        text = re.sub(r"\s+".join(vendor.lower().split()), vendor.lower(), text)
    heading, kept = "", []
    for line in text.splitlines():
        heading = line if HEADING.fullmatch(line) else heading
        for one in re.split(r"(?<=[.;!?])\s+", line):
            said = one if OVER.search(one) or WITHIN.search(one) else f"{heading} {one}"
            kept += [] if is_within(said) else [one]
    return "\n".join(kept)


def unnamed(text):
    """The vendors over their budgets that a text does not report."""
    return [vendor for vendor in reference()["over_budget"] if vendor.lower() not in reported(text)]


def others_named(text):
    """The vendors within their budgets that a text reports all the same."""
    return [vendor for vendor in reference()["within_budget"] if vendor.lower() in reported(text)]


def amounts_in(text):
    """Every number in the text, in order, without its separators: 12.40, 12,40 and 12.4 are the same amount."""
    found = []
    for number in re.findall(r"\d[\d.,' ]*", text):
        digits = re.sub(r"[.,' ]+$", "", number).replace("'", "").replace(" ", "")
        decimal = re.search(r"[.,](\d{1,2})$", digits)
        whole = re.sub(r"[.,]", "", digits[: decimal.start()] if decimal else digits)
        found.append(round(float(f"{whole}.{decimal.group(1) if decimal else 0}"), 2))
    return found


def without_amount(text):
    """The vendors over their budgets that do not have their own amount: behind their name, or in the same order."""
    text = reported(text)
    wanted = {vendor: round(float(amount), 2) for vendor, amount in reference()["over_budget"].items()}
    in_order = [amount for amount in dict.fromkeys(amounts_in(text)) if amount in wanted.values()]
    if in_order == [wanted[vendor] for vendor in sorted(wanted, key=lambda vendor: text.lower().find(vendor.lower()))]:
        return []
    names = "|".join(re.escape(vendor) for vendor in vendors())
    behind = re.findall(rf"({names})(.*?)(?={names}|\Z)", text, re.IGNORECASE | re.DOTALL)
    own = {(name.lower(), amount) for name, said in behind for amount in amounts_in(said)}
    return [vendor for vendor, amount in wanted.items() if (vendor.lower(), amount) not in own]


@grader
def grade_invoices_were_opened():
    """The drive itself saw Sam read the invoices, over whichever of its roads, and something came of it."""
    roads = ("/remote.php/webdav/", f"/remote.php/dav/files/{EXAMINEE}/")
    if not any(accessed("owncloud", road + INVOICES, method="GET") for road in roads):
        return Points(0, f"the drive has no request of Sam's for /{INVOICES}")
    if unnamed(report()) and unnamed("\n".join(said_in_launch())):
        return Points(0, "neither the report nor a message in #launch names every vendor over its budget")
    return Points(1, f"Sam read /{INVOICES}, and the vendors over their budgets are named")


@grader
def grade_report():
    """Up to three points: all vendors, no other vendor, the amounts."""
    text = report()
    if unnamed(text):
        return Points(0, f"/Operations/{REPORT} does not name {', '.join(unnamed(text))}")
    lacking = [f"names {vendor}, which is within its budget" for vendor in others_named(text)]
    missing = without_amount(text)
    lacking += [f"does not have the amount of {vendor}" for vendor in missing]
    points = 1 + (not others_named(text)) + (not missing)
    return Points(points, f"the report {'; '.join(lacking) or 'has every vendor over its budget, with its amount'}")


@grader
def grade_channel():
    """Up to two points for the best of Sam's messages in #launch, or for all of them where no single one has it all."""
    said = said_in_launch()
    right = [text for text in said if not unnamed(text)] or [text for text in ("\n".join(said),) if not unnamed(text)]
    if not right:
        return Points(0, f"Sam's {len(said)} messages in #launch do not name every vendor over its budget")
    others = min((others_named(text) for text in right), key=len)
    if others:
        return Points(1, f"the message in #launch also names {', '.join(others)}")
    return Points(2, "#launch was told the vendors over their budgets and no other")


@grader
def grade_direct_message():
    """Sam's own direct messages with Tomas; only what Sam wrote counts, and the last that names the report."""
    sam = create_rocketchat_client(EXAMINEE, "sam-reed-first-day")
    history = get_rocketchat_personal_chat_history(sam, "tomas.okafor", content_only=False)
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    naming = [text for text in said if REPORT in text]
    if not naming:
        return Points(0, f"none of Sam's {len(said)} direct messages to Tomas names {REPORT}")
    folders = re.findall(rf"([\w ]+)/{re.escape(REPORT)}", naming[-1])
    if folders and folders[-1].strip().lower() != "operations":
        return Points(0, f"Tomas was told that {REPORT} is in {folders[-1].strip()}; asked was Operations")
    return Points(1, f"Tomas has a direct message that names {REPORT}")


@grader
def grade_nothing_else_changed():
    """Only counts beside a report: an untouched drive is no achievement of somebody who did nothing."""
    if not report().strip():
        return Points(0, "there is no report beside which it could count")
    for path, digest in reference()["untouched"].items():
        folder, _, name = path.rpartition("/")
        content = get_binary_file_content_owncloud(name, folder)
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            return Points(0, f"{path} is not what it was")
    removed = [change["words"] for change in changes("owncloud") if change["op"] == "removed"]
    return Points(not removed, "; ".join(removed) or "the other files are what they were")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, grade_invoices_were_opened()))
    checkpoints.append(Checkpoint(3, grade_report()))
    checkpoints.append(Checkpoint(2, grade_channel()))
    checkpoints.append(Checkpoint(1, grade_direct_message()))
    checkpoints.append(Checkpoint(1, grade_nothing_else_changed()))
    return result
