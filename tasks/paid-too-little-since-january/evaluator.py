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
from scoring import Checkpoint, Points, Result

PROJECT, PACKAGE = "larkspur/timesheets", "timesheets"
ALLOWED = re.compile(r"timesheets/rounding\.py$|tests/|examples/|[A-Z]+\.md$")
NOT_ROUNDED = "no merge request of Sam's rounds as the README says, beside which it counts"
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


# A sentence that says of the commit it names that it was not this one.
DENIED = re.compile(
    r"\b(is|was|were)( not|n't) (it|him|this|that|the (one|cause|culprit|reason))\b|\bnot (this|that) (one|commit)\b"
    r"|\bruled? out\b|\binnocent\b"
)


def shas(text):
    """The commits that a text names, without those of which it says that it was not them."""
    sentences = re.split(r"\n|(?<=[.!?])\s", text.lower().replace("’", "'"))
    told = " ".join(one for one in sentences if not DENIED.search(one))
    return re.findall(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", told)


@functools.cache
def named():
    """When Sam named the commit first; None when he did not, or named more than one other."""
    notes = get_from_gitlab(PROJECT, "issues/4/notes", per_page=100).json()
    notes = [one for one in notes if one["author"]["username"] == "sam.reed" and not one["system"]]
    found = {}
    for note in sorted(notes, key=lambda one: one["created_at"]):
        for commit in commits():
            if any(commit["id"].startswith(word) for word in shas(note["body"])):
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


def own_test(own, without):
    """What became of the tests of the branch, in words."""
    if not own:
        return "the tests of the branch do not pass"
    return f"the tests of the branch pass, and with the code of main they {'pass too' if without else 'fail'}"


@grader
def grade_named():
    if named() is None:
        return Points(0, f"no comment of Sam's on the issue names the commit '{CULPRIT}', with at most one other")
    if request() is None:
        return Points(1, "the commit is named; there is no merge request before which it could have been")
    first = named() <= request()["created_at"]
    return Points(1 + first, f"the commit was named {'before' if first else 'after'} !{request()['iid']} was opened")


@grader
def grade_repaired():
    if request() is None:
        return Points(0, "there is no merge request of Sam's into main")
    if not is_rounded():
        found = paid(written())
        wrong = [
            f"{name} {found.get(name, 'nothing')} for {hours:.2f}"
            for name, hours in HOURS.items()
            if found.get(name) != f"{hours:.2f}"
        ]
        return Points(0, f"hours that are not as the README rounds: {', '.join(wrong)}")
    marked = paid(b"\xef\xbb\xbf" + written("Elke")) == {"Elke": "4.00"}
    accents = paid(written("Amélie"), OLD_MACHINE) == {"Amélie": "4.00"}
    wrong = [] if marked else ["a mark at the beginning of a file is not read any more"]
    wrong += [] if accents else ["names with accents are not read on every machine any more"]
    return Points(
        1 + (not wrong), f"the rounding is right; {'; '.join(wrong) or 'what else the commit did has stayed'}"
    )


@grader
def grade_own_test():
    if not is_rounded():
        return Points(0, NOT_ROUNDED)
    own = unittests_pass(branch())
    without = own and unittests_pass(with_parts_of(branch(), base(), PACKAGE))
    return Points(own and not without, own_test(own, without))


@grader
def grade_merge_request():
    if not is_rounded():
        return Points(0, NOT_ROUNDED)
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    others = [change["new_path"] for change in request()["changes"] if not ALLOWED.match(change["new_path"])]
    holds = {
        f"it is {request()['state']}, not open": request()["state"] == "opened",
        "it does not close #4": 4 in [issue["iid"] for issue in closed],
        "Ewa is not its reviewer": "ewa.kowalska" in [one["username"] for one in request()["reviewers"]],
        f"it touches {', '.join(others)}": not others,
    }
    wrong = [words for words, right in holds.items() if not right]
    return Points(not wrong, f"!{request()['iid']}: {'; '.join(wrong) or 'as asked'}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_named()))
    checkpoints.append(Checkpoint(2, grade_repaired()))
    checkpoints.append(Checkpoint(1, grade_own_test()))
    checkpoints.append(Checkpoint(1, grade_merge_request()))
    return result
