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
from scoring import Checkpoint, Points, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "launch-checklist.md"
NOT_COMPLETE = "the list lacks items or has many others, so this does not count"
NOBODY = {"nobody yet"}
NONE = re.compile(
    r"nobody|no[ -]?one|\bno (owner|assignee|name|person)|unassigned|not assigned|without|unowned|\bfree\b|not taken",
    re.IGNORECASE,
)
# A message with the first of these and none of the second takes back what was said before it.
CORRECTS = re.compile(r"\bcorrect(ion|ing)\b|\bi was wrong\b|\b(scrap|ignore|forget) (that|the|my)\b", re.IGNORECASE)
ADDS = re.compile(r"\b(also|too|as well|in addition|forgot|missed|add)\b", re.IGNORECASE)
# A sentence that says what does not belong on the list.
OFF = re.compile(r"(\bnot|n't) (on|part of) |\bdoes(n't| not) belong|\boff (the list|it)\b", re.IGNORECASE)
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
    noise = r"https?://\S+|sprint \d+|\d+\.\d+|\d+(th)?( of)? march|march \d+|\b\d+(st|nd|rd|th)\b"
    noise += r"|\b\d+ (items|things|lines|of them|have (nobody|no ))"
    plain = set(re.findall(r"(?<![\d:])\d{1,2}(?![\d:])", re.sub(noise, "", said.lower())))
    return tagged if len(tagged) > 1 else plain


@grader
def grade_lines():
    boxes = len(re.findall(r"^\s*[-*] \[", text(), re.MULTILINE))
    missing = ", ".join(f"TREL-{number}" for number in sorted(ITEMS.keys() - lines().keys()))
    others = ", ".join(f"TREL-{number}" for number in sorted(lines().keys() - ITEMS.keys())[:12])
    said = f"missing on the list: {missing or 'none'}; without business there: {others or 'none'}; {boxes} boxes for 11"
    points = complete() + (complete() and lines().keys() == ITEMS.keys() and boxes == len(ITEMS))
    return Points(points, said)


@grader
def grade_content():
    if not complete():
        return Points(0, NOT_COMPLETE)
    ticked = [number for number in ITEMS if any(done for done, *_ in lines()[number])]
    other = [
        number
        for number, (name, who) in ITEMS.items()
        if {one[1:] for one in lines()[number]} != {(name, frozenset(who))}
    ]
    wrong = [f"TREL-{number} has an x and is not done" for number in ticked]
    wrong += [f"TREL-{number} has another name or other people than on the board" for number in other]
    return Points((not ticked) + (not other), "; ".join(wrong) or "boxes, names and people are the board's")


def told_in_the_end():
    """Sam's messages to Mara, from the last on that corrects what was said before."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "mara.lindqvist", content_only=False)
    said = [one["msg"] for one in sorted(history, key=lambda one: one["ts"]) if one["u"]["username"] == EXAMINEE]
    corrected = [place for place, text in enumerate(said) if CORRECTS.search(text) and not ADDS.search(text)]
    return "\n\n".join(said[corrected[-1] if corrected else 0 :])


@grader
def grade_told():
    """The sentences about what nobody has name the two items and no other; so does all of it, if it is no sentence."""
    said = re.sub(r"^\s*\d+[.)]\s", "", told_in_the_end(), flags=re.MULTILINE)
    sentences = [one for one in re.split(r"[.;!?]\s|(?<!:)\n\s*\n", said) if not OFF.search(one)]
    about = " ".join(one for one in sentences if NONE.search(one))
    told = numbers(about) or numbers(" ".join(sentences))
    right = {"29", "33"} in (numbers(about), numbers(" ".join(sentences)))
    return Points(right, f"Mara was told of {', '.join(sorted(told)[:12]) or 'none'}; asked were 29 and 33")


@grader
def grade_rest():
    if not complete():
        return Points(0, NOT_COMPLETE)
    flat = " ".join(text().split())
    gone = [one for one in AROUND if one not in flat]
    others = [row["words"] for row in changes("plane")]
    paths = {(row["after"] or row["before"])["path"] for row in changes("owncloud")}
    alone = paths == {f"/Operations/{FILE}"} and not others
    said = [f"not in the text any more: {one}" for one in gone[:1]] + others[:3]
    said += [f"changed on the drive: {', '.join(sorted(paths))}"] if not alone and not others else []
    return Points((not gone) + alone, "; ".join(said) or "the text around is as it was, and nothing else changed")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_lines()))
    checkpoints.append(Checkpoint(2, grade_content()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(2, grade_rest()))
    return result
