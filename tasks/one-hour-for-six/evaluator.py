"""Grades one-hour-for-six: the announcement, the message to Noor, and whom Sam asked."""

import re

from common import (
    create_rocketchat_client,
    get_rocketchat_channel_history,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
SIX = ("ines.carvalho", "mara.lindqvist", "priya.nair", "jonas.weber", "luca.moretti", "tomas.okafor")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")


def names_the_hour(text):
    """Friday the 13th from 12 to 13, and neither another day nor another beginning."""
    said = text.lower()
    days = {day for day in DAYS if day in said}
    if days - {"friday"} or not (
        "friday" in days or re.search(r"13(th)?\.? (of )?march|march 13|2026-03-13|13\.0?3", said)
    ):
        return False
    hours = [int(hour) for hour, _ in re.findall(r"\b(\d{1,2})[:.](00)\b", said)]
    if not hours and re.search(r"\bnoon\b|\b12 ?(o'clock|h\b|pm)", said):
        return True
    return 12 in hours and set(hours) <= {12, 13}


def announcements():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "launch")
    mine = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    return [text for text in mine if names_the_hour(text)]


def said_to(username):
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, username, content_only=False)
    return [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]


@grader
def grade_announced():
    found = announcements()
    return (2 + any("orangery" in text.lower() for text in found)) if found else 0


@grader
def grade_mentions():
    return any(all(f"@{username}" in text for username in SIX) for text in announcements())


@grader
def grade_noor():
    return any(names_the_hour(text) for text in said_to("noor.haddad"))


@grader
def grade_asked():
    return bool(announcements()) and all(said_to(username) for username in SIX)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_announced())))
    checkpoints.append(Checkpoint(1, int(grade_mentions())))
    checkpoints.append(Checkpoint(1, int(grade_noor())))
    checkpoints.append(Checkpoint(1, int(grade_asked())))
    return result
