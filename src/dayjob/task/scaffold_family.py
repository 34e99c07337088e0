"""`dayjob new --family`: a small family that already passes `check` and `test`, in as many variants as one likes."""

from __future__ import annotations

from dayjob.task.scaffold import Wish, settings_text

_TASK = """\
/workspace/stock.csv says what lies on each shelf. How many watering cans do we have in all?

Write the number to /workspace/answer.txt, in one line.
"""

_CHECKPOINTS = """\
# Checkpoints

This task has 2 points in total.

## Checkpoint 1 (2 pts)

/workspace/answer.txt gives the number of watering cans on all shelves, and no other number.
"""

_VARIANT = '''\
"""Draws what differs from variant to variant. What is under `key` is the answer: no examinee may read it."""

ARTICLES = ["watering can", "rake", "spade", "hose"]


def draw(random):
    shelves = [
        {"shelf": f"A{number}", "article": random.choice(ARTICLES), "number": random.randrange(20, 900)}
        for number in range(1, 11)
    ]
    shelves.append({"shelf": "A11", "article": "watering can", "number": random.randrange(20, 900)})
    shelves.append({"shelf": "B1", "article": "rake", "number": random.randrange(20, 900)})
    cans = sum(one["number"] for one in shelves if one["article"] == "watering can")
    return {"shelves": shelves, "key": {"cans": cans}}
'''

_STOCK = """\
shelf,article,number
{% for one in shelves %}
{{ one.shelf }},{{ one.article }},{{ one.number }}
{% endfor %}
"""

_EVALUATOR = '''\
"""Grades {name}: the number that was asked for, as this variant has it."""

import re
from pathlib import Path

from common import grader
from scoring import Checkpoint, Points, Result
from variant import VALUES

ANSWER = Path("/workspace/answer.txt")
CANS = VALUES["key"]["cans"]


def answer():
    """What the examinee wrote; nothing where it wrote more than a line."""
    text = ANSWER.read_text(encoding="utf-8").strip() if ANSWER.exists() else ""
    return text if len(text) < 80 and "\\n" not in text else ""


@grader
def grade_answer():
    """Two points for the right number."""
    numbers = [int(one) for one in re.findall(r"\\d+", answer())]
    right = numbers == [CANS]
    return Points(2 if right else 0, f"the answer is: {answer() or 'nothing, or more than a line'}; asked was {CANS}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_answer()))
    return result
'''

_SOLUTION = '''\
"""Does the task the way an examinee could: from the file it was given."""

import csv
from pathlib import Path


def rows():
    with open("/workspace/stock.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tell(number):
    Path("/workspace/answer.txt").write_text(f"{number}\\n", encoding="utf-8")


if __name__ == "__main__":
    tell(sum(int(row["number"]) for row in rows() if row["article"] == "watering can"))
'''

_COUNTS_ALL = '''\
"""Counts rakes and spades too."""

from solution import rows, tell

tell(sum(int(row["number"]) for row in rows()))
'''

_ONE_LESS = '''\
"""Is off by one. A mutant may use the variant's values as the evaluator does."""

from solution import tell
from variant import VALUES

tell(VALUES["key"]["cans"] - 1)
'''

_EXPECTED = """\
format = 1

[counts-everything]
result = 0
why = "only watering cans were asked for"

[one-less]
result = 0
why = "a number that is nearly right is wrong"
"""


def compose(asked: Wish) -> dict[str, str]:
    """Every file of the folder by its name."""
    return {
        "task.md": _TASK,
        "checkpoints.md": _CHECKPOINTS,
        "variant.py": _VARIANT,
        "stock.csv.j2": _STOCK,
        "evaluator.py": _EVALUATOR.replace("{name}", asked.name),
        "Dockerfile": "FROM dayjob/task-base:1\nCOPY stock.csv /workspace/stock.csv\n",
        "dependencies.yml": "",
        "task.toml": settings_text(asked),
        "solution.py": _SOLUTION,
        "mutants/counts-everything.py": _COUNTS_ALL,
        "mutants/one-less.py": _ONE_LESS,
        "mutants/expected.toml": _EXPECTED,
    }
