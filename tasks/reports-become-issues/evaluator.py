"""Grades reports-become-issues: the issues Sam opened, the comment on the one that existed, the answers in #support."""

import functools
import re

from common import (
    changes,
    create_rocketchat_client,
    get_rocketchat_channel_room_id,
    grader,
    make_gitlab_request,
)
from scoring import Checkpoint, Points, Result

EXAMINEE = "sam.reed"
# Repository, what such an issue speaks of, and how the reports of it begin (customer by customer).
FAULTS = {
    "letters": (
        "larkspur/catalogue-import",
        r"umlaut|accent|diacrit|encod|character|garbl|special (sign|symbol)|letter"
        r"|charset|utf|latin|question mark|\w\?\w|[\"'“‘`]\?|[äöü]",
        ("Krause", "Plantenrijk"),
    ),
    "Sunday": ("larkspur/trellis-web", r"sunday|six days|seventh", ("De Linde", "Van Damme")),
    "night": (
        "larkspur/trellis-web",
        r"night|\b22[:.h]|(10|ten) ?(p\.?m|(o'clock )?in the evening)|(wrong|next|following) (day|date)|tomorrow"
        r"|(day|date) (too )?late|off by (a|one) day",
        ("Marchand",),
    ),
}
KNOWN = ("larkspur/trellis-web", 4, "Serres du Lac")
CUSTOMERS = (*(customer for *_, group in FAULTS.values() for customer in group), KNOWN[2])
LINK = re.compile(r"(larkspur/[\w./-]*?\w)(?:#|(?:/-)?/(?:issues|work_items)/)(\d+)", re.IGNORECASE)
SINCE = "2026-03-02"
# What only points at another issue, to the end of its sentence or bracket; and what says which one it is not.
POINTS = re.compile(
    r"\b(?:see also|also see|cf|related|similar|unlike|separate|different|beside)\b|^\(see\b", re.IGNORECASE
)
DENIES = re.compile(r"\bnot\b|n['’]t\b", re.IGNORECASE)


def get(project, path, **params):
    answer = make_gitlab_request(project, path, params=params)
    answer.raise_for_status()
    return answer.json()


def said_on(project, number):
    """Sam's own comments on an issue."""
    notes = get(project, f"issues/{number}/notes", per_page=100)
    return "\n".join(one["body"] for one in notes if one["author"]["username"] == EXAMINEE and not one["system"])


def names(text, customers):
    """Does it name these customers, and of those who reported something no other, but where it points elsewhere?"""
    return any(
        {customer for customer in CUSTOMERS if customer.lower() in one.lower()} == set(customers)
        for one in (text, without_pointers(text))
    )


def without_pointers(text):
    """The text without what only points elsewhere: "see also trellis-web#4 (Serres du Lac)", "not trellis-web#4"."""
    kept = []
    text = re.sub(r"\([^()]*\)", lambda found: found[0] if is_said(found[0]) else "", text)
    for sentence in re.split(r"(?<=[.;!?])\s+|\n", text):
        for clause in re.split(r"(?<=,)\s+|\s+(?=(?:and|but)\s)", sentence):
            if POINTS.search(LINK.sub("", clause)):
                break
            if is_said(clause):
                kept.append(clause)
    return "\n".join(kept)


def is_said(clause):
    """Is a clause about this fault, and no pointer or denial?"""
    words = LINK.sub("", clause)
    return not POINTS.search(words) and not DENIES.search(words)


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
    """Does it link to this issue, and to others only where it points at them?"""
    return any(
        {(where.lower(), int(which)) for where, which in LINK.findall(one)} == {(project, number)}
        for one in (text, without_pointers(text))
    )


def commented_elsewhere():
    """Has Sam named the customer who has the known fault on other issues too?"""
    notes = [row["after"] for row in changes("gitlab") if row["table"] == "notes" and row["op"] == "added"]
    said = [note for note in notes if KNOWN[2].lower() in without_pointers(note["body"]).lower()]
    return len({(note["noteable_type"], note["noteable_id"]) for note in said}) > 1


@grader
def grade_issues():
    missing = [
        f"{fault} ({project}, {', '.join(who)})" for fault, (project, _, who) in FAULTS.items() if fault not in opened()
    ]
    said = "; ".join(f"{fault} is #{issue['iid']}" for fault, issue in opened().items()) or "no fault has an issue"
    return Points(len(opened()), said + (f"; without an issue of its own: {'; '.join(missing)}" if missing else ""))


@grader
def grade_labels():
    if len(opened()) < len(FAULTS):
        return Points(0, "not all three faults have an issue of their own")
    without = [f"#{one['iid']}" for one in opened().values() if not {"bug", "customer"} <= set(one["labels"])]
    return Points(
        not without, f"without both labels: {', '.join(without)}" if without else "all three have both labels"
    )


@grader
def grade_known():
    project, number, customer = KNOWN
    if not names(said_on(project, number), [customer]):
        return Points(0, f"no comment of Sam's on {project}#{number} names {customer}, and only this customer")
    elsewhere = commented_elsewhere()
    return Points(not elsewhere, f"{customer} is named on {'other issues too' if elsewhere else f'{project}#{number}'}")


@grader
def grade_no_others():
    rows = [row for row in changes("gitlab") if row["table"] == "issues" and row["op"] == "added"]
    if len(opened()) < 2:
        return Points(0, "fewer than two faults have an issue of their own, beside which it counts")
    return Points(len(rows) == len(FAULTS), f"{len(rows)} issues were opened; asked were {len(FAULTS)}")


@grader
def grade_answers():
    said = answers()
    right = [customer for customer, issue in wanted().items() if links_to(said.get(customer, ""), *issue)]
    missing = ", ".join(customer for customer in CUSTOMERS if customer not in right)
    told = f"{len(right)} of six reports are answered with a link to their issue alone"
    points = (len(right) >= 4) + (len(right) == 6)
    return Points(points, told + (f"; not so: {missing}" if missing else ""))


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_issues()))
    checkpoints.append(Checkpoint(1, grade_labels()))
    checkpoints.append(Checkpoint(1, grade_known()))
    checkpoints.append(Checkpoint(1, grade_no_others()))
    checkpoints.append(Checkpoint(2, grade_answers()))
    return result
