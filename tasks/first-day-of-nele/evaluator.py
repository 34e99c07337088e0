"""Grades first-day-of-nele: the channel, the board item, the folder, the messages, held against the onboarding page."""

import re

import requests
from common import (
    PLANE_BASEURL,
    PLANE_HEADERS,
    PLANE_WORKSPACE_SLUG,
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_plane_project_id,
    grader,
)
from scoring import Checkpoint, Points, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
CHANNEL, TOPIC = "welcome-nele-claes", "First day: 2026-04-01"
INVITED = {"jonas.weber", "arjun.mehta", "hana.sato", "noor.haddad"}
ITEM, DUE = "First day of Nele Claes", "2026-03-31"
PLACE = "/Company/New colleagues"
FOLDER = f"{PLACE}/Nele Claes"
# Whoever names them all has named no buddy.
OTHER_ENGINEERS = r"\b(Lena|Chidi|Sofia|Mateo|Ewa)\b"
# Lead and buddy the other way round: "Lead: Arjun", "Jonas is her buddy", "Arjun Mehta (lead)".
IS = r"(?: is| will be|:| =| \|)? "
SWAPPED = re.compile(
    rf"\blead[*:]{{0,3}}{IS}@?arjun\b(?!(?:[. ]mehta)?\W+(?:\w+ )?buddy)"
    rf"|\bbuddy[*:]{{0,3}}{IS}@?jonas\b(?!(?:[. ]weber)?\W+(?:\w+ )?lead)"
    r"|\barjun(?:[. ]mehta)? (?:(?:is|will be) (?:\w+ )?|\((?:\w+ )?)lead\b"
    r"|\bjonas(?:[. ]weber)? (?:(?:is|will be) (?:\w+ )?|\((?:\w+ )?)buddy\b",
    re.IGNORECASE,
)
# A sentence with these says that it is still to be done.
NOT_YET = re.compile(
    r"(?:\b(?:I|we)(?:['’]ll| will| shall| am going to| are going to)|['’]m going to|['’]re going to) (?:\w+ )?"
    r"(?:prepare|do|start|begin|make|finish|set (?:it|everything|all)|get (?:it|everything|all|her|nele))\b"
    r"|\b(?:not|almost|nearly|soon)(?: \w+)? (?:prepared|ready|done|finished)\b",
    re.IGNORECASE,
)
FIRST_DAY = r"2026-04-01|\b1(st)?\.? (of )?Apr(il)?\b|\bApr(il)? 1(st)?\b|\b0?1[./]0?4([./]|\b)"
NINE = r"\b0?9([:.h]00\b| ?(a\.?m|o['’]clock|h)\b)"


def channel():
    """The new channel: its row and its members; (None, empty) when there is none."""
    rows = changes("rocketchat")
    made = [row["after"] for row in rows if row["table"] == "rooms" and row["op"] == "added"]
    room = next((room for room in made if (room.get("name") or "").lower() == CHANNEL), None)
    if room is None:
        return None, set()
    people = create_rocketchat_client().users_list(count=0).json()["users"]
    names = {one["_id"]: one["username"] for one in people}
    joined = [row["after"] for row in rows if row["table"] == "memberships" and row["after"]]
    return room, {names.get(one["user_id"]) for one in joined if one["room_id"] == room["id"]}


def items():
    """The new items of that name in the project Office."""
    project = get_plane_project_id("Office")
    address = f"{PLANE_BASEURL}/api/v1/workspaces/{PLANE_WORKSPACE_SLUG}/projects/{project}/issues/"
    found = requests.get(address, headers=PLANE_HEADERS, params={"per_page": 100}, timeout=30).json()["results"]
    return [item for item in found if " ".join(item["name"].split()).lower() == ITEM.lower()]


def noor():
    """Noor's id on the board."""
    address = f"{PLANE_BASEURL}/api/v1/workspaces/{PLANE_WORKSPACE_SLUG}/members/"
    found = requests.get(address, headers=PLANE_HEADERS, timeout=30).json()
    return next(member["id"] for member in found if member["email"].startswith("noor.haddad@"))


def says(text, *words):
    """Are these in the text, and Jonas and Arjun the only engineers, neither in the other's part?"""
    wanted = all(re.search(word, text, re.IGNORECASE) for word in ("Jonas", "Arjun", *words))
    return wanted and not re.search(OTHER_ENGINEERS, text, re.IGNORECASE) and not SWAPPED.search(text)


def points_for_channel():
    room, members = channel()
    if room is None or not {"jonas.weber", "arjun.mehta"} <= members:
        return 0
    topic = " ".join((room.get("topic") or "").split())
    return (members - {EXAMINEE} == INVITED) + (topic.lower() == TOPIC.lower() and room["type"] == "p")


def points_for_item():
    found = items()
    if len(found) != 1:
        return 0
    item = found[0]
    text = re.sub(r"<[^>]+>", " ", item.get("description_html") or "")
    whose = item["assignees"] == [noor()] and (item.get("target_date") or "")[:10] == DUE
    return whose + says(text, r"laptop|notebook", r"\bkeys?\b", r"\bdesk")


def words_of(path):
    folder, _, name = path.rpartition("/")
    return (get_binary_file_content_owncloud(name, folder) or b"").decode("utf-8", "replace").split()


def points_for_folder():
    """A copy under whatever name, line ends aside; the page itself must be what it was."""
    rows = [row for row in changes("owncloud") if row["table"] == "nodes"]
    touched = {row["before"]["path"] for row in rows if row["before"]}
    added = [row["after"]["path"] for row in rows if row["op"] == "added" and row["after"]["path"].startswith(FOLDER)]
    page = words_of("/Company/onboarding.md")
    copied = "/Company/onboarding.md" not in touched and any(words_of(path) == page for path in added)
    return copied + says(" ".join(words_of(f"{FOLDER}/welcome.md")), FIRST_DAY, NINE)


def prepared():
    return points_for_channel() + points_for_item() + points_for_folder()


def told():
    """The user names of those whom a message of Sam's tells of Nele's first day: in a room with them, or by name."""
    direct = create_rocketchat_client(EXAMINEE, PASSWORD).im_list(count=0).json()["ims"]
    members = {one["_id"]: one["usernames"] for one in direct}
    room, there = channel()
    if room is not None:
        members[room["id"]] = there
    reached = set()
    for row in changes("rocketchat"):
        if row["table"] != "messages" or row["op"] != "added" or row["after"]["username"] != EXAMINEE:
            continue
        # The line with which the chat notes a new topic or member is nobody's message.
        if row["after"]["type"]:
            continue
        # A question tells nothing, and what is still to be done is not done.
        sentences = re.findall(r"[^.!?\n]+[.!?]?", row["after"]["text"])
        statement = " ".join(one for one in sentences if not one.endswith("?") and not NOT_YET.search(one))
        if re.search(r"\bnele\b|\bclaes\b|first day|prepared|ready|\bdone\b", statement, re.IGNORECASE):
            reached |= set(members.get(row["after"]["room_id"], ()))
            reached |= {username for username in INVITED if f"@{username}" in row["after"]["text"]}
    return reached


@grader
def grade_channel():
    room, members = channel()
    if room is None:
        return Points(0, f"there is no new channel {CHANNEL}")
    kind = "private" if room["type"] == "p" else "not private"
    people = ", ".join(sorted(str(one) for one in members - {EXAMINEE})) or "nobody"
    said = f"{CHANNEL} is {kind}, has {people} in it beside Sam, and the topic {room.get('topic') or '(none)'}"
    return Points(points_for_channel(), f"{said}; asked were {', '.join(sorted(INVITED))} and {TOPIC}")


@grader
def grade_item():
    found = items()
    if len(found) != 1:
        return Points(0, f"the project Office has {len(found)} items '{ITEM}'; asked was one")
    whose = "Noor's alone" if found[0]["assignees"] == [noor()] else "not Noor's alone"
    due = (found[0].get("target_date") or "no day")[:10]
    text = re.sub(r"<[^>]+>", " ", found[0].get("description_html") or "")
    names = "has" if says(text, r"laptop|notebook", r"\bkeys?\b", r"\bdesk") else "lacks some of"
    said = f"the item is {whose}, due on {due} (asked was {DUE})"
    return Points(
        points_for_item(), f"{said}; it {names} Jonas as lead, Arjun as buddy, no other engineer, laptop, key and desk"
    )


@grader
def grade_folder():
    welcome = " ".join(words_of(f"{FOLDER}/welcome.md"))
    said = "there is no welcome.md" if not welcome else "welcome.md is right"
    if welcome and not says(welcome, FIRST_DAY, NINE):
        said = "welcome.md lacks the first day, 09:00, Jonas as lead or Arjun as buddy, or names another engineer"
    copied = points_for_folder() - says(welcome, FIRST_DAY, NINE) > 0
    page = "a copy of the onboarding page" if copied else "no copy of the onboarding page as it was"
    return Points(points_for_folder(), f"{FOLDER} has {page}; {said}")


@grader
def grade_messages():
    if prepared() < 2:
        return Points(0, "fewer than two points were given for the rest, beside which it counts")
    missing = sorted({"jonas.weber", "arjun.mehta"} - told())
    return Points(not missing, f"not told about the first day: {', '.join(missing)}" if missing else "both were told")


def is_ours(row):
    """Is this change one that the preparation makes?"""
    if row["service"] == "drive":
        return row["op"] == "added" and row["after"]["path"].startswith(PLACE)
    if row["table"] in ("users", "workspace_members", "project_members", "invitations"):
        return row["op"] == "changed" and row["service"] == "chat"
    if row["table"] == "items":
        return row["op"] == "added" and row["after"]["name"].lower().split() == ITEM.lower().split()
    if row["table"] == "rooms":
        return row["op"] == "added" and (row["after"]["type"] == "d" or row["after"]["name"].lower() == CHANNEL)
    return row["op"] == "added" or row["service"] == "chat"


@grader
def grade_nothing_else():
    if prepared() < 4:
        return Points(0, "fewer than four points were given for the rest, beside which it counts")
    others = [row["words"] for row in changes() if not is_ours(row)]
    return Points(not others, "; ".join(others[:4]) or "nothing else was made or changed")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_channel()))
    checkpoints.append(Checkpoint(2, grade_item()))
    checkpoints.append(Checkpoint(2, grade_folder()))
    checkpoints.append(Checkpoint(1, grade_messages()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
