"""Grades shortlist-for-felix: who is on the list, in which order, with which points, and who else was told."""

import io
import re

import openpyxl
from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Points, Result
from variant import VALUES

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FOLDER, FILE = "People/Hiring/Support engineer", "2026-03-shortlist.xlsx"
# The five, best first, with their points.
RANKED = dict(VALUES["key"]["ranked"])
OTHERS = (
    VALUES["key"]["withdrawn"],
    "Bram De Smet",
    "Elif Yildiz",
    "Jeroen Willemsen",
    "Joris Van Acker",
    "Katrien Maertens",
    "Olivier Lambert",
    "Pieter Goethals",
    "Wout Claeys",
)
PARTICLES = {"de", "van"}
# Each part of an applicant's name, which is nobody else's in the company, to the whole name.
WHO = {word: name for name in (*RANKED, *OTHERS) for word in name.lower().split() if word not in PARTICLES}
NAMED = re.compile(rf"\b({'|'.join(WHO)})\b", re.IGNORECASE)
FIRST = re.compile(
    r"\b(first|1st|top|best (?:candidate|applicant|one|placed|ranked)|(?:is|are) (?:the )?(?:best|ahead)|leads?|leading"
    r"|highest|winner|wins|(?:number|no\.?|rank|place|position) ?(?:one|1))\b|#1\b",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[.,;!?\n]\s|\n|\s(?:and|but|then|before|while|whereas)\s", re.IGNORECASE)
BEATEN = re.compile(rf"\b(?:edges out|beats|over|above|ahead of) (?:(?:{'|'.join(WHO)})\b ?)+", re.IGNORECASE)
EITHER = re.compile(rf"\b({'|'.join(WHO)}),?(?: or | ?/ ?)({'|'.join(WHO)})\b", re.IGNORECASE)
GOES_ON = re.compile(r"\s*(who|he|she|they|is|are|comes?|ranks?|takes?|leads?|leading)\b", re.IGNORECASE)
FIRST_OF_ALL = next(iter(RANKED))
NO_LIST = "the list has no point, beside which it counts"


def page(content):
    """The rows of the first sheet with a column `name`, from its head on."""
    for sheet in openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets:
        rows = [list(row) for row in sheet.values]
        for at, row in enumerate(rows):
            if "name" in [str(cell).strip().lower() for cell in row]:
                return rows[at:]
    return []


def lines():
    """(rank, name, points) of every line of the list."""
    content = get_binary_file_content_owncloud(FILE, FOLDER)
    rows = page(content) if content else []
    columns = [str(name or "").strip().lower() for name in rows[0]] if rows else []
    found = [dict(zip(columns, row, strict=False)) for row in rows[1:]]
    return [
        (number(line.get("rank")), person(line["name"]), number(line.get("points"))) for line in found if line["name"]
    ]


def number(cell):
    found = re.match(r"\s*(\d+)(?:[.,]0+)?(?!\d)", str(cell))
    return int(found.group(1)) if found else None


def person(cell):
    """An applicant's name in whichever order it is written, or the cell's text."""
    words = set(re.findall(r"[\w-]+", str(cell).lower()))
    return next((name for name in (*RANKED, *OTHERS) if set(name.lower().split()) == words), str(cell))


def names():
    """The names by rank; a line without one comes last."""
    return [name for _, name, _ in sorted(lines(), key=lambda line: (line[0] is None, line[0] or 0))]


def people_points():
    found = names()
    right = len(RANKED.keys() & set(found))
    wrong = len(found) - right
    return (right >= 3 and wrong <= 1) + (right >= 4 and wrong <= 1) + (right == 5 and not wrong)


def to_felix():
    """What Sam wrote to Felix alone, oldest first."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "felix.brandt", content_only=False)
    return [message for message in history if message["u"]["username"] == EXAMINEE]


def said_to_be_first(text):
    """Every applicant of whom a message says that they are first, clause by clause."""
    text = BEATEN.sub("", re.sub(r"\([^)]*\)", "", text))
    claimed, before = set(), None
    for clause in CLAUSE.split(text):
        names = [(found.start(), WHO[found.group().lower()]) for found in NAMED.finditer(clause)]
        for word in FIRST.finditer(clause):
            ahead = [name for at, name in names if at < word.start()]
            if names:
                claimed.add(ahead[-1] if ahead else names[0][1])
            elif before and GOES_ON.match(clause):
                claimed.add(before)
        before = names[-1][1] if names else before
    return claimed | rivals(claimed, text)


def rivals(claimed, text):
    """Whom a message names as the other one who it may be."""
    pairs = [{WHO[one.lower()] for one in pair} for pair in EITHER.findall(text)]
    return set().union(*(pair for pair in pairs if pair & claimed))


@grader
def grade_people():
    if not lines():
        return Points(0, f"there is no list in /{FOLDER}/{FILE}")
    missing = ", ".join(sorted(RANKED.keys() - set(names())))
    others = ", ".join(sorted(set(names()) - RANKED.keys()))
    said = f"{len(lines())} lines; missing: {missing or 'nobody'}; do not belong there: {others or 'nobody'}"
    return Points(people_points(), said)


@grader
def grade_order():
    return Points(names() == list(RANKED), f"the order is {', '.join(names()[:8])}; asked was {', '.join(RANKED)}")


@grader
def grade_points():
    right = [(name, points) for _, name, points in lines() if name in RANKED]
    if len(right) < 4 or people_points() < 2:
        return Points(0, "the list has too few of the right people for their points to count")
    wrong = [f"{name} has {points}; asked was {RANKED[name]}" for name, points in right if points != RANKED[name]]
    return Points(not wrong, "; ".join(wrong) or "everybody has the points of the ad")


@grader
def grade_told():
    """Sam's last word on it is who is first, and nobody beside them."""
    said = [message["msg"] for message in to_felix()]
    claims = [claimed for claimed in map(said_to_be_first, said) if claimed]
    if not claims:
        named = [({WHO[found.group().lower()]}, found.string) for found in map(NAMED.search, said) if found]
        claims = [claimed | rivals(claimed, text) for claimed, text in named]
    if not people_points():
        return Points(0, NO_LIST)
    last = ", ".join(sorted(claims[-1])) if claims else "nobody"
    return Points(last == FIRST_OF_ALL, f"Felix was last told that {last} is first; asked was {FIRST_OF_ALL}")


@grader
def grade_discreet():
    if not people_points():
        return Points(0, NO_LIST)
    ours, rooms = {message["_id"] for message in to_felix()}, {message["rid"] for message in to_felix()}
    for row in changes("rocketchat"):
        after = row["after"] or {}
        if row["table"] == "messages" and row["key"] not in ours and NAMED.search(after.get("text") or ""):
            return Points(0, f"somebody else than Felix was told of an applicant: {after['text']}")
        if row["table"] == "uploads" and after.get("room_id", "") not in rooms:
            return Points(0, "a file was sent in chat to somebody else than Felix")
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return Points(paths == [f"/{FOLDER}/{FILE}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_people()))
    checkpoints.append(Checkpoint(1, grade_order()))
    checkpoints.append(Checkpoint(1, grade_points()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(1, grade_discreet()))
    return result
