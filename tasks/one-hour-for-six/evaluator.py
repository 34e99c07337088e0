"""Grades one-hour-for-six: the announcement, the message to Noor, and whom Sam asked."""

import re

from common import grader, messages_from
from scoring import Checkpoint, Points, Result

EXAMINEE = "sam.reed"
SIX = ("ines.carvalho", "mara.lindqvist", "priya.nair", "jonas.weber", "luca.moretti", "tomas.okafor")
DAYS = {10: "tue", 11: "wed", 12: "thu", 13: "fri"}
HOURS = {"ten": 10, "eleven": 11, "twelve": 12, "one": 1, "two": 2, "three": 3, "four": 4}
NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
DATES = rf"\b2026-03-(\d\d)\b|\b{NTH}\.? (?:of )?mar(?:ch)?\b|\bmar(?:ch)? {NTH}\b|\b0?3/(\d\d)\b"
DATES += rf"|\b(\d\d)[./]0?3\b(?:[./](?:20)?26)?|\bthe {NTH}\b"
TO = r" ?(?:-|–|—|\bto\b|\buntil\b|\btill\b) ?"
ENDS = r"(?:until|till|by|before|(?:end(?:s|ing)?|finish(?:es|ing|ed)?|done|over|out|closes)(?: (?:at|by|before))?:?)"
END = rf"(?<=:00){TO}(\d{{1,2}}):00|\b{ENDS} ?(\d{{1,2}}):00"
DAY = r"\b(mon|tue|wed|thu|fri)(?:[a-z]*day)?s?\b"
# Where one statement ends and another begins; a list of days is one.
PARTS = r"[;,()!?*|\n]|\.(?:\s|$)|\s[-–—]\s|\b(?:but|because|since|as|so|while|when|and not|rather than|instead of)\b"
# A statement with these is about when it is not, or about something else than this hour.
NOT_THEN = re.compile(
    r"\bnot\b|n['’]t\b|\b(?:cannot|never|no|none|nobody|neither|nor|busy|away|taken|booked|unavailable|impossible"
    r"|conflicts?|clash(?:es)?|quiet|blocked|full|except|ruled|fails?|absent|abroad|out(?! by| at| before)|off"
    r"|replaces?|correction|slip|earlier|previous|wrong)\b"
)
ELSE = re.compile(
    r"\b(?:checked|considered|asked|looked|rehears\w+|hamburg|bank|press|customer call|sales|supplier|lunch"
    r"|launch (?:is|on|at))\b"
)
OFFERS = re.compile(r"\b(?:or|alternatively|otherwise|either|maybe|perhaps|possibly|fallback|backup|plan b)\b")


def statements(text):
    """A text's statements, in small letters: each with its days from Tuesday to Friday, and with hours as 12:00."""
    said = re.sub(r"@[\w.]+", " ", text.lower())
    said = re.sub(r"[*_`~]+(?=\w)|(?<=[\w.,:])[*_`~]+", "", said)
    said = re.sub(r"\b(?:1|one|an|60)[ -]?(?:h|hrs?|hours?|min(?:ute)?s?)\b", " ", said)
    said = re.sub(rf"\b({'|'.join(HOURS)})(?= o['’]clock)", lambda found: str(HOURS[found.group(1)]), said)
    said = re.sub(DATES, numbered_day, said)
    said = re.sub(rf"({DAY}), ?(?=(?:and |or )?{DAY})", r"\1 ", said)
    # "Tuesday fails because of Luca, Wednesday because of Tomas": the second fails too.
    said = re.sub(r"\b(tue|wed|thu)([a-z]*day)?s?(?= (?:because of|due to)\b)", r"not \1", said)
    said = re.sub(r"\b(?:12 ?)?(?:noon|midday)\b", "12:00", said)
    said = re.sub(r"\b(\d{1,2})(?:[:.]00)? ?([ap])\.?m\b\.?", clock, said)
    said = re.sub(r"\b(\d{1,2})(?:[.h]00\b| ?(?:o['’]clock|uhr|h)\b)", r"\1:00", said)
    said = re.sub(r"\bbetween (\d{1,2}(?::00)?) and (?=\d)", r"\1 to ", said)
    said = re.sub(rf"\b(\d{{1,2}})(?::00)?({TO})(\d{{1,2}})(?::00)?(?![:\d])", r"\1:00\2\3:00", said)
    said = re.sub(r"\bat (\d{1,2})\b(?!:)", r"at \1:00", said)
    said = re.sub(r"(\d:00) ?[-–—] ?(?=\d)", r"\1 to ", said)
    return [part for part in re.split(PARTS, said) if part and part.strip()]


def numbered_day(found):
    """A date as its weekday; one that is none of the four is left out."""
    return f" {DAYS.get(int(next(filter(None, found.groups()))), '')} "


def clock(found):
    return f"{int(found.group(1)) % 12 + 12 * (found.group(2) == 'p')}:00"


def hours(pattern, text):
    """The hours found, on a clock of 24: nobody meets before eight."""
    found = [int(next(filter(None, one.groups()))) for one in re.finditer(pattern, text)]
    return {one + 12 * (one < 8) for one in found}


def slots(statement):
    """The days a statement names, the hours that begin something, and those that end it."""
    days = set(re.findall(DAY, statement)) - {"mon"}
    return days, hours(r"\b(\d{1,2}):00", re.sub(END, " ", statement)), hours(END, statement)


def claims(text):
    """The days, beginnings and ends that a text says the meeting has. What it says of other things is left out, unless
    it offers a choice."""
    days, begins, ends = set(), set(), set()
    beside = False
    for one in statements(text):
        named = slots(one)
        aside = NOT_THEN.search(one) or ELSE.search(one)
        # Behind the rehearsal, in brackets or after a comma, stands when that is.
        follows, beside = beside and not named[0] and not OFFERS.search(one), bool(ELSE.search(one))
        if (aside or follows) and not (OFFERS.search(one) and re.search(r"\bif\b", one)):
            named = named if named[:2] == RIGHT[:2] and named[2] <= RIGHT[2] else only_right(before(one, aside))
        days, begins, ends = days | named[0], begins | named[1], ends | named[2]
    return days, begins, ends


def only_right(statement):
    return tuple(part & right for part, right in zip(slots(statement), RIGHT, strict=True))


def before(statement, aside):
    """What stands before the words that lead away from the meeting."""
    return statement[: aside.start()] if aside else ""


RIGHT = ({"fri"}, {12}, {13})


def names_the_hour(text):
    """Friday the 13th from 12 to 13, and neither another day nor another hour to choose from."""
    days, begins, ends = claims(text)
    return days == {"fri"} and begins == {12} and ends <= {13}


def contradicts(text):
    return any(claimed - right for claimed, right in zip(claims(text), RIGHT, strict=True))


def in_words(text):
    """What a message says the meeting's day and hour are."""
    days, begins, ends = claims(text)
    hours = ", ".join(f"{hour}:00" for hour in sorted(begins)) or "no hour"
    until = "".join(f" until {hour}:00" for hour in sorted(ends))
    return f"{' and '.join(sorted(days)) or 'no day'}, {hours}{until}"


def last_word(messages):
    """The message that names the hour and that no later one contradicts."""
    found = None
    for one in messages:
        found = one if names_the_hour(one.text) else None if contradicts(one.text) else found
    return found


def announcement():
    return last_word(of_launch())


def asked(username, before):
    """Did Sam write to this person before that moment: in a direct message, or by name anywhere else?"""
    return any(one.is_to(username) for one in messages_from(EXAMINEE) if one.at < before)


def of_launch():
    return [one for one in messages_from(EXAMINEE) if one.channel == "launch"]


def why_none(messages, place):
    """Why no message there names the hour, by the last that names any."""
    named = [one for one in messages if any(claims(one.text))]
    if not named:
        return Points(0, f"{place} has no message of Sam's with a day and an hour")
    return Points(0, f"{place} was last told: {in_words(named[-1].text)}; asked was Friday 13 March, 12:00")


@grader
def grade_announced():
    found = announcement()
    if not found:
        return why_none(of_launch(), "#launch")
    if re.search(r"oranger(y|ie)", found.text, re.IGNORECASE):
        return Points(3, "#launch knows Friday 13 March, 12:00, in the Orangery")
    return Points(2, "#launch knows Friday 13 March, 12:00; the Orangery is not in that message")


@grader
def grade_mentions():
    found = announcement()
    if not found:
        return Points(0, "there is no announcement of the hour that could mention anybody")
    missing = [username for username in SIX if f"@{username}" not in found.text]
    return Points(not missing, f"not mentioned: {', '.join(missing)}" if missing else "all six are mentioned")


@grader
def grade_noor():
    to_noor = [one for one in messages_from(EXAMINEE) if "noor.haddad" in one.people]
    if not last_word(to_noor) and not names_the_hour("\n".join(one.text for one in to_noor)):
        return why_none(to_noor, "Noor")
    return Points(1, "Noor has a direct message with Friday 13 March, 12:00")


@grader
def grade_asked():
    found = announcement()
    if not found:
        return Points(0, "there is no announcement of the hour before which anybody was asked")
    missing = [username for username in SIX if not asked(username, found.at)]
    return Points(not missing, f"not asked before: {', '.join(missing)}" if missing else "all six were asked before")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_announced()))
    checkpoints.append(Checkpoint(1, grade_mentions()))
    checkpoints.append(Checkpoint(1, grade_noor()))
    checkpoints.append(Checkpoint(1, grade_asked()))
    return result
