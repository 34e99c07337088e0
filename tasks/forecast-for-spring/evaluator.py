"""Grades forecast-for-spring: the sheet Teams, the message to Tomas, and the rest of the drive."""

import io
import re

import openpyxl
from common import changes, get_binary_file_content_owncloud, grader, messages_from
from scoring import Checkpoint, Points, Result
from variant import VALUES

EXAMINEE = "sam.reed"
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
CHANGED = VALUES["key"]["forecasts"]
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
SUM, DRAFT_SUM = VALUES["key"]["sum"], sum(DRAFT.values())
# Words with which more than one sum is left open.
OPEN = re.compile(r"\b(?:either|or|depending|maybe|perhaps|possibly)\b", re.IGNORECASE)
# A sum that a message only looks back at, or puts aside.
AMOUNT = r"(?:(?:EUR|€|the) ?)*\d[\d.,'’]*\d"
BACK = re.compile(
    r"\b(?:not|instead of|rather than|ignore|forget|scrap|(?:first|earlier|before|originally|initially|previously"
    rf"|mistakenly|wrongly)(?: [a-z]+){{0,3}}):? {AMOUNT}|{AMOUNT}(?: EUR| ?€| euros)?,?(?: which| that)? "
    r"(?:was|is|were) (?:wrong|a (?:slip|mistake|typo)|not right|mistaken|too (?:much|high|low))",
    re.IGNORECASE,
)
NONE_CHANGED = "none of the three teams that changed is right, beside which it could count"


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
    """Every whole amount in a text: 26518, 26,518, 26.518, 26 518 or 26518.00."""
    found = re.findall(r"(?<![\d.,])(\d{1,3}(?:[., \u00a0\u202f’']\d{3})+|\d+)(?:[.,]00?)?(?![.,]?\d)", text)
    return [int(re.sub(r"\D", "", one)) for one in found]


def sums_in(text):
    """The amounts that can be a sum of all teams."""
    return {amount for amount in amounts(text) if 20_000 <= amount < 40_000}


def wrong():
    """Of the three, those without the right forecast or a reason of their own, each with what is wrong."""
    found = {}
    for team, amount in CHANGED.items():
        line = teams().get(team, {})
        given, why = line.get("forecast_q2_eur"), str(line.get("reason") or "")
        if number(given) != amount:
            found[team] = f"{team} has {given if given is not None else 'nothing'}; asked was {amount:,}"
        elif not ABOUT[team].search(why) or FOREIGN[team].search(why):
            found[team] = f"{team}'s reason is not what changed for this team alone: {why or 'none'}"
    return found


def changed():
    """How many of the three have the right forecast, with a reason of their own."""
    return len(CHANGED) - len(wrong())


@grader
def grade_changed():
    return Points(changed(), "; ".join(wrong().values()) or "all three have their forecast and their reason")


@grader
def grade_same():
    if not changed():
        return Points(0, NONE_CHANGED)
    found = teams()
    other = {
        team: given
        for team, amount in DRAFT.items()
        if team not in CHANGED and number(given := found.get(team, {}).get("forecast_q2_eur")) != amount
    }
    said = "; ".join(f"{team} has {given}; its draft is {DRAFT[team]:,}" for team, given in other.items())
    return Points(not other, said or "the other four have their draft as forecast")


@grader
def grade_told():
    """The sum, perhaps beside the draft's or one that was taken back, but not among all that it could be: the last
    message that says a new sum, and does not only look back at one, has it, and offers no choice."""
    texts = [one.text for one in messages_from(EXAMINEE) if "tomas.okafor" in one.people]
    said = [(text, sums_in(BACK.sub(" ", text))) for text in texts]
    sums = set().union(*map(sums_in, texts))
    told = ", ".join(f"{amount:,}" for amount in sorted(sums)[:12]) or "no sum"
    text, last = next(((text, found) for text, found in reversed(said) if found - {DRAFT_SUM}), ("", set()))
    if SUM in sums and (SUM not in last or (last - {SUM, DRAFT_SUM} and OPEN.search(text))):
        return Points(0, f"Tomas was told {told}, and {SUM:,} is not what was said in the end")
    return Points(SUM in sums and len(sums) <= 4, f"Tomas was told {told}; asked was {SUM:,}")


@grader
def grade_rest():
    if not changed():
        return Points(0, NONE_CHANGED)
    found = teams()
    head = bool(rows()) and str(rows()[0][0] or "").startswith("Draft of the teams' budgets for April to June 2026")
    drafts = all(number(found.get(team, {}).get("draft_q2_eur")) == amount for team, amount in DRAFT.items())
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    leads = all(found.get(team, {}).get("lead") == lead for team, lead in LEADS.items())
    kept = head and drafts and leads and found.keys() == DRAFT.keys()
    said = "is as it was" if kept else "has another title, draft, lead or team than before"
    points = kept + (paths == [f"/Finance/Budgets/{FILE}"])
    return Points(points, f"the rest of the sheet {said}; changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_changed()))
    checkpoints.append(Checkpoint(1, grade_same()))
    checkpoints.append(Checkpoint(1, grade_told()))
    checkpoints.append(Checkpoint(2, grade_rest()))
    return result
