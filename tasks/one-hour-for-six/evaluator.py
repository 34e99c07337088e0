"""Grades one-hour-for-six: the announcement, the message to Noor, and whom Sam asked."""

import re

from common import grader, messages_from
from scoring import Checkpoint, Result

EXAMINEE = "sam.reed"
SIX = ("ines.carvalho", "mara.lindqvist", "priya.nair", "jonas.weber", "luca.moretti", "tomas.okafor")
DAYS = {10: "tue", 11: "wed", 12: "thu", 13: "fri"}
NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
DATES = rf"\b2026-03-(\d\d)\b|\b{NTH}\.? (?:of )?mar(?:ch)?\b|\bmar(?:ch)? {NTH}\b|\b0?3/(\d\d)\b"
DATES += rf"|\b(\d\d)[./]0?3\b(?:[./](?:20)?26)?|\bthe {NTH}\b"
TO = r" ?(?:-|–|—|\bto\b|\buntil\b|\btill\b) ?"
END = rf"(?<=:00){TO}(\d{{1,2}}):00|\b(?:until|till|ends? at|ending at) (\d{{1,2}}):00"


def slots(text):
    """The days from Tuesday to Friday that a text names, the hours that begin something, and those that end it."""
    said = text.lower()
    numbers = {int(next(filter(None, one))) for one in re.findall(DATES, said)}
    said = re.sub(DATES, " ", said)
    days = {DAYS[one] for one in numbers & DAYS.keys()} | set(re.findall(r"\b(tue|wed|thu|fri)(?:[a-z]*day)?\b", said))
    said = re.sub(r"\b(?:12 ?)?(?:noon|midday)\b", "12:00", said)
    said = re.sub(r"\b(\d{1,2})(?:[:.]00)? ?([ap])\.?m\b\.?", clock, said)
    said = re.sub(r"\b(\d{1,2})(?:[.h]00\b| ?(?:o['’]clock|uhr|h)\b)", r"\1:00", said)
    said = re.sub(rf"\b(\d{{1,2}})(?::00)?({TO})(\d{{1,2}})(?::00)?(?![:\d])", r"\1:00\2\3:00", said)
    said = re.sub(r"\bat (\d{1,2})\b(?!:)", r"at \1:00", said)
    said = re.sub(r"rehearsal\D{0,30}13:00", " ", said)
    return days, hours(r"\b(\d{1,2}):00", re.sub(END, " ", said)), hours(END, said)


def clock(found):
    return f"{int(found.group(1)) % 12 + 12 * (found.group(2) == 'p')}:00"


def hours(pattern, text):
    """The hours found, on a clock of 24: nobody meets before eight."""
    found = [int(next(filter(None, one.groups()))) for one in re.finditer(pattern, text)]
    return {one + 12 * (one < 8) for one in found}


def names_the_hour(text):
    """Friday the 13th from 12 to 13, and neither another day nor another hour."""
    days, begins, ends = slots(text)
    return days == {"fri"} and begins == {12} and ends <= {13}


def contradicts(text):
    days, begins, ends = slots(text)
    return not (days <= {"fri"} and begins <= {12} and ends <= {13})


def last_word(messages):
    """The message that names the hour and that no later one contradicts."""
    found = None
    for one in messages:
        found = one if names_the_hour(one.text) else None if contradicts(one.text) else found
    return found


def announcement():
    return last_word([one for one in messages_from(EXAMINEE) if one.channel == "launch"])


def asked(username, before):
    """Did Sam write to this person before that moment: in a direct message, or by name anywhere else?"""
    return any(one.is_to(username) for one in messages_from(EXAMINEE) if one.at < before)


@grader
def grade_announced():
    found = announcement()
    return (2 + bool(re.search(r"oranger(y|ie)", found.text, re.IGNORECASE))) if found else 0


@grader
def grade_mentions():
    found = announcement()
    return bool(found) and all(f"@{username}" in found.text for username in SIX)


@grader
def grade_noor():
    return bool(last_word([one for one in messages_from(EXAMINEE) if "noor.haddad" in one.people]))


@grader
def grade_asked():
    found = announcement()
    return bool(found) and all(asked(username, found.at) for username in SIX)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_announced())))
    checkpoints.append(Checkpoint(1, int(grade_mentions())))
    checkpoints.append(Checkpoint(1, int(grade_noor())))
    checkpoints.append(Checkpoint(1, int(grade_asked())))
    return result
