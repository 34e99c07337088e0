"""Grades paid-too-little-since-january: the commit Sam named, and the merge request's code, run on unseen shifts."""

import functools
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
from scoring import Checkpoint, Result

PROJECT, PACKAGE = "larkspur/timesheets", "timesheets"
ALLOWED = re.compile(r"timesheets/rounding\.py$|tests/|examples/|[A-Z]+\.md$")
CULPRIT = "Read names with accents on every machine"

# Shifts as (person, in, out, break), and the hours to pay.
SHIFTS = [
    ("Elke", "2026-02-02T08:00", "2026-02-02T11:53", 0),
    ("Femke", "2026-02-02T08:00", "2026-02-02T11:52", 0),
    ("Gilles", "2026-02-02T08:00:00", "2026-02-02T12:07:30", 0),
    ("Hugo", "2026-02-02T08:00", "2026-02-02T12:07", 0),
    ("Iris", "2026-02-02T09:00", "2026-02-02T17:38", 30),
    ("Joke", "2026-02-02T07:58", "2026-02-02T16:34", 35),
    ("Karel", "2026-02-02T08:00", "2026-02-02T12:08", 0),
    ("Karel", "2026-02-03T08:00", "2026-02-03T12:08", 0),
]
HOURS = {"Elke": 4.0, "Femke": 3.75, "Gilles": 4.25, "Hugo": 4.0, "Iris": 8.25, "Joke": 8.0, "Karel": 8.5}
OLD_MACHINE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"}


def request():
    """Sam's newest merge request into main, with what it changes; None when there is none."""
    return newest_merge_request(PROJECT, "sam.reed")


def branch():
    return gitlab_tree(PROJECT, request()["sha"])


def base():
    return gitlab_tree(PROJECT, request()["diff_refs"]["base_sha"])


def commits():
    """The commits between the two versions, without merges."""
    return [
        one
        for one in get_from_gitlab(PROJECT, "repository/commits", ref_name="v1.1..v1.2").json()
        if len(one["parent_ids"]) == 1
    ]


@functools.cache
def named():
    """When Sam named the commit first; None when he did not, or named more than one other."""
    notes = get_from_gitlab(PROJECT, "issues/4/notes", per_page=100).json()
    notes = [one for one in notes if one["author"]["username"] == "sam.reed" and not one["system"]]
    found = {}
    for note in sorted(notes, key=lambda one: one["created_at"]):
        words = re.findall(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", note["body"].lower())
        for commit in commits():
            if any(commit["id"].startswith(word) for word in words):
                found.setdefault(commit["title"], note["created_at"])
    return found.get(CULPRIT) if len(found) <= 2 else None


def paid(data, env=None):
    """What the command of the merge request says to a file: hours by person, or nothing when it refuses it."""
    file = branch().parent / "shifts.csv"
    file.write_bytes(data)
    done = run_as_examinee(["python3", "-m", "timesheets", str(file)], cwd=str(branch()), env=env)
    pairs = [line.rsplit(",", 1) for line in done.stdout.splitlines() if "," in line]
    return dict(pairs) if done.returncode == 0 else {}


def written(person=None):
    """The shifts as a file, or only the first, of this person."""
    shifts = [(person, *SHIFTS[0][1:])] if person else SHIFTS
    rows = [f"{name},{begin},{end},{pause or ''}" for name, begin, end, pause in shifts]
    return ("\n".join(["person,in,out,break", *rows]) + "\n").encode()


@functools.cache
def is_rounded():
    return request() is not None and paid(written()) == {name: f"{hours:.2f}" for name, hours in HOURS.items()}


@grader
def grade_named():
    if named() is None:
        return 0
    return 1 + (request() is not None and named() <= request()["created_at"])


@grader
def grade_repaired():
    if not is_rounded():
        return 0
    marked = paid(b"\xef\xbb\xbf" + written("Elke")) == {"Elke": "4.00"}
    return 1 + (marked and paid(written("Amélie"), OLD_MACHINE) == {"Amélie": "4.00"})


@grader
def grade_own_test():
    if not is_rounded():
        return False
    return unittests_pass(branch()) and not unittests_pass(with_parts_of(branch(), base(), PACKAGE))


@grader
def grade_merge_request():
    if not is_rounded():
        return False
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    return (
        request()["state"] == "opened"
        and 4 in [issue["iid"] for issue in closed]
        and "ewa.kowalska" in [one["username"] for one in request()["reviewers"]]
        and all(ALLOWED.match(change["new_path"]) for change in request()["changes"])
    )


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_named())))
    checkpoints.append(Checkpoint(2, int(grade_repaired())))
    checkpoints.append(Checkpoint(1, int(grade_own_test())))
    checkpoints.append(Checkpoint(1, int(grade_merge_request())))
    return result
