"""Grades what-customers-said: the document's text and table against the survey's answers."""

import io
import re

import docx
import openpyxl
from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Result

FOLDER, FILE = "Product/Survey", "2026-02-survey-summary.docx"
# country: answers, satisfied, recommend
WANTED = {"be": (34, 3.8, -3), "nl": (31, 3.9, -3), "de": (17, 3.5, 0), "fr": (15, 3.6, -53), "all": (97, 3.7, -10)}


def document():
    content = get_binary_file_content_owncloud(FILE, FOLDER)
    return docx.Document(io.BytesIO(content)) if content is not None else None


def text():
    """The words outside the tables."""
    found = document()
    return "\n".join(paragraph.text for paragraph in found.paragraphs) if found else ""


def number(value):
    found = re.search(r"-?\d+(?:\.\d+)?", value.replace(",", ".").replace("−", "-").replace("–", "-").replace(" ", ""))
    return float(found.group()) if found else None


def table():
    """Country to (answers, satisfied, recommend) of the first table that has these columns."""
    for one in document().tables if document() else []:
        rows = [[cell.text.strip().lower() for cell in row.cells] for row in one.rows]
        if {"country", "answers", "satisfied", "recommend"} <= set(rows[0]):
            columns = [rows[0].index(name) for name in ("answers", "satisfied", "recommend")]
            return {row[rows[0].index("country")]: tuple(number(row[at]) for at in columns) for row in rows[1:]}
    return {}


def column(at):
    found = table()
    return all(country in found and found[country][at] == wanted[at] for country, wanted in WANTED.items())


def has_heading():
    return (
        any(paragraph.style.name.startswith(("Heading", "Title")) for paragraph in document().paragraphs)
        if document()
        else False
    )


def wish():
    plain = text().lower().replace("’", "'")
    return has_heading() and bool(re.search(r"copy(ing)? (of )?(the )?last year's week", plain))


def counts():
    return bool(re.search(r"\b97\b", text()) and re.search(r"\b61\b", text()))


def points():
    return wish() + counts() + column(0) + column(1) + column(2)


def open_answers():
    content = get_binary_file_content_owncloud("2026-02-survey-answers.xlsx", FOLDER)
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Answers"].values
    return {str(row[head.index(name)]) for row in rows for name in ("q9_like", "q10_miss") if row[head.index(name)]}


@grader
def grade_wish():
    return wish()


@grader
def grade_counts():
    return counts()


@grader
def grade_table():
    return column(0) + column(1) + column(2)


@grader
def grade_no_quotes():
    whole = text() + "\n".join(cell.text for one in document().tables for row in one.rows for cell in row.cells)
    return points() >= 2 and not any(answer.strip(" .") in whole for answer in open_answers())


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    return points() >= 2 and paths == [f"/{FOLDER}/{FILE}"]


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, int(grade_wish())))
    checkpoints.append(Checkpoint(1, int(grade_counts())))
    checkpoints.append(Checkpoint(3, int(grade_table())))
    checkpoints.append(Checkpoint(1, int(grade_no_quotes())))
    checkpoints.append(Checkpoint(1, int(grade_nothing_else())))
    return result
