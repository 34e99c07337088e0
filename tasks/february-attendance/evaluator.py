"""Grades february-attendance: the report by the policy in force, the message to Hana, and that nobody else was told."""

import csv
import io
import re

from common import changes, get_binary_file_content_owncloud, grader, messages_from
from scoring import Checkpoint, Points, Result
from variant import VALUES

EXAMINEE = "sam.reed"
FILE = "2026-02-attendance-report.csv"
OF_THE_REPORT = r"attendance|\blate\b|\bearly\b|incomplete|\breport\b|\btalk with\b|\bhours\b"
NOT_THEM = re.compile(r"\bnot\b|n['’]t\b|\b(?:no one|nobody|neither|below|under|fewer|only)\b", re.IGNORECASE)
# What is said of the person before, without the name.
SPARED = re.compile(
    r"\b(?:nobody|no one) (?:has|needs) to\b(?!.*\b(?:others?|rest|else)\b)|n['’o]t (?:have|need) to\b", re.IGNORECASE
)
CORRECTS = re.compile(r"\b(?:correction|sorry|i meant|wrong|instead|actually|only|not)\b", re.IGNORECASE)
TALK = set(VALUES["key"]["talk"])
# Who leads them and is not one of them.
LEADS = set(VALUES["talk_leads"])


def reference():
    """Username to name, days, late, early, incomplete, hours."""
    return VALUES["key"]["people"]


def report():
    """Username to the report's line, by column; somebody with two lines that differ has none."""
    content = (get_binary_file_content_owncloud(FILE, "People/Attendance") or b"").decode("utf-8-sig", "replace")
    if not content.strip():
        return {}
    head, *rows = csv.reader(io.StringIO(content), delimiter=max(",;\t", key=content.partition("\n")[0].count))
    columns = [name.strip().lower() for name in head]
    found = {}
    for row in rows:
        line = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        found.setdefault(line.get("username", "").lower(), []).append(line)
    return {username: lines[0] for username, lines in found.items() if all(line == lines[0] for line in lines)}


def number(text):
    plain = (text or "").replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else -1.0


def right(*columns):
    """Is everybody there with these columns right? Hours may have been rounded day by day."""
    found = report()
    return all(
        username in found and abs(number(found[username].get(column)) - wanted[column]) <= 0.11 * (column == "hours")
        for username, wanted in reference().items()
        for column in columns
    )


def touched():
    return {(row["after"] or row["before"])["path"] for row in changes("owncloud")}


def table_points():
    return right("days", "incomplete") + right("late", "early") + right("hours")


def said():
    """Sam's messages, oldest first: those to Hana alone, and all others."""
    mine, hana = messages_from(EXAMINEE), {"hana.sato"}
    return [one for one in mine if one.people == hana], [one for one in mine if one.people != hana]


def names_in(text):
    """The full names in a text, without Hana's own and without a lead's where they are named as that."""
    text = re.sub(r"(^|[:;,.(-]\s*|\band |& )(\w+), (\w+)\b", r"\1\3 \2", text, flags=re.MULTILINE) + "\n" + text
    named = {one["name"] for one in reference().values() if one["name"].lower() in text.lower()} - {"Hana Sato"}
    for lead in LEADS & named:
        if re.search(rf"\blead\b[^.;\n]{{0,20}}{lead}|{lead}[^.;\n]{{0,20}}\b(lead\b|talks?\b)", text, re.IGNORECASE):
            named = named - {lead}
    return named


def named_to_hana():
    """Whom Sam's last message to Hana names that names anybody; without those of whom it says that it is not them,
    where the others are right."""
    meant = set().union(*(names_in(part) for part in parts_of(last_word()) if not NOT_THEM.search(part)))
    return meant if meant == TALK else names_in(last_word())


def parts_of(text):
    return re.split(r"[.;!\n](?:\s|$)|\n|,? but |\bwhile\b", text)


def last_word():
    """Sam's last message to Hana that names anybody, with those before it where each goes on with one name more."""
    to_hana, _ = said()
    naming = [one.text for one in to_hana if names_in(one.text)]
    words = naming[-1:]
    for text in reversed(naming[:-1]):
        if CORRECTS.search(words[0]) or len(names_in(words[0])) > 1 or len(names_in(text)) > 1:
            break
        words.insert(0, text)
    return "\n".join(words)


def spared():
    """Of which of the two the message says, after the name or with a bare `not` before it, that it is not them."""
    found, parts = set(), parts_of(last_word())
    for before, part in zip(["", *parts], parts, strict=False):
        if SPARED.search(part) and not re.search(r"\byou\b", part, re.IGNORECASE):
            found |= names_in(part) or names_in(before)
        found |= {name for name in names_in(part) if re.search(rf"\bnot {name}\b", part, re.IGNORECASE)}
    return found & TALK


def message_points():
    """What Sam's last message to Hana says that names anybody. Four names are the most that is no guess."""
    named = named_to_hana()
    return (1 + (named == TALK and not spared())) if named >= TALK and len(named) <= 4 else 0


def tells(message):
    """Has a message anything of the report in it?"""
    return message.has_file or bool(re.search(OF_THE_REPORT, message.text, re.IGNORECASE) or names_in(message.text))


def wrong_cells():
    """The cells of the report that are not right, in words."""
    found = report()
    for column in ("days", "incomplete", "late", "early", "hours"):
        for username, wanted in reference().items():
            given = found.get(username, {}).get(column)
            if abs(number(given) - wanted[column]) > 0.11 * (column == "hours"):
                yield f"{username} has {given or 'nothing'} as {column}; asked was {wanted[column]}"


@grader
def grade_table():
    if not report():
        return Points(0, f"there is no report {FILE} in the folder Attendance")
    wrong = list(wrong_cells())
    more = f"; and {len(wrong) - 6} more" if len(wrong) > 6 else ""
    return Points(table_points(), "; ".join(wrong[:6]) + more or "every number of the report is right")


@grader
def grade_message():
    told = ", ".join(sorted(named_to_hana())) or "nobody"
    but = f", and that it is not {' and '.join(sorted(spared()))}" if spared() else ""
    return Points(message_points(), f"Hana was last told of {told}{but}; asked were {' and '.join(sorted(TALK))}")


@grader
def grade_nobody_else():
    if max(table_points(), message_points()) < 2:
        return Points(0, "neither the report nor the message has two points, beside which it counts")
    _, others = said()
    told = [one for one in others if tells(one)]
    if told:
        return Points(0, f"somebody else than Hana was told: {told[0].text}")
    elsewhere = sorted(touched() - {f"/People/Attendance/{FILE}"})
    return Points(not elsewhere, f"changed on the drive: {', '.join(elsewhere)}" if elsewhere else "only Hana was told")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_table()))
    checkpoints.append(Checkpoint(2, grade_message()))
    checkpoints.append(Checkpoint(1, grade_nobody_else()))
    return result
