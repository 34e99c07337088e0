"""Grades aoifes-expenses: the form on the drive, held against what the policies pay for her receipts."""

import io
import re
from datetime import date, datetime

import openpyxl
from common import changes, get_binary_file_content_owncloud, grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

FORM = "2026-02-expenses-aoife-byrne.xlsx"
PAID = VALUES["key"]
# Lunch is cut at 25 EUR a head; francs have their rate; of a day in Switzerland half is paid going and coming.
LUNCH, TAXI = (12, "meals", PAID["lunch"]), (18, "travel", PAID["taxi"])
LICENCE, CAR = (24, "software", PAID["licence"]), (26, "travel", PAID["car"])
DAY_RATES = ((18, "meals", PAID["half_day"]), (19, "meals", PAID["half_day"]))
TOTAL = PAID["total"]
# Six receipts, two day rates and a ride: a form with more lines says the same thing in several ways.
MOST = 9
# On the receipts, and not paid: claiming it is a mistake of its own, and no second amount for another line.
REFUSED = tuple(map(tuple, VALUES["refused"]))
TEAMS = ("leadership", "operations", "finance", "people", "product", "customers", "engineering")
MONTH = re.compile(r"2026[-/. ]0?2([-/.]\d\d?)?( 00:00:00)?|(0?1[-/.])?0?2[-/. ]2026|feb(ruary|\.)?,? ?2026|february")

HANDED_IN = re.compile(
    r"2026[-/.]0?3[-/.]0?9( 00:00:00)?|0?9[-/. ]+0?3[-/. ]+(20)?26|(mon\w*,? )?0?9(th)?\.? mar(ch|\.)?,? 2026"
    r"|(mon\w*,? )?mar(ch|\.)? 0?9(th)?,? 2026",
)


def number(value):
    """A cell as an amount; None when it is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(float(value), 2)
    text = re.sub(r"[^\d.,-]", "", str(value or ""))
    decimal = re.search(r"[.,](\d{1,2})$", text)
    whole = re.sub(r"[.,]", "", text[: decimal.start()] if decimal else text)
    return round(float(f"{whole}.{decimal.group(1) if decimal else 0}"), 2) if whole.strip("-") else None


def day(value):
    """The day in February 2026 that a cell means, or None."""
    if isinstance(value, (datetime, date)):
        return value.day if (value.year, value.month) == (2026, 2) else None
    text = str(value or "")
    found = (
        re.search(r"2026[-/]0?2[-/](\d{1,2})", text)
        or re.search(r"\b(\d{1,2})[./-]0?2[./-](?:20)?26", text)
        or re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\.? feb", text, re.IGNORECASE)
        or re.search(r"\bfeb\w*\.? (\d{1,2})\b", text, re.IGNORECASE)
    )
    return int(found.group(1)) if found else None


def cells():
    content = get_binary_file_content_owncloud(FORM, "Finance/Expenses")
    if content is None:
        return []
    return [list(row) for row in openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets[0].values]


def head():
    return {str(row[0]).strip().lower(): row[1] for row in cells()[:9] if row and row[0] is not None and len(row) > 1}


def lines():
    """Every claimed line as (day, category, amount), with the cell for who said yes."""
    rows = cells()
    start = next((at for at, row in enumerate(rows) if row and str(row[0]).strip().lower() == "date"), len(rows))
    columns = [str(name or "").strip().lower() for name in rows[start]] if start < len(rows) else []
    found = [dict(zip(columns, row, strict=False)) for row in rows[start + 1 :]]
    return [
        ((day(line.get("date")), str(line.get("category") or "").strip().lower(), number(line.get("amount_eur"))), line)
        for line in found
        if number(line.get("amount_eur")) and not is_total(line)
    ]


def is_total(line):
    """A line without a day that says it is the sum of the others."""
    return day(line.get("date")) is None and any("total" in str(cell).lower() for cell in line.values())


def right_lines():
    """How many of the six are there; the two day rates may be one line. None when there are lines without end."""
    claimed = [claim for claim, _ in lines()]
    if len(claimed) > MOST:
        return 0
    if [amount for when, what, amount in claimed if when in (18, 19) and what == "meals"] == [2 * PAID["half_day"]]:
        rates = 2
    else:
        rates = sum(is_claimed(rate, claimed) for rate in DAY_RATES)
    return rates + sum(is_claimed(one, claimed) for one in (LUNCH, TAXI, LICENCE, CAR))


def is_claimed(wanted, claimed):
    """Is it there once, with no other amount for the same thing beside it?"""
    same = [amount for when, what, amount in claimed if (when, what) == wanted[:2] and (when, amount) not in REFUSED]
    return same == [wanted[2]]


def too_few(needed):
    where = f"/Finance/Expenses/{FORM}" if cells() else f"(there is no /Finance/Expenses/{FORM})"
    return f"{right_lines()} lines of the form {where} are right, and it counts beside {needed}"


@grader
def grade_head():
    found = head()
    month = found.get("month")
    month = month.strftime("%Y-%m") if isinstance(month, (datetime, date)) else str(month or "").strip().lower()
    name, team = str(found.get("name") or "").lower(), str(found.get("team") or "").lower()
    if right_lines() < 3:
        return Points(0, too_few(3))
    holds = {
        "name": sorted(re.findall(r"\w+", name)) == ["aoife", "byrne"],
        "team": [one for one in TEAMS if one in team] == ["customers"],
        "cost centre": number(found.get("cost centre")) == 600,
        "month": MONTH.fullmatch(month) is not None,
        "handed in": HANDED_IN.fullmatch(str(found.get("handed in") or "").strip().lower()) is not None,
    }
    wrong = [f"{part} is {found.get(part) or 'empty'}" for part, right in holds.items() if not right]
    return Points(
        not wrong, f"in the head, {'; '.join(wrong)}" if wrong else "the head is Aoife's, for February and of today"
    )


@grader
def grade_lines():
    right = right_lines()
    claimed = "; ".join(f"{when} Feb {what} {amount:.2f}" for (when, what, amount), _ in lines()[:12])
    said = f"{right} of the six lines are right" + (f", of {len(lines())}: {claimed}" if right < 6 else "")
    return Points((right >= 3) + (right >= 5) + (right == 6), said)


@grader
def grade_total():
    """The sum of the lines and the total in the head are what we pay, so nothing else is claimed."""
    claimed = round(sum(amount for (_, _, amount), _ in lines()), 2)
    if right_lines() < 4:
        return Points(0, too_few(4))
    right = claimed == TOTAL and number(head().get("total eur")) == TOTAL
    return Points(
        right, f"the lines add up to {claimed:.2f}, the head has {head().get('total eur')}; asked was {TOTAL:.2f}"
    )


@grader
def grade_approval():
    """Luca said yes, and nobody else is said to have done so."""
    yes = [str(line.get("approved_by") or "") for claim, line in lines() if claim == LICENCE]
    if not right_lines() or not yes:
        return Points(0, "there is no right line for the licence")
    right = all(re.match(r"\s*@?luca\b[^,;/&]*$", who, re.IGNORECASE) for who in yes)
    return Points(right, f"the licence was approved by: {', '.join(yes).strip() or 'nobody'}; asked was Luca Moretti")


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    if right_lines() < 3:
        return Points(0, too_few(3))
    return Points(paths == [f"/Finance/Expenses/{FORM}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(1, grade_head()))
    checkpoints.append(Checkpoint(3, grade_lines()))
    checkpoints.append(Checkpoint(1, grade_total()))
    checkpoints.append(Checkpoint(1, grade_approval()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
