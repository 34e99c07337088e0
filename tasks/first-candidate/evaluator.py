"""Grades first-candidate: where the tag is, what the notes list, what #releases was told, and what else changed."""

import functools
import re

from common import changes, create_rocketchat_client, get_rocketchat_channel_history, grader, make_gitlab_request
from scoring import Checkpoint, Result

EXAMINEE, PROJECT, TAG = "sam.reed", "larkspur/trellis", "v2.0.0-rc1"
MERGED = [
    "Know German and French public holidays (!7)",
    "Do not plan work on a closed day (!8)",
    "Write the plan as JSON for the tablets (!9)",
    "Leave half an hour for lunch (!10)",
    "Mention the web dashboard (!11)",
]
LINK = re.compile(r"larkspur/trellis/-/releases/v2(\.|%2E)0(\.|%2E)0-rc1(?![\w.])", re.IGNORECASE)
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


def notes(text):
    """The lines of the notes that have a merge request in them, without bullets and with single spaces."""
    lines = [" ".join(line.split()) for line in text.splitlines() if re.search(r"!\d", line)]
    return [re.sub(r"^[-*+] ", "", line) for line in lines]


def boxes(text):
    """Text to whether it is ticked, of every box in a description."""
    found = re.findall(r"^\s*[-*+] \[([ xX])\] (.+?)\s*$", text or "", re.MULTILINE)
    return {line: mark != " " for mark, line in found}


@grader
def grade_tag():
    return is_tagged()


@grader
def grade_release():
    release = get(f"releases/{TAG}")
    if release is None or release["name"].strip() != TAG:
        return 0
    lines = notes(release["description"] or "")
    listed = set(re.findall(r"!(\d+)", "\n".join(lines)))
    every = {"7", "8", "9", "10", "11"} <= listed
    no_other = bool(listed) and listed <= {"7", "8", "9", "10", "11"}
    return 1 + every + (no_other and len(listed) >= 3) + (lines == MERGED)


@grader
def grade_message():
    best = 0
    if get(f"releases/{TAG}") is None:
        return 0
    for message in get_rocketchat_channel_history(create_rocketchat_client(), "releases"):
        text = message["msg"]
        if message["u"]["username"] != EXAMINEE or not LINK.search(text) or TAG not in text:
            continue
        lines = [line for line in text.lower().splitlines() if line.strip()]
        has = all(any(word in line for line in lines) for word in ("customer", "watch", "call"))
        best = max(best, 1 + (has and len(lines) >= 4))
    return best


def is_ours(row):
    """Is this change one that the task asked for?"""
    if row["table"] in HARMLESS:
        return True
    after = row["after"] or {}
    if row["op"] == "added":
        return (row["table"] == "refs" and after["name"] == f"refs/tags/{TAG}") or (
            row["table"] == "releases" and after["tag_name"] == TAG
        )
    return row["table"] == "issues" and row["op"] == "changed" and after["title"] == "Release 2.0.0"


@grader
def grade_ticked():
    issue = get("issues/11")
    ticked = [line for line, mark in boxes(issue["description"]).items() if mark]
    return (
        is_tagged()
        and issue["state"] == "opened"
        and len(boxes(issue["description"])) == 4
        and len(ticked) == 2
        and ticked[0].startswith("Branch")
        and ticked[1].startswith("Release candidate")
        and all(is_ours(row) for row in changes("gitlab"))
    )


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, int(grade_tag())))
    checkpoints.append(Checkpoint(4, int(grade_release())))
    checkpoints.append(Checkpoint(2, int(grade_message())))
    checkpoints.append(Checkpoint(1, int(grade_ticked())))
    return result
