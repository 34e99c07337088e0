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
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
CHANNEL, TOPIC = "welcome-nele-claes", "First day: 2026-04-01"
INVITED = {"jonas.weber", "arjun.mehta", "hana.sato", "noor.haddad"}
ITEM, DUE = "First day of Nele Claes", "2026-03-31"
FOLDER = "Company/New colleagues/Nele Claes"


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
    return all(re.search(word, text, re.IGNORECASE) for word in words)


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
    return whose + says(text, "Jonas", "Arjun", "laptop", r"\bkeys?\b", r"\bdesk")


def points_for_folder():
    page = get_binary_file_content_owncloud("onboarding.md", "Company")
    copy = get_binary_file_content_owncloud("onboarding.md", FOLDER)
    welcome = (get_binary_file_content_owncloud("welcome.md", FOLDER) or b"").decode("utf-8", "replace")
    first_day = r"2026-04-01|\b1(st)?\.? (of )?April|April 1\b"
    return int(copy is not None and copy == page) + says(welcome, first_day, "Jonas", "Arjun", r"\b0?9[:.]00")


@grader
def grade_channel():
    return points_for_channel()


@grader
def grade_item():
    return points_for_item()


@grader
def grade_folder():
    return points_for_folder()


@grader
def grade_messages():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    return all(
        any(
            message["u"]["username"] == EXAMINEE and "nele" in message["msg"].lower()
            for message in get_rocketchat_personal_chat_history(sam, username, content_only=False)
        )
        for username in ("jonas.weber", "arjun.mehta")
    )


@grader
def grade_nothing_else():
    if points_for_channel() + points_for_item() + points_for_folder() < 4:
        return False
    for row in changes():
        if row["table"] in ("users", "workspace_members") and row["op"] == "added":
            return False
        if row["service"] == "drive" and (
            row["before"] or not row["after"]["path"].startswith("/Company/New colleagues")
        ):
            return False
        if row["service"] == "board" and row["table"] == "items" and row["op"] != "added":
            return False
        if row["service"] == "chat" and row["table"] == "rooms" and row["op"] != "added":
            return False
    return True


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_channel())))
    checkpoints.append(Checkpoint(2, int(grade_item())))
    checkpoints.append(Checkpoint(2, int(grade_folder())))
    checkpoints.append(Checkpoint(1, int(grade_messages())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    return result
