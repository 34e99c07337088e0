"""Grades runbook-from-decisions: the page's sections, what must not be on it, what else changed, and the message."""

import functools
import re

from common import changes, create_rocketchat_client, get_rocketchat_channel_history, grader, make_gitlab_request
from scoring import Checkpoint, Result

EXAMINEE, PROJECT, PAGE = "sam.reed", "larkspur/platform/infra", "deploying"
LINK = re.compile(r"larkspur/platform/infra/(-/)?wikis/deploying\b", re.IGNORECASE)
HARMLESS = {"tokens", "notes", "award_emoji", "users", "ssh_keys", "emails", "settings", "records", "uploads"}


def hour(number, minutes="00"):
    """The ways to write an hour, by the clock of 24 hours or of 12."""
    half = number - 12 if number > 12 else number
    rest = rf"([:.]?{minutes})?" if minutes == "00" else rf"[:.]?{minutes}"
    return rf"(?<!\d)0?{number}[:.h]?{minutes}\b|(?<!\d)0?{half}{rest} ?{'p' if number > 12 else 'a'}\.?m\b"


# What a section has to say; each is a pattern, looked for in lower case.
NEEDED = {
    "when": (
        r"\btue", r"\bthu", hour(19), hour(20), r"holiday",
        r"\b(never|not|no|except)\b[^.]{0,120}\bfri|\bfri[^.]{0,60}\b(never|not|no)\b",
    ),
    "how": (
        r"check\.py", r"deploy\.sh", r"\b(thirty|30)\b", r"greenhouse-1",
        r"\bgreen\b|\bchecks\b|health|\bpass|no alarm",
    ),
    "backups": (
        r"before|first|prior", r"\bsize|\bbytes|\bempty|how (big|large)", r"\b(fourteen|14)\b", hour(3, "30"),
    ),
    "rolling back": (
        r"\btag|\brelease|\bversion", r"before|previous|earlier|prior|last", r"\b(fifteen|15)\b|quarter of an hour",
        r"alone|without|\bown\b|nobody|no one|not ask|need no|no permission|decide|yourself|themsel",
    ),
    "announcing": (r"#releases", r"before|start|begin", r"after|over\b|\bend|finish|done|complete"),
    "alarms": (r"\b80\b|eighty|four fifths", r"\bdisk", r"on[- ]call"),
    "launch": (r"\b13(th)?\b", hour(17), r"\b16(th)?\b", hour(7), r"jonas", r"chidi"),
}  # fmt: skip
STALE = re.compile(
    r"\b(ten|10)[ -]min|\b(seven|7) (backups|of)|\b(keeps?|last) (only )?(the )?(last )?(seven|7)\b|(?<!\d)0?2[:.]00"
    r"|after asking|(?<!not )(?<!never )\brevert the commit|\bnoon\b|\blunch|on friday afternoons, when"
)


@functools.cache
def page():
    """The page's text in lower case; empty when it has gone."""
    answer = make_gitlab_request(PROJECT, f"wikis/{PAGE}")
    if answer.status_code == 404:
        return ""
    answer.raise_for_status()
    return answer.json()["content"].lower()


def sections():
    """Heading to text; headings that nobody asked for belong to the section they stand in."""
    found, place = {}, None
    for line in page().splitlines():
        title = re.sub(r"^[\s\d.)*_`]+|[\s:*_`#]+$", "", line.lstrip().lstrip("#"))
        if line.lstrip().startswith("#") and title in NEEDED:
            place = title
        found[place] = found.get(place, "") + line + "\n"
    return found


def hosts_are_in_order(text):
    """Is greenhouse-2 named first, leaving aside the files of the hosts?"""
    named = re.findall(r"(?<!hosts/)greenhouse-([12])\b", text)
    return bool(named) and named[0] == "2"


def right():
    """The headings whose sections say all they have to, and nothing outdated."""
    return [
        title
        for title, text in sections().items()
        if title
        and all(re.search(pattern, text) for pattern in NEEDED[title])
        and not STALE.search(text)
        and (title != "how" or hosts_are_in_order(text))
    ]


@grader
def grade_sections():
    return len(right())


@grader
def grade_nothing_outdated():
    return len(right()) >= 4 and not STALE.search(page())


@grader
def grade_nothing_else():
    rows = [row for row in changes("gitlab") if row["table"] not in HARMLESS]
    return len(right()) >= 4 and all(
        row["table"] == "wiki_pages" and (row["after"] or row["before"])["slug"] == PAGE for row in rows
    )


@grader
def grade_message():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "platform")
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    return len(right()) >= 4 and any(LINK.search(text) for text in said)


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(7, int(grade_sections())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_outdated())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    checkpoints.append(Checkpoint(1, int(grade_message())))
    return result
