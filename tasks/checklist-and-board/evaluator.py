"""Grades checklist-and-board: the checklist line by line, the message to Mara, and what else became of the company."""

import functools
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
FILE = "launch-checklist.md"
NOBODY = {"nobody yet"}
NONE = re.compile(
    r"nobody|no[ -]?one|\bno (owner|assignee|name|person)|unassigned|not assigned|without|unowned|\bfree\b|not taken",
    re.IGNORECASE,
)
ITEMS = {
    15: ("Deploy 2.0 on the morning of 16 March", {"chidi eze", "jonas weber"}),
    28: ("Weeks that change to summer time have an hour too many", {"jonas weber"}),
    29: ("Somebody answers the launch mailbox", NOBODY),
    30: ("Flyers delivered to the fair office", {"mara lindqvist"}),
    31: ("Release notes for Trellis 2.0", {"priya nair"}),
    32: ("Agree on the text for the status page", {"mara lindqvist"}),
    33: ("On-call list for launch week", NOBODY),
    36: ("Write to the pilot customers about the new version", {"luca moretti"}),
    37: ("Sunday is missing on the printed week", {"arjun mehta"}),
    39: ("A swapped shift is counted twice in the week's hours", {"jonas weber"}),
    40: ("Check vendor spending for Q1 against the budgets", {"sam reed", "tomas okafor"}),
}
AROUND = (
    "# Launch checklist, 16 March 2026",
    "What is on the board in Sprint 7 of Trellis with the label `launch` has a line here, and nothing else has."
    " The box has an x when the item is done.",
    "In brackets stands who has it: full names with commas between them, or `nobody yet`.",
    "Questions about this list: Mara, in #launch.",
)


@functools.cache
def text():
    return (get_binary_file_content_owncloud(FILE, "Operations") or b"").decode("utf-8", "replace")


def lines():
    """Number to the different (done, name, people) of every line with a box."""
    found = {}
    for box, number, rest in re.findall(r"^\s*[-*+] \[([ xX]?)\]\s*TREL-(\d+)[:.]?\s+(.*)$", text(), re.MULTILINE):
        name, _, people = rest.strip(" .\r").replace("’", "'").rpartition("(")
        who = frozenset(" ".join(one.split()).lower() for one in people.strip(")` ").split(","))
        found.setdefault(int(number), set()).add((box.strip() != "", " ".join(name.split()), who))
    return found


def complete():
    """Is everything on the list that belongs there, with not much else?"""
    return lines().keys() >= ITEMS.keys() and len(lines().keys() - ITEMS.keys()) <= 3


def numbers(said):
    """The items a text names, with or without TREL, but for what is a date, a sprint, a version or a count."""
    tagged = set(re.findall(r"\btrel[- ]?(\d+)", said.lower()))
    noise = r"https?://\S+|sprint \d+|\d+\.\d+|\d+(th)?( of)? march|march \d+|\b\d+ (items|things|lines|of them)"
    plain = set(re.findall(r"(?<![\d:])\d{1,2}(?![\d:])", re.sub(noise, "", said.lower())))
    return tagged if len(tagged) > 1 else plain


@grader
def grade_lines():
    boxes = len(re.findall(r"^\s*[-*] \[", text(), re.MULTILINE))
    return complete() + (complete() and lines().keys() == ITEMS.keys() and boxes == len(ITEMS))


@grader
def grade_content():
    if not complete():
        return 0
    found = [(lines()[number], name, who) for number, (name, who) in ITEMS.items()]
    unticked = all(not done for group, *_ in found for done, *_ in group)
    named = all({one[1:] for one in group} == {(name, frozenset(who))} for group, name, who in found)
    return unticked + named


@grader
def grade_told():
    """The sentences about what nobody has name the two items and no other; so does all of it, if it is no sentence."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "mara.lindqvist", content_only=False)
    said = "\n\n".join(message["msg"] for message in history if message["u"]["username"] == EXAMINEE)
    sentences = re.split(r"[.;!?]\s|(?<!:)\n\s*\n", re.sub(r"^\s*\d+[.)]\s", "", said, flags=re.MULTILINE))
    about = " ".join(one for one in sentences if NONE.search(one))
    return {"29", "33"} in (numbers(about), numbers(" ".join(sentences)))


@grader
def grade_rest():
    if not complete():
        return 0
    flat = " ".join(text().split())
    paths = {(row["after"] or row["before"])["path"] for row in changes("owncloud")}
    return all(one in flat for one in AROUND) + (paths == {f"/Operations/{FILE}"} and not changes("plane"))


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_lines())))
    checkpoints.append(Checkpoint(2, int(grade_content())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(2, int(grade_rest())))
    return result
