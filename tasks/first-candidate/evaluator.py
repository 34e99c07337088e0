"""Grades first-candidate: where the tag is, what the notes list, what #releases was told, and what else changed."""

import functools
import itertools
import re

from common import changes, create_rocketchat_client, get_rocketchat_channel_history, grader, make_gitlab_request
from scoring import Checkpoint, Points, Result

EXAMINEE, PROJECT, TAG = "sam.reed", "larkspur/trellis", "v2.0.0-rc1"
MERGED = [
    "Know German and French public holidays (!7)",
    "Do not plan work on a closed day (!8)",
    "Write the plan as JSON for the tablets (!9)",
    "Leave half an hour for lunch (!10)",
    "Mention the web dashboard (!11)",
]
LINK = re.compile(r"larkspur/trellis/(-/)?releases/v2(\.|%2E)0(\.|%2E)0-rc1(?![\w.])", re.IGNORECASE)
NUMBERS = {"7", "8", "9", "10", "11"}
# The words in which the channel asks for its four lines; a line has to have others too.
LABELS = {"tag", "what", "changed", "changes", "for", "customers", "customer", "to", "watch", "who", "call", "contact"}
LABELS |= {"nurseries", "garden", "centres", "monitor", "attention", "ring", "phone"}
CUSTOMERS = r"\bcustomers?\b|\bnurser(y|ies)\b|\bgarden (centre|center)s?\b"
WATCH = r"\bwatch|\beye on\b|\blook(ing)? ?out\b|\battention\b|\bmonitor"
CALL = r"\b(call|contact|ring|phone)\b"
# What may change without anybody minding: a token of Sam's own, comments, reactions.
HARMLESS = {"tokens", "notes", "award_emoji", "users", "ssh_keys", "emails", "settings", "records"}


def get(path):
    """What the forge answers about the project, or None when there is no such thing."""
    answer = make_gitlab_request(PROJECT, path)
    if answer.status_code == 404:
        return None
    answer.raise_for_status()
    return answer.json()


@functools.cache
def is_tagged():
    tag, branch = get(f"repository/tags/{TAG}"), get("repository/branches/release-2.0")
    return tag is not None and tag["commit"]["id"] == branch["commit"]["id"]


@functools.cache
def notes():
    """The lines of the release's notes that have a merge request in them, without bullets, links and double spaces."""
    text = (get(f"releases/{TAG}") or {}).get("description") or ""
    text = re.sub(r"\[([^][]*!\d+)\]\([^)\s]*\)", r"\1", text).replace(f"{PROJECT}!", "!")
    lines = [" ".join(line.split()) for line in text.splitlines() if re.search(r"!\d", line)]
    return [re.sub(r"^([-*+]|\d+[.)]) |\.$", "", line) for line in lines]


def listed():
    return set(re.findall(r"!(\d+)", "\n".join(notes())))


def boxes(text):
    """Text to whether it is ticked, of every box in a description."""
    found = re.findall(r"^\s*[-*+] \[([ xX])\] (.+?)\s*$", text or "", re.MULTILINE)
    return {line: mark != " " for mark, line in found}


@grader
def grade_tag():
    tag, branch = get(f"repository/tags/{TAG}"), get("repository/branches/release-2.0")
    if tag is None:
        return Points(0, f"there is no tag {TAG}")
    there, wanted = tag["commit"]["id"][:8], branch["commit"]["id"][:8]
    return Points(is_tagged(), f"{TAG} is on {there}; the newest commit of release-2.0 is {wanted}")


@grader
def grade_release():
    release = get(f"releases/{TAG}")
    if release is None or release["name"].strip() != TAG:
        return Points(
            0, f"there is no release {TAG}" if release is None else f"the release is called {release['name']}"
        )
    if not listed() & NUMBERS:
        return Points(0, "the notes have none of the merge requests")
    every = listed() >= NUMBERS and len(listed() - NUMBERS) <= 2
    no_other = listed() <= NUMBERS and len(listed()) >= 3
    numbers = ", ".join(f"!{one}" for one in sorted(listed(), key=int))
    form = "as asked" if notes() == MERGED else "not one line each, title and number, the oldest first"
    return Points(
        1 + every + no_other + (notes() == MERGED), f"the notes list {numbers}; asked were !7 to !11; they are {form}"
    )


def has_four_lines(text):
    """A line for each thing the channel asks for, with something said beside the words it asks in."""
    lines = [line for line in text.lower().splitlines() if line.strip()]
    said = [line for line in lines if set(re.findall(r"[^\W_]+", line)) - LABELS]
    kinds = [
        {number for number, line in enumerate(said) if re.search(word, line)}
        for word in (re.escape(TAG), CUSTOMERS, WATCH, CALL)
    ]
    one_each = any(len(set(choice)) == len(kinds) for choice in itertools.product(*kinds))
    return one_each and len(lines) <= 7


def said_in(channel):
    history = get_rocketchat_channel_history(create_rocketchat_client(), channel)
    return [message["msg"] for message in history if message["u"]["username"] == EXAMINEE and TAG in message["msg"]]


@grader
def grade_message():
    linked = [text for text in said_in("releases") if LINK.search(text)]
    if not linked:
        return Points(0, f"no message of Sam's in #releases names {TAG} and links to its release")
    if len(listed() & NUMBERS) < 3:
        return Points(0, "there is no release whose notes have three of the five, beside which it counts")
    if said_in("launch"):
        return Points(1, "#launch was told too, which was Priya's")
    if len(linked) > 1:
        return Points(1, f"#releases was told {len(linked)} times, and its topic asks for one message a release")
    four = has_four_lines(linked[0])
    return Points(
        1 + four, f"#releases was told, {'in' if four else 'but not in'} the four lines that the channel asks for"
    )


def only_ticks(before, after):
    """Is the issue the same but for the marks in its boxes?"""
    loose = {"description", "updated_at", "user_notes_count"}
    unmarked = [re.sub(r"\[[ xX]\]", "[]", one["description"]).split() for one in (before, after)]
    return unmarked[0] == unmarked[1] and all(before[key] == after[key] for key in before if key not in loose)


def is_ours(row):
    """Is this change one that the task asked for?"""
    if row["table"] in HARMLESS:
        return True
    after = row["after"] or {}
    if row["op"] == "added":
        return (row["table"] == "refs" and after["name"] == f"refs/tags/{TAG}") or (
            row["table"] == "releases" and after["tag_name"] == TAG
        )
    ticked = row["table"] == "issues" and row["op"] == "changed" and row["before"]["title"] == "Release 2.0.0"
    return ticked and only_ticks(row["before"], after)


@grader
def grade_ticked():
    issue = get("issues/11")
    ticked = [line for line, mark in boxes(issue["description"]).items() if mark]
    if not is_tagged():
        return Points(0, "the tag is not right, beside which it counts")
    right = (
        issue["state"] == "opened"
        and len(boxes(issue["description"])) == 4
        and len(ticked) == 2
        and ticked[0].startswith("Branch")
        and ticked[1].startswith("Release candidate")
    )
    others = [row["words"] for row in changes("gitlab") if not is_ours(row)]
    said = f"ticked off in issue 11: {'; '.join(ticked) or 'nothing'}"
    return Points(right and not others, said + (f"; changed besides: {'; '.join(others[:3])}" if others else ""))


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, grade_tag()))
    checkpoints.append(Checkpoint(4, grade_release()))
    checkpoints.append(Checkpoint(2, grade_message()))
    checkpoints.append(Checkpoint(1, grade_ticked()))
    return result
