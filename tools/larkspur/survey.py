"""The customer survey of February 2026: 97 answers from people at 61 customers, ten questions, two of them open."""

from __future__ import annotations

import functools
import random
from datetime import date, datetime, timedelta

from tools.larkspur.containers import csv_text, saved, sheet, workbook
from tools.larkspur.customers import active

FOLDER = "drive/files/Product/Survey"
ANSWERS, CUSTOMERS = 97, 61
EARLY_ANSWERS, EARLY_CUSTOMERS = 61, 38  # by the morning of Monday 2 February
QUESTIONS = (
    ("q1_role", "What do you do? owner, planner, team lead, gardener, sales"),
    ("q2_satisfied", "How satisfied are you with Trellis? 1 not at all to 5 very"),
    ("q3_recommend", "How likely are you to recommend it? 0 to 10"),
    ("q4_device", "Where do you use it most? computer, tablet, phone"),
    ("q5_minutes", "How many minutes does it take to plan a week?"),
    ("q6_most_used", "Which part do you use most? week view, watering rounds, hours, catalogue"),
    ("q7_reliable", "How reliable is it? 1 not at all to 5 very"),
    ("q8_first_wish", "What should come first? copy last year's week, print on one page, who changed a shift, "
                      "holidays per country, swap with three people"),
    ("q9_like", "What do you like? (open)"),
    ("q10_miss", "What do you miss? (open)"),
)  # fmt: skip
_WISHES = ("copy last year's week", "print on one page", "who changed a shift", "holidays per country",
           "swap with three people")  # fmt: skip
_LIKE = ("The week fits on one screen.", "My people read it on their phone.", "Watering is never forgotten.",
         "I plan Saturday in ten minutes.", "Someone answers the telephone.",
         "It is calm.", "The colours.", "")  # fmt: skip
_MISS = {
    "copy last year's week": ("Spring is the same every year, I type it every year.", "Copy, copy, copy.", ""),
    "print on one page": ("It hangs on the door, so it has to be one page.", "Sunday is missing on paper.", ""),
    "who changed a shift": ("I want to know who moved it.", "Somebody changed my Monday.", ""),
    "holidays per country": ("Half of my people live across the border.", ""),
    "swap with three people": ("Three friends, three shifts, no way.", ""),
}


@functools.cache
def answers() -> tuple[tuple[object, ...], ...]:
    """Each with its number, moment, customer, country and the ten answers; in the order they came in."""
    dice = random.Random("larkspur survey")
    asked = [one for one in active() if one.start < date(2026, 1, 5)]
    chosen = dice.sample(asked, CUSTOMERS)
    early, later = chosen[:EARLY_CUSTOMERS], chosen[EARLY_CUSTOMERS:]
    first_week = early + dice.choices(early, k=EARLY_ANSWERS - len(early))
    rest = later + dice.choices(chosen, k=ANSWERS - EARLY_ANSWERS - len(later))
    rows = []
    for n, one in enumerate(first_week + rest):
        if n < EARLY_ANSWERS:
            moment = datetime(2026, 1, 26, 9) + timedelta(dice.choice((0, 0, 0, 1, 1, 2, 3, 4)), dice.randrange(30000))
        else:
            moment = datetime(2026, 2, 2, 11) + timedelta(
                dice.choice((0, 1, 2, 3, 4, 7, 8, 9, 10)), dice.randrange(20000)
            )
        satisfied = dice.choices((1, 2, 3, 4, 5), (3, 8, 22, 42, 25))[0]
        recommend = min(10, max(0, round(satisfied * 2 + dice.gauss(-0.4, 1.3))))
        wish = dice.choices(_WISHES, (31, 22, 25, 14, 8))[0]
        rows.append((
            moment.isoformat(" ", "minutes"), one.number, one.country,
            dice.choices(("owner", "planner", "team lead", "gardener", "sales"), (22, 34, 20, 15, 9))[0],
            satisfied, recommend, dice.choices(("computer", "tablet", "phone"), (45, 30, 25))[0],
            dice.choice((10, 10, 15, 20, 20, 30, 30, 45, 60, 90)),
            dice.choices(("week view", "watering rounds", "hours", "catalogue"), (48, 24, 20, 8))[0],
            min(5, max(1, satisfied + dice.choice((-1, 0, 0, 1)))), wish, dice.choice(_LIKE), dice.choice(_MISS[wish]),
        ))  # fmt: skip
    rows.sort()
    return tuple((n, *row) for n, row in enumerate(rows, 1))


HEADER = ("answer", "at", "customer", "country", *(key for key, _ in QUESTIONS))


def files() -> dict[str, bytes]:
    book = workbook("Customer survey, February 2026")
    sheet(book, "Answers", HEADER, answers())
    sheet(
        book, "Questions", ("column", "question"), QUESTIONS,
        above=["One answer per person, several per customer possible. Open from 26 January to 13 February 2026."],
    )  # fmt: skip
    return {
        f"{FOLDER}/2026-02-survey-answers.csv": csv_text(HEADER, answers()),
        f"{FOLDER}/2026-02-survey-answers.xlsx": saved(book),
    }
