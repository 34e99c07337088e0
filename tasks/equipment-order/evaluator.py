"""Grades equipment-order: the order on the drive, whom Sam asked, and what else became of the drive."""

import io
import re
from datetime import date, datetime

import openpyxl
from common import (
    changes,
    create_rocketchat_client,
    get_binary_file_content_owncloud,
    grader,
)
from scoring import Checkpoint, Points, Result
from variant import VALUES

EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
ORDER = "2026-q2-equipment-order.xlsx"
# (article, for) to (quantity, unit price, cost centre)
WISHES = {(article, name): (count, price, centre) for article, count, price, name, centre in VALUES["key"]["wishes"]}
TOTAL = VALUES["key"]["total"]
ASKED = {
    "lena.fischer": "Lena Fischer",
    "arjun.mehta": "Arjun Mehta",
    "yusuf.demir": "Yusuf Demir",
    "aoife.byrne": "Aoife Byrne",
    "beatriz.ramos": "Beatriz Ramos",
}
QUESTION = re.compile(r"\?|wish|equip|need|want|order|quarter|\bq2\b|would you like|tell me|let me know", re.IGNORECASE)
# A form with more lines than this beside the right ones orders on the off chance.
MOST_OTHERS = 2
TOO_FEW = "fewer than three lines are right, beside which it counts"


def number(value):
    """A cell as a number: 1137.9, "1.137,90" and "1,137.90 EUR" are the same. None when it is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(float(value), 2)
    text = re.sub(r"[^\d.,-]", "", str(value or ""))
    decimal = re.search(r"[.,](\d{1,2})$", text)
    whole = re.sub(r"[.,]", "", text[: decimal.start()] if decimal else text)
    return round(float(f"{whole}.{decimal.group(1) if decimal else 0}"), 2) if whole.strip("-") else None


def cells():
    """The order's first sheet as rows; none when there is no such workbook."""
    content = get_binary_file_content_owncloud(ORDER, "Operations/Office")
    if content is None:
        return []
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]


def head():
    return {str(row[0]).strip().lower(): row[1] for row in cells()[:12] if row and row[0] is not None and len(row) > 1}


def lines():
    """Every line below the table's head, as a dict by column."""
    rows = cells()
    start = next((at for at, row in enumerate(rows) if row and str(row[0]).strip().lower() == "article"), None)
    if start is None:
        return []
    columns = [str(name or "").strip().lower() for name in rows[start]]
    found = [dict(zip(columns, row, strict=False)) for row in rows[start + 1 :]]
    return [line for line in found if str(line.get("article") or "").strip().upper().startswith("KL-")]


def key(line):
    return str(line.get("article") or "").strip().upper(), person(str(line.get("for") or ""))


def person(text):
    """The one of the five that a cell means, by first name, full name or user name; or the cell's text."""
    words = set(re.findall(r"\w+", text.lower()))
    meant = [name for name in ASKED.values() if name.split()[0].lower() in words]
    return meant[0] if len(meant) == 1 else text


def right_lines():
    """The lines that somebody wished for; a wish that is there twice is not, and none is on a form without end."""
    found = [key(line) for line in lines()]
    right = [
        line
        for line in lines()
        if key(line) in WISHES and found.count(key(line)) == 1 and number(line.get("quantity")) == WISHES[key(line)][0]
    ]
    return right if len(found) - len(right) <= MOST_OTHERS else []


def day(value):
    """A cell as a date, however it is written, or None."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = re.sub(r"^[A-Za-z]+day,? |(?<=\d)(st|nd|rd|th)\b", "", str(value or "").strip())
    for form in (
        "%Y-%m-%d",
        "%Y-%m-%d %H:%M:%S",
        "%d/%m/%Y",
        "%d.%m.%Y",
        "%d-%m-%Y",
        "%d %B %Y",
        "%d %b %Y",
        "%B %d, %Y",
    ):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def asked(sam):
    """Whom Sam asked something: in direct messages, alone or several at once, or by name in a channel."""
    found = set()
    for room in sam.im_list(count=0).json()["ims"]:
        history = sam.im_history(room_id=room["_id"], count=0).json().get("messages") or []
        if any(one["u"]["username"] == EXAMINEE and QUESTION.search(one["msg"]) for one in history):
            found |= set(room["usernames"])
    for row in changes("rocketchat"):
        text = (row["after"] or {}).get("text") or "" if row["table"] == "messages" else ""
        if QUESTION.search(text):
            found |= {username for username, name in ASKED.items() if re.search(rf"\b{name.split()[0]}\b", text, re.I)}
    return found


@grader
def grade_lines():
    right, extra = len(right_lines()), len(lines()) - len(right_lines())
    if not lines():
        return Points(0, f"there is no order with lines at /Operations/Office/{ORDER}")
    missing = [f"{article} for {who}" for article, who in WISHES.keys() - {key(line) for line in right_lines()}]
    said = f"{right} of five lines are right, beside {extra} others"
    points = (right >= 3) + (right >= 4) + (right == 5 and not extra)
    return Points(points, said + (f"; not right or not there: {', '.join(sorted(missing))}" if missing else ""))


@grader
def grade_prices():
    """Of every right line, and there are four at least."""
    found = right_lines()
    for line in found:
        count, price, centre = WISHES[key(line)]
        wanted = (price, round(count * price, 2), centre)
        if (
            number(line.get("unit_price_eur")),
            number(line.get("total_eur")),
            number(line.get("cost_centre")),
        ) != wanted:
            given = [line.get(name) for name in ("unit_price_eur", "total_eur", "cost_centre")]
            return Points(0, f"{' for '.join(key(line))} has {given}; asked was {list(wanted)}")
    return Points(len(found) >= 4, f"{len(found)} right lines have their price, total and cost centre; asked were four")


@grader
def grade_head():
    found = head()
    order = re.findall(r"PO-\d{4}-\d+", str(found.get("purchase order") or "").upper())
    holds = {
        "ordered by": "noor haddad" in str(found.get("ordered by") or "").lower().replace(".", " "),
        "date": day(found.get("date")) == date(2026, 3, 9),
        "purchase order": order == ["PO-2026-041"],
        "total eur without vat": number(found.get("total eur without vat")) == TOTAL,
    }
    wrong = [f"{part} is {found.get(part) or 'empty'}" for part, right in holds.items() if not right]
    return Points(not wrong, f"in the head, {'; '.join(wrong)}" if wrong else "the head is right")


@grader
def grade_asked():
    if len(right_lines()) < 3:
        return Points(0, TOO_FEW)
    missing = sorted(ASKED.keys() - asked(create_rocketchat_client(EXAMINEE, PASSWORD)))
    return Points(not missing, f"not asked: {', '.join(missing)}" if missing else "all five were asked")


@grader
def grade_nothing_else():
    paths = [(row["after"] or row["before"])["path"] for row in changes("owncloud")]
    if len(right_lines()) < 3:
        return Points(0, TOO_FEW)
    return Points(paths == [f"/Operations/Office/{ORDER}"], f"changed on the drive: {', '.join(paths)}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_lines()))
    checkpoints.append(Checkpoint(1, grade_prices()))
    checkpoints.append(Checkpoint(1, grade_head()))
    checkpoints.append(Checkpoint(1, grade_asked()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
