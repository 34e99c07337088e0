"""Grades overbooked-names-the-job by running the code of Sam's merge request on days only graders know."""

import functools
import json
import re
from pathlib import Path

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

PROJECT, PACKAGE = "larkspur/trellis", "trellis"
NOT_NAMED = "no merge request of Sam's names the job, beside which it counts"
ALLOWED = re.compile(r"trellis/|tests/|docs/|[A-Z]+\.md$")

# Jobs as (name, minutes, due), in the order they are typed; the job that does not fit, and the minutes too many.
DAYS = [
    ([("repot everything", 500, 24)], "repot everything", 20),
    ([("wash the vans", 60, 17), ("water palms", 300, 9), ("stake tomatoes", 200, 11)], "stake tomatoes", 80),
    ([("air", 470, 8), ("prune", 30, 10), ("sweep", 5, 12), ("close", 5, 18)], "prune", 30),
    ([("label", 100, 10), ("mow", 500, 9)], "mow", 120),
]
# The first jobs fill the day to the minute.
FULL = [
    ([("pot", 240, 9), ("deliver", 240, 12), ("rake", 15, 16)], "rake", 15),
    ([("sow", 480, 8), ("tidy", 1, 9), ("lock", 30, 18)], "tidy", 31),
]
EXACT = [([("pot", 240, 9), ("deliver", 240, 12)], "", 0)]
PROBE = """
import json, sys
from trellis.schedule import Job, Overbooked, plan
found = []
for day in json.load(sys.stdin):
    jobs = [Job(name, minutes, due=due) for name, minutes, due in day]
    try:
        found.append(len(plan(jobs)))
    except Overbooked as error:
        job = getattr(error, "job", None)
        found.append([str(error), [at for at, one in enumerate(jobs) if one is job or one == job]])
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
def planned():
    """What `plan` of the merge request says to each day: a number of steps, or the message and which jobs it names."""
    days = DAYS + FULL + EXACT
    asked = json.dumps([jobs for jobs, _, _ in days])
    done = run_as_examinee(["python3", "-c", PROBE], cwd=str(branch()), stdin=asked)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else [0] * len(days)


def says(answer, name, minutes):
    text = f"{minutes} minutes? too many: '{re.escape(name)}' does not fit"
    return isinstance(answer, list) and re.search(rf"(?<!\d){text}", answer[0]) is not None


def has_job(answer, jobs, name):
    return isinstance(answer, list) and [jobs[at][0] for at in answer[1]] == [name]


def right(days, what):
    """Whether the message (or the attribute) is right on each of these days."""
    start = (DAYS + FULL).index(days[0])
    pairs = zip(days, planned()[start : start + len(days)], strict=True)
    if what == "message":
        return all(says(answer, name, minutes) for (_, name, minutes), answer in pairs)
    return all(has_job(answer, jobs, name) for (jobs, name, _), answer in pairs)


@functools.cache
def points_for_naming():
    if request() is None:
        return 0
    message, job = right(DAYS, "message"), right(DAYS, "job")
    edge = (message or job) and right(FULL, "message" if message else "job")
    return message + job + (edge and planned()[-1] == 2)


def own_test(own, without):
    """What became of the tests of the branch, in words."""
    if not own:
        return "the tests of the branch do not pass"
    return f"the tests of the branch pass, and with the code of main they {'pass too' if without else 'fail'}"


@grader
def grade_naming():
    if request() is None:
        return Points(0, "there is no merge request of Sam's into main")
    wrong = []
    for (jobs, name, minutes), answer in zip(DAYS + FULL, planned(), strict=False):
        said = answer[0] if isinstance(answer, list) else "planned as if it fitted, or an exception"
        if not says(answer, name, minutes):
            wrong.append(f"the message is '{said}'; asked was that '{name}' is {minutes} minutes too many")
        elif not has_job(answer, jobs, name):
            wrong.append(f"`job` of the exception is not '{name}'")
    wrong += ["a day that is full to the minute is not planned"] if planned()[-1] != 2 else []
    return Points(points_for_naming(), "; ".join(wrong[:3]) or "the message and `job` name the job that does not fit")


@grader
def grade_the_rest():
    if not points_for_naming():
        return Points(0, NOT_NAMED)
    folder = with_parts_of(base(), branch(), PACKAGE)
    day = json.dumps({"jobs": [{"name": "sow", "minutes": 450}, {"name": "weed", "minutes": 90}]})
    Path(folder, "day.json").write_text(day, "utf-8")
    done = run_as_examinee(["python3", "-m", "trellis.cli", "day.json"], cwd=str(folder))
    same = unittests_pass(folder)
    holds = {
        f"the command ended with {done.returncode}; asked was 1": done.returncode == 1,
        "the command does not print the minutes too many": "60 minutes too many" in done.stderr,
        "the tests of main do not pass with the package of the branch": same,
    }
    wrong = [words for words, right_ in holds.items() if not right_]
    return Points(not wrong, "; ".join(wrong) or "everything else is as before")


@grader
def grade_own_test():
    if not points_for_naming():
        return Points(0, NOT_NAMED)
    own = unittests_pass(branch())
    without = own and unittests_pass(with_parts_of(branch(), base(), PACKAGE))
    return Points(own and not without, own_test(own, without))


@grader
def grade_merge_request():
    if not points_for_naming():
        return Points(0, NOT_NAMED)
    closed = get_from_gitlab(PROJECT, f"merge_requests/{request()['iid']}/closes_issues").json()
    others = [change["new_path"] for change in request()["changes"] if not ALLOWED.match(change["new_path"])]
    holds = {
        f"it is {request()['state']}, not open": request()["state"] == "opened",
        "it does not close #12": 12 in [issue["iid"] for issue in closed],
        "Lena is not its reviewer": "lena.fischer" in [one["username"] for one in request()["reviewers"]],
        f"it touches {', '.join(others)}": not others,
    }
    wrong = [words for words, right in holds.items() if not right]
    return Points(not wrong, f"!{request()['iid']}: {'; '.join(wrong) or 'as asked'}")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(3, grade_naming()))
    checkpoints.append(Checkpoint(1, grade_the_rest()))
    checkpoints.append(Checkpoint(1, grade_own_test()))
    checkpoints.append(Checkpoint(1, grade_merge_request()))
    return result
