"""Grades runbook-from-decisions: the page's sections, what must not be on it, what else changed, and the message."""

import collections
import functools
import re

from common import changes, create_rocketchat_client, get_rocketchat_channel_history, grader, make_gitlab_request
from scoring import Checkpoint, Points, Result

EXAMINEE, PROJECT, PAGE = "sam.reed", "larkspur/platform/infra", "deploying"
LINK = re.compile(r"larkspur/platform/infra/(-/)?wikis/deploying\b", re.IGNORECASE)
TOO_FEW = "fewer than four sections are right, beside which it counts"
HARMLESS = {"tokens", "notes", "award_emoji", "users", "ssh_keys", "emails", "settings", "records", "uploads"}


def hour(number, minutes="00"):
    """The ways to write an hour, by the clock of 24 hours or of 12."""
    half = number - 12 if number > 12 else number
    rest = rf"([:.]?{minutes})?" if minutes == "00" else rf"[:.]?{minutes}"
    plain = rf"|(?<![\d:.])0?{number} ?(h|uhr|o'clock)\b" if minutes == "00" else ""
    return rf"(?<!\d)0?{number}[:.h]?{minutes}\b|(?<!\d)0?{half}{rest} ?{'p' if number > 12 else 'a'}\.?m\b{plain}"


HOURS = {"five": 5, "seven": 7, "eight": 8}
# What a section has to say; each is a pattern, looked for in lower case, on one line.
NEEDED = {
    "when": (
        r"\btue", r"\bthu", hour(19), hour(20), r"holiday",
        r"\b(never|not|no|except|forbidden|off|avoid|neither)\b[^.]{0,120}\bfri"
        r"|\bfri[^.]{0,80}\b(never|not|no|forbidden|off|(is|are) out|excluded|closed|taboo)\b",
    ),
    "how": (
        r"check\.py.*deploy\.sh", r"\bhosts/|\brelease|\bversion", r"\b(thirty|30)\b|half an hour", r"greenhouse-1",
        r"\bgreen\b|\bchecks?\b(?!\.py)|health|\bpass|no alarm",
    ),
    "backups": (
        r"before|first|prior", r"\bsize|\bbytes|\bempty|how (big|large)", r"\b(fourteen|14)\b", hour(3, "30"),
    ),
    "rolling back": (
        r"\btag|\brelease|\bversion", r"before|previous|earlier|prior|last", r"\b(fifteen|15)\b|quarter of an hour",
        r"alone|without|\bown\b|nobody|no one|not (need|have|ask|wait)|n.t (need|have|ask|wait)|need (not|no)\b"
        r"|no (permission|approval|need)|yourself|themsel|deploy(s|ing|er)?,? decides|you decide",
    ),
    "announcing": (r"#releases", r"before|start|begin", r"after|over\b|\bend|finish|done|complete"),
    "alarms": (r"\b80\b|eighty|four fifths", r"\bdisk", r"on[- ]call"),
    "launch": (r"\b13(th)?\b", hour(17), r"\b16(th)?\b", hour(7), r"jonas", r"chidi"),
}  # fmt: skip
# The start, which may stand among the hours or among the steps.
SHARP = re.compile(
    r"\bsharp\b|\bexactly\b|\bnot at all\b|on the dot|punctual"
    rf"|\b(start|begin)\w*\b[^.;|]{{0,40}}({hour(19)}|\bseven\b)"
)
STALE = re.compile(
    r"\b(ten|10)[ -]min|\b(seven|7) (backups|of)|\b(keeps?|last) (only )?(the )?(last )?(seven|7)\b|(?<!\d)0?2[:.]00"
    r"|after asking|(?<!not )(?<!never )(?<!n.t )\brevert the commit|\bnoon\b|\blunch|on friday afternoons, when"
)
# A number that contradicts the right one in the same section: other backups, percentages, minutes.
CONTRARY = {
    "how": r"\b(?!30|15)\d+ ?min|\b(five|twenty|forty|forty-five|sixty) min",
    "backups": r"\bseven\b|(?<![\d:.])7(?![\d:.])",
    "rolling back": r"\b(?!15|30)\d+ ?min|\b(five|twenty|forty|forty-five|sixty) min",
    "alarms": r"\b(?!80)\d+ ?(%|percent|per cent)",
}
TIME = re.compile(r"(?<![\d:.])\d\d?[:.][0-5]\d\b|\b\d\d? ?[ap]\.?m\b")


@functools.cache
def page():
    """The page's text in lower case; empty when it has gone."""
    answer = make_gitlab_request(PROJECT, f"wikis/{PAGE}")
    if answer.status_code == 404:
        return ""
    answer.raise_for_status()
    return answer.json()["content"].lower()


def in_figures(text):
    """The hours that stand there in words: "between seven and eight in the evening" is "between 7 pm and 8 pm"."""
    half = {"morning": "am", "night": "am", "afternoon": "pm", "evening": "pm"}
    part = rf"(?: o'clock)? (?:in the|at) ({'|'.join(half)})\b"
    text = re.sub(rf"\bhalf past three(?:{part})?", "3:30 am", text)
    word = rf"\b({'|'.join(HOURS)})"
    text = re.sub(rf"{word} (to|and|until|till) {word}{part}", r"\1 in the \4 \2 \3 in the \4", text)
    return re.sub(word + part, lambda found: f"{HOURS[found[1]]} {half[found[2]]}", text)


def on_one_line(lines):
    """The text with single blanks, where "7 to 8 p.m." is "7 p.m. to 8 p.m."."""
    text = in_figures(re.sub(r"[\s*_]+", " ", " ".join(lines)))
    between = r"(?<![\d:.])(\d\d?) ?(-|–|—|to|and|until|till) ?(\d\d?) ?([ap]\.?m|h|uhr|o'clock)\b"
    return re.sub(between, r"\1 \4 \2 \3 \4", text)


def sections():
    """Heading to text; headings that nobody asked for belong to the section they stand in. A line that stands under
    three of them or more is about none of them."""
    found, place = {}, None
    lines = page().splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        title = re.sub(r"^[\s\d.)*_`]+|[\s:*_`#]+$", "", line.lstrip().lstrip("#"))
        underlined = re.fullmatch(r"\s*(-{2,}|={2,})\s*", below)
        if title in NEEDED and (line.lstrip().startswith("#") or underlined):
            place = title
        else:
            found.setdefault(place, []).append(re.sub(r"^\s*([-*+]|\d+[.)])?\s+|\s+$", "", line))
    places = collections.Counter(line for group in found.values() for line in set(group))
    return {
        title: on_one_line(line for line in group if len(line) < 4 or places[line] < 3)
        for title, group in found.items()
        if title
    }


def says(text, title):
    return all(re.search(pattern, text) for pattern in NEEDED[title])


def is_everything(text, title):
    """Does the section say what belongs under three other headings too, or any number of hours?"""
    others = [other for other in NEEDED if other != title and says(text, other)]
    return len(others) >= 3 or len(set(TIME.findall(text))) > 8


def contradicts(text, title):
    return STALE.search(text) or (title in CONTRARY and re.search(CONTRARY[title], text))


def hosts_are_in_order(text):
    """Is greenhouse-2 named first, leaving aside the files of the hosts?"""
    named = re.findall(r"(?<!hosts/)greenhouse-([12])\b", text)
    return bool(named) and named[0] == "2"


def starts_sharp():
    """Does the page say that one starts at 19:00 or leaves it?"""
    return bool(SHARP.search(" ".join(sections().get(title, "") for title in ("when", "how"))))


@functools.cache
def right():
    """The headings whose sections say all they have to, that alone, and nothing outdated."""
    return [
        title
        for title, text in sections().items()
        if says(text, title)
        and not contradicts(text, title)
        and not is_everything(text, title)
        and (title != "how" or hosts_are_in_order(text))
        and (title != "when" or starts_sharp())
    ]


def why_wrong(title):
    """What keeps a section from being right, in words."""
    text = sections().get(title)
    if text is None:
        return f"{title} is missing"
    if says(text, title):
        if title == "when" and not starts_sharp():
            return "when lacks the start at 19:00 sharp"
        outdated = contradicts(text, title)
        return f"{title} also says: {outdated.group()}" if outdated else f"{title} has more in it, or another order"
    number = sum(not re.search(pattern, text) for pattern in NEEDED[title])
    return f"{title} lacks {number} of its {len(NEEDED[title])} facts"


@grader
def grade_sections():
    wrong = "; ".join(why_wrong(title) for title in NEEDED if title not in right())
    return Points(len(right()), wrong or "all seven sections say what is in force")


@grader
def grade_nothing_outdated():
    if len(right()) < 4:
        return Points(0, TOO_FEW)
    stale = STALE.search(page())
    return Points(stale is None, f"not in force: {stale.group()}" if stale else "nothing outdated is on the page")


@grader
def grade_nothing_else():
    rows = [row for row in changes("gitlab") if row["table"] not in HARMLESS]
    if len(right()) < 4:
        return Points(0, TOO_FEW)
    others = [
        row["words"] for row in rows if row["table"] != "wiki_pages" or (row["after"] or row["before"])["slug"] != PAGE
    ]
    return Points(not others, "; ".join(others[:4]) or "no other page and nothing else changed")


@grader
def grade_message():
    history = get_rocketchat_channel_history(create_rocketchat_client(), "platform")
    said = [message["msg"] for message in history if message["u"]["username"] == EXAMINEE]
    if len(right()) < 4:
        return Points(0, TOO_FEW)
    linked = any(LINK.search(text) for text in said)
    return Points(linked, f"{'a' if linked else 'no'} message of Sam's in #platform links to the page")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(7, grade_sections()))
    checkpoints.append(Checkpoint(1, grade_nothing_outdated()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    checkpoints.append(Checkpoint(1, grade_message()))
    return result
