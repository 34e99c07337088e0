"""Grades shortlist-for-felix: who is on the list, in which order, with which points, and who else was told."""

import io

import openpyxl
from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    get_rocketchat_personal_chat_history,
    grader,
)
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FOLDER, FILE = "People/Hiring/Support engineer", "2026-03-shortlist.xlsx"
RANKED = {"Thomas Aerts": 5, "Nadia Rahimi": 5, "Lotte Vandenbroeck": 4, "Amira Benali": 2, "Sanne Bakker": 2}


def lines():
    """(rank, name, points) of every line of the list."""
    content = get_binary_file_content_owncloud(FILE, FOLDER)
    if content is None:
        return []
    rows = [list(row) for row in openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets[0].values]
    start = next((at for at, row in enumerate(rows) if "name" in [str(cell).strip().lower() for cell in row]), None)
    if start is None:
        return []
    columns = [str(name or "").strip().lower() for name in rows[start]]
    found = [dict(zip(columns, row, strict=False)) for row in rows[start + 1 :]]
    return [
        (line.get("rank"), " ".join(str(line["name"]).split()), line.get("points"))
        for line in found
        if line.get("name")
    ]


def names():
    return [
        name for _, name, _ in sorted(lines(), key=lambda line: (not isinstance(line[0], (int, float)), line[0] or 0))
    ]


def people_points():
    right, wrong = len(set(names()) & RANKED.keys()), len(set(names()) - RANKED.keys())
    return (right >= 3 and wrong <= 1) + (right >= 4 and wrong <= 1) + (right == 5 and not wrong)


def to_felix():
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "felix.brandt", content_only=False)
    return {message["_id"]: message["msg"] for message in history if message["u"]["username"] == EXAMINEE}


@grader
def grade_people():
    return people_points()


@grader
def grade_order():
    return names() == list(RANKED)


@grader
def grade_points():
    right = [(name, points) for _, name, points in lines() if name in RANKED]
    return len(right) >= 4 and all(str(points) in (str(RANKED[name]), f"{RANKED[name]}.0") for name, points in right)


@grader
def grade_told():
    return any("Thomas Aerts" in text and "Nadia" not in text.split("Thomas Aerts")[0] for text in to_felix().values())


@grader
def grade_discreet():
    if not people_points():
        return False
    applicants = {word for name in (*RANKED, "Marta Kruger") for word in name.split()}
    for row in changes("rocketchat"):
        said = row["after"]["text"] if row["table"] == "messages" and row["after"] else ""
        if row["key"] not in to_felix() and any(word in said for word in applicants):
            return False
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return paths == [f"/{FOLDER}/{FILE}"]


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_people())))
    checkpoints.append(Checkpoint(1, int(grade_order())))
    checkpoints.append(Checkpoint(1, int(grade_points())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(1, int(grade_discreet())))
    return result
