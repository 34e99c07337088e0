"""Grades reports-become-issues: the issues Sam opened, the comment on the one that existed, the answers in #support."""

import functools
import json
import re

from common import (
    changes,
    create_rocketchat_client,
    get_rocketchat_channel_room_id,
    grader,
    make_gitlab_request,
)
from scoring import Checkpoint, Result

EXAMINEE = "sam.reed"
# Repository, what such an issue speaks of, and how the reports of it begin (customer by customer).
FAULTS = {
    "letters": (
        "larkspur/catalogue-import",
        r"umlaut|accent|diacrit|encod|character|letter|charset|utf|latin|question mark|\w\?\w|[\"'“‘`]\?|[äöü]",
        ("Krause", "Plantenrijk"),
    ),
    "Sunday": ("larkspur/trellis-web", r"sunday|six days|seventh", ("De Linde", "Van Damme")),
    "night": (
        "larkspur/trellis-web",
        r"night|22:00|10 ?p\.?m|wrong (day|date)|(day|date) (too )?late|next day",
        ("Marchand",),
    ),
}
KNOWN = ("larkspur/trellis-web", 4, "Serres du Lac")
CUSTOMERS = (*(customer for *_, group in FAULTS.values() for customer in group), KNOWN[2])
LINK = re.compile(r"(larkspur/[\w./-]*?\w)(?:#|(?:/-)?/(?:issues|work_items)/)(\d+)", re.IGNORECASE)
SINCE = "2026-03-02"


def get(project, path, **params):
    answer = make_gitlab_request(project, path, params=params)
    answer.raise_for_status()
    return answer.json()


def said_on(project, number):
    """Sam's own comments on an issue."""
    notes = get(project, f"issues/{number}/notes", per_page=100)
    return "\n".join(one["body"] for one in notes if one["author"]["username"] == EXAMINEE and not one["system"])


def names(text, customers):
    """Does it name these customers, and of those who reported something no other?"""
    return {customer for customer in CUSTOMERS if customer.lower() in text.lower()} == set(customers)


@functools.cache
def opened():
    """Fault to the issue Sam opened for it; no issue stands for two faults."""
    found, taken = {}, set()
    for fault, (project, topic, customers) in FAULTS.items():
        for issue in get(project, "issues", author_username=EXAMINEE, scope="all", state="opened", per_page=100):
            text = f"{issue['title']}\n{issue['description'] or ''}\n{said_on(project, issue['iid'])}"
            if issue["id"] not in taken and names(text, customers) and re.search(topic, text, re.IGNORECASE):
                found[fault] = issue
                taken.add(issue["id"])
                break
    return found


def wanted():
    """Customer to the repository and number of the issue that a report of theirs is answered with."""
    found = {KNOWN[2]: KNOWN[:2]}
    for fault, (project, _, customers) in FAULTS.items():
        if fault in opened():
            found.update(dict.fromkeys(customers, (project, opened()[fault]["iid"])))
    return found


def answers():
    """Customer to what Sam said in the thread of their report."""
    client = create_rocketchat_client()
    room = get_rocketchat_channel_room_id(client, "support")
    history = client.channels_history(room_id=room, count=300).json()["messages"]
    reports = {}
    for message in history:
        head = message["msg"].partition(":")[0]
        for customer in CUSTOMERS:
            if message["ts"] >= SINCE and customer in head and message["u"]["username"] != EXAMINEE:
                reports[message["_id"]] = customer
    said = {}
    for row in changes("rocketchat"):
        message = row["after"] if row["table"] == "messages" else None
        if message and message["username"] == EXAMINEE and message["thread_id"] in reports:
            customer = reports[message["thread_id"]]
            said[customer] = said.get(customer, "") + "\n" + message["text"]
    return said


def links_to(text, project, number):
    """Does it link to this issue, and to no other?"""
    return {(where.lower(), int(which)) for where, which in LINK.findall(text)} == {(project, number)}


def commented_elsewhere():
    """Has Sam named the customer who has the known fault on other issues too?"""
    notes = [row["after"] for row in changes("gitlab") if row["table"] == "notes" and row["op"] == "added"]
    said = [note for note in notes if KNOWN[2].lower() in json.dumps(note, ensure_ascii=False).lower()]
    return len({(note["noteable_type"], note["noteable_id"]) for note in said}) > 1


@grader
def grade_issues():
    return len(opened())


@grader
def grade_labels():
    return len(opened()) == len(FAULTS) and all({"bug", "customer"} <= set(one["labels"]) for one in opened().values())


@grader
def grade_known():
    project, number, customer = KNOWN
    return names(said_on(project, number), [customer]) and not commented_elsewhere()


@grader
def grade_no_others():
    rows = [row for row in changes("gitlab") if row["table"] == "issues" and row["op"] == "added"]
    return len(opened()) >= 2 and len(rows) == len(FAULTS)


@grader
def grade_answers():
    said = answers()
    right = sum(links_to(said.get(customer, ""), *issue) for customer, issue in wanted().items())
    return (right >= 4) + (right == 6)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_issues())))
    checkpoints.append(Checkpoint(1, int(grade_labels())))
    checkpoints.append(Checkpoint(1, int(grade_known())))
    checkpoints.append(Checkpoint(1, int(grade_no_others())))
    checkpoints.append(Checkpoint(2, int(grade_answers())))
    return result
