"""Grades forecast-for-spring: the sheet Teams, the message to Tomas, and the rest of the drive."""

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
from scoring import Checkpoint, Result

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
FILE = "2026-q2-budget.xlsx"
DRAFT = {
    "Leadership": 2400,
    "Operations": 3300,
    "Finance": 1200,
    "People": 2400,
    "Product": 2700,
    "Customers": 6000,
    "Engineering": 7200,
}
LEADS = {
    "Leadership": "Ines Carvalho",
    "Operations": "Mara Lindqvist",
    "Finance": "Tomas Okafor",
    "People": "Hana Sato",
    "Product": "Priya Nair",
    "Customers": "Luca Moretti",
    "Engineering": "Jonas Weber",
}
CHANGED = {"Engineering": 8450, "Operations": 3780, "Customers": 5600}
# What a reason names, and what belongs in another team's.
ABOUT = {
    "Engineering": re.compile(r"load|mateo|course|training", re.IGNORECASE),
    "Operations": re.compile(r"phone|fire|safety|course|training", re.IGNORECASE),
    "Customers": re.compile(r"annecy|newsletter|trip|travel|print", re.IGNORECASE),
}
FOREIGN = {
    "Engineering": re.compile(r"phone|fire|annecy|newsletter", re.IGNORECASE),
    "Operations": re.compile(r"load|mateo|annecy|newsletter", re.IGNORECASE),
    "Customers": re.compile(r"load test|mateo|phone|fire", re.IGNORECASE),
}
SUM = 26530


def rows():
    content = get_binary_file_content_owncloud(FILE, "Finance/Budgets")
    if content is None:
        return []
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return [list(row) for row in book["Teams"].values] if "Teams" in book.sheetnames else []


def teams():
    """Team to its line, as a dict by column; a team with two lines has none, and a sum below is no team."""
    found = rows()
    start = next((at for at, row in enumerate(found) if row and row[0] == "team"), None)
    if start is None:
        return {}
    names = [str(row[0] or "").strip() for row in found[start + 1 :]]
    return {
        name: dict(zip(found[start], row, strict=False))
        for name, row in zip(names, found[start + 1 :], strict=True)
        if name and names.count(name) == 1 and not re.match(r"total|sum|all teams|together", name, re.IGNORECASE)
    }


def number(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(float(value), 2)
    found = amounts(str(value or ""))
    return float(found[0]) if len(found) == 1 else None


def amounts(text):
    """Every whole amount in a text: 26530, 26,530, 26.530, 26 530 or 26530.00."""
    found = re.findall(r"(?<![\d.,])(\d{1,3}(?:[., \u00a0\u202f’']\d{3})+|\d+)(?:[.,]00?)?(?![.,]?\d)", text)
    return [int(re.sub(r"\D", "", one)) for one in found]


def changed():
    """How many of the three have the right forecast, with a reason of their own."""
    right = 0
    for team, amount in CHANGED.items():
        line = teams().get(team, {})
        why = str(line.get("reason") or "")
        said = ABOUT[team].search(why) and not FOREIGN[team].search(why)
        right += bool(number(line.get("forecast_q2_eur")) == amount and said)
    return right


@grader
def grade_changed():
    return changed()


@grader
def grade_same():
    found = teams()
    same = {team: amount for team, amount in DRAFT.items() if team not in CHANGED}
    return changed() >= 1 and all(
        number(found.get(team, {}).get("forecast_q2_eur")) == amount for team, amount in same.items()
    )


@grader
def grade_told():
    """The sum, perhaps beside the draft's or one that was taken back, but not among all that it could be."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    history = get_rocketchat_personal_chat_history(sam, "tomas.okafor", content_only=False)
    said = [amount for message in history if message["u"]["username"] == EXAMINEE for amount in amounts(message["msg"])]
    sums = {amount for amount in said if 20_000 <= amount < 40_000}
    return SUM in sums and len(sums) <= 4


@grader
def grade_rest():
    if not changed():
        return 0
    found = teams()
    head = bool(rows()) and str(rows()[0][0] or "").startswith("Draft of the teams' budgets for April to June 2026")
    drafts = all(number(found.get(team, {}).get("draft_q2_eur")) == amount for team, amount in DRAFT.items())
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    leads = all(found.get(team, {}).get("lead") == lead for team, lead in LEADS.items())
    return (head and drafts and leads and found.keys() == DRAFT.keys()) + (paths == [f"/Finance/Budgets/{FILE}"])


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, int(grade_changed())))
    checkpoints.append(Checkpoint(1, int(grade_same())))
    checkpoints.append(Checkpoint(1, int(grade_told())))
    checkpoints.append(Checkpoint(2, int(grade_rest())))
    return result
