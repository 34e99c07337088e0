"""Grades night-of-the-clock-change by running the command of Sam's merge request on shifts only graders know."""

import functools
import json
import re

from common import (
    get_from_gitlab,
    gitlab_tree,
    grader,
    newest_merge_request,
    run_as_examinee,
    unittests_pass,
    with_parts_of,
)
from scoring import Checkpoint, Points, Result

PROJECT, PACKAGE = "larkspur/timesheets", "timesheets"
NOT_REPAIRED = "neither night is repaired by a merge request of Sam's, beside which it counts"
ALLOWED = re.compile(r"timesheets/(?!rounding\.py)|tests/|examples/|[A-Z]+\.md$")

# Shifts as (in, out, break, hours to pay), by zone. All are whole quarters, so that rounding plays no part.
SPRING = {
    "Europe/Brussels": [
        ("2026-03-28T22:00", "2026-03-29T06:00", 0, 6.5),
        ("2026-03-28T21:30", "2026-03-29T05:45", 45, 6.5),
        ("2026-03-29T01:15", "2026-03-29T04:00", 0, 1.75),
        ("2025-03-29T20:00", "2025-03-30T06:00", 0, 8.5),
    ]
}
SPRING_ELSEWHERE = {
    "Europe/Brussels": [
        ("2026-03-28T23:30", "2026-03-29T06:15", 0, 5.75),
        ("2026-03-29T00:30", "2026-03-29T07:30", 15, 5.5),
    ],
    "Europe/Athens": [
        ("2026-03-28T22:00", "2026-03-29T02:30", 0, 4.5),
        ("2026-03-29T02:30", "2026-03-29T06:00", 0, 2.5),
        ("2026-03-28T22:00", "2026-03-29T07:00", 0, 7.5),
    ],
    "Europe/London": [("2026-03-29T00:30", "2026-03-29T02:30", 0, 1.0)],
    "America/New_York": [
        ("2026-03-07T22:00", "2026-03-08T06:00", 0, 6.5),
        ("2026-03-28T22:00", "2026-03-29T06:00", 0, 7.5),
    ],
    "Asia/Tokyo": [("2026-03-28T22:00", "2026-03-29T06:00", 0, 7.5)],
}
AUTUMN = {
    "Europe/Brussels": [
        ("2026-10-24T22:00", "2026-10-25T06:00", 0, 8.5),
        ("2026-10-25T01:00", "2026-10-25T06:00", 0, 5.5),
        ("2026-10-25T01:30", "2026-10-25T05:00", 0, 4.5),
        ("2027-10-30T23:00", "2027-10-31T07:00", 60, 8.0),
    ],
    "Europe/Athens": [("2026-10-24T23:00", "2026-10-25T05:00", 0, 6.5)],
}
TWICE = {
    "Europe/Brussels": [
        ("2026-10-24T21:30", "2026-10-25T02:15", 0, 5.75),
        ("2026-10-25T02:15", "2026-10-25T07:15", 0, 5.5),
        ("2026-10-25T02:30", "2026-10-25T02:00", 0, 0.5),
    ],
    "Europe/Athens": [("2026-10-25T03:45", "2026-10-25T06:00", 0, 3.25)],
}
# Told with --days, too: the last of them began on the day before in Greenwich.
ORDINARY = {
    "Europe/Brussels": [
        ("2026-03-27T22:00", "2026-03-28T06:00", 0, 7.5),
        ("2026-04-01T08:00", "2026-04-01T14:00", 0, 5.5),
        ("2026-10-26T08:00", "2026-10-26T13:45", 30, 5.25),
        ("2026-05-02T00:30", "2026-05-02T05:00", 0, 4.5),
    ]
}
BACKWARDS = {"Europe/Brussels": [("2026-04-01T14:00", "2026-04-01T08:00", 0, 0.0)]}
GROUPS = [SPRING, SPRING_ELSEWHERE, AUTUMN, TWICE, ORDINARY, BACKWARDS]
# Runs the command for several files; a start of Python for each would cost more than the work.
PROBE = """
import contextlib, io, json, runpy, sys
found = []
for file, zone, *more in json.load(sys.stdin):
    out, code = io.StringIO(), 0
    sys.argv = ["timesheets", file, "--zone", zone, *more]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            runpy.run_module("timesheets", run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
        except Exception:
            code = 1
    found.append(out.getvalue() if code == 0 else None)
print("\\n" + json.dumps(found))
"""


def request():
    """Sam's newest merge request into main, with what it changes; None when there is none."""
    return newest_merge_request(PROJECT, "sam.reed")


def branch():
    return gitlab_tree(PROJECT, request()["sha"])


def base():
    return gitlab_tree(PROJECT, request()["diff_refs"]["base_sha"])


@functools.cache
def printed():
    """What the merge request's command says to each group's shifts, zone by zone; None where it refuses them."""
    asked = []
    groups = [(group, *pair) for group in GROUPS for pair in group.items()]
    for number, (group, zone, shifts) in enumerate(groups):
        rows = [f"P{at},{begin},{end},{pause or ''}" for at, (begin, end, pause, _) in enumerate(shifts)]
        file = branch().parent / f"shifts-{number}.csv"
        file.write_text("\n".join(["person,in,out,break", *rows]) + "\n", "utf-8")
        asked.append((str(file), zone, *(["--days"] if group is ORDINARY else [])))
    done = run_as_examinee(["python3", "-c", PROBE], cwd=str(branch()), stdin=json.dumps(asked))
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else [None] * len(asked)


def of(group):
    """For each zone of a group: its shifts, and what was printed."""
    start = sum(len(one) for one in GROUPS[: GROUPS.index(group)])
    return zip(group.values(), printed()[start : start + len(group)], strict=True)


def right(group):
    """Whether every shift of a group, in each of its zones, has its hours."""
    for shifts, text in of(group):
        found = dict(line.split(",", 1) for line in (text or "").split() if "," in line)
        if [found.get(f"P{at}") for at in range(len(shifts))] != [f"{hours:.2f}" for *_, hours in shifts]:
            return False
    return True


def days_are_right():
    """Whether each ordinary shift is told on the day that it began, in its own zone."""
    return all(
        re.findall(r"^\s+(\d\d)\.(\d\d)\.", text or "", re.MULTILINE) == [(one[0][8:10], one[0][5:7]) for one in shifts]
        for shifts, text in of(ORDINARY)
    )


@functools.cache
def points_for_spring():
    if request() is None or not right(SPRING):
        return 0
    return 1 + right(SPRING_ELSEWHERE)


@functools.cache
def points_for_autumn():
    if request() is None or not right(AUTUMN):
        return 0
    return 1 + right(TWICE)


def first_wrong(*groups):
    """The first shift of these groups that does not have its hours, in words; that all have them if there is none."""
    if request() is None:
        return "there is no merge request of Sam's into main"
    for group in groups:
        for zone, (shifts, text) in zip(group, of(group), strict=True):
            found = dict(line.split(",", 1) for line in (text or "").split() if "," in line)
            for at, (begin, end, _, hours) in enumerate(shifts):
                if found.get(f"P{at}") != f"{hours:.2f}":
                    return f"{zone}, {begin} to {end}: {found.get(f'P{at}', 'nothing')}; asked was {hours:.2f}"
    return "every shift has its hours"


def own_test(own, without):
    """What became of the tests of the branch, in words."""
    if not own:
        return "the tests of the branch do not pass"
    return f"the tests of the branch pass, and with the code of main they {'pass too' if without else 'fail'}"


@grader
def grade_spring():
    return Points(points_for_spring(), first_wrong(SPRING, SPRING_ELSEWHERE))


@grader
def grade_autumn():
    return Points(points_for_autumn(), first_wrong(AUTUMN, TWICE))


@grader
def grade_the_rest():
    if not points_for_spring() + points_for_autumn():
        return Points(0, NOT_REPAIRED)
    refused = all(text is None for _, text in of(BACKWARDS))
    same = unittests_pass(with_parts_of(base(), branch(), PACKAGE))
    holds = {
        f"an ordinary shift: {first_wrong(ORDINARY)}": right(ORDINARY),
        "a shift does not belong to the day on which it began": days_are_right(),
        "a shift that ends before it begins is not refused": refused,
        "the tests of main do not pass with the package of the branch": same,
    }
    wrong = [words for words, right_ in holds.items() if not right_]
    return Points(not wrong, "; ".join(wrong) or "everything else is as before")


@grader
def grade_own_test():
    if not points_for_spring() + points_for_autumn():
        return Points(0, NOT_REPAIRED)
    own = unittests_pass(branch())
    without = own and unittests_pass(with_parts_of(branch(), base(), PACKAGE))
    return Points(own and not without, own_test(own, without))


@grader
def grade_merge_request():
    if not points_for_spring() + points_for_autumn():
        return Points(0, NOT_REPAIRED)
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    others = [change["new_path"] for change in request()["changes"] if not ALLOWED.match(change["new_path"])]
    holds = {
        f"it is {request()['state']}, not open": request()["state"] == "opened",
        "it does not close #5": 5 in [issue["iid"] for issue in closed],
        "Ewa is not its reviewer": "ewa.kowalska" in [one["username"] for one in request()["reviewers"]],
        f"it touches {', '.join(others)}": not others,
    }
    wrong = [words for words, right in holds.items() if not right]
    return Points(not wrong, f"!{request()['iid']}: {'; '.join(wrong) or 'as asked'}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_spring()))
    checkpoints.append(Checkpoint(2, grade_autumn()))
    checkpoints.append(Checkpoint(1, grade_the_rest()))
    checkpoints.append(Checkpoint(1, grade_own_test()))
    checkpoints.append(Checkpoint(1, grade_merge_request()))
    return result
