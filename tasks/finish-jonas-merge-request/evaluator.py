"""Grades finish-jonas-merge-request: the test, run with and without Jonas's change, and its way into main."""

import functools
import json
import re
from datetime import datetime

from common import (
    changes,
    create_rocketchat_client,
    get_from_gitlab,
    get_rocketchat_personal_chat_history,
    gitlab_tree,
    grader,
    run_as_examinee,
    unittests_pass,
    with_parts_of,
)
from scoring import Checkpoint, Points, Result

PROJECT, SCHEDULE = "larkspur/trellis", "trellis/schedule.py"
EXAMINEE, PASSWORD = "sam.reed", "sam-reed-first-day"
NOT_MERGED = "!12 is not merged with a test for the order, beside which it counts"
BRANCHES = {"refs/heads/main", "refs/heads/stable-order"}
# What a comment about the test is about, and what says that there is none.
ABOUT_TEST = re.compile(r"\btest(s|ed|ing)?\b|\btwo jobs\b|\b(same|one|equal) (due )?hour\b", re.IGNORECASE)
NONE_YET = re.compile(
    r"\b(not|n't|no|never|without) (\w+ ){0,3}tests?\b|\btests? (is|was|are) (not|n't)\b|n't\b(?! hesitate| forget)"
    r"|\b(could|can|will|would|did|do|have|has) not\b|\bnot yet\b|\b(tomorrow|later|soon)\b|\bcomes?\b"
    r"|\bwill (be|follow|add|write)\b|\bgoing to\b|\b(working on|still missing)\b",
    re.IGNORECASE,
)
ALLOWED = re.compile(r"trellis/schedule\.py$|tests/|[A-Z]+\.md$")
JOBS = [("sweep", 9), ("deliver", 9), ("water", 8), ("air", 8), ("mow", 9), ("bind", 24), ("ask", 24)]
PROBE = """
import json, sys
from trellis.schedule import Job, plan
steps = plan([Job(name, 5, due=due) for name, due in json.load(sys.stdin)])
print("\\n" + json.dumps([job.name for _, job in steps]))
"""


@functools.cache
def request():
    return get_from_gitlab(PROJECT, "merge_requests/12").json()


@functools.cache
def moved():
    """The branches and tags that are not what they were: what they pointed to at the start, by project and name."""
    rows = [row for row in changes("gitlab") if row["table"] == "refs"]
    known = [(row["before"] or row["after"], (row["before"] or {}).get("sha")) for row in rows]
    return {(one["project_id"], one["name"]): sha for one, sha in known}


def before(branch, otherwise):
    """Where a branch pointed to at the start."""
    return moved().get((request()["project_id"], f"refs/heads/{branch}")) or otherwise


@functools.cache
def jonas():
    """Jonas's commit, as he made it."""
    return get_from_gitlab(PROJECT, f"repository/commits/{before('stable-order', request()['sha'])}").json()


def tree(ref):
    return gitlab_tree(PROJECT, ref)


def has_test(ref):
    """Whether the tests of a commit pass with Jonas's scheduler, and fail with the one before it."""
    schedulers = jonas()["id"], jonas()["parent_ids"][0]
    trees = [with_parts_of(tree(ref), tree(scheduler), SCHEDULE) for scheduler in schedulers]
    return [unittests_pass(one) for one in trees] == [True, False]


@functools.cache
def points_for_test():
    """Without a push or a merge there can be none."""
    if not moved():
        return 0
    if has_test(request()["sha"]):
        return 2
    return int(has_test("main"))


@functools.cache
def is_merged():
    """!12 is in, with a test, and main does what it is about."""
    if not points_for_test() or request()["state"] != "merged":
        return False
    done = run_as_examinee(["python3", "-c", PROBE], cwd=str(tree("main")), stdin=json.dumps(JOBS))
    wanted = [name for name, _ in sorted(JOBS, key=lambda job: job[1])]
    return done.returncode == 0 and json.loads(done.stdout.splitlines()[-1]) == wanted and unittests_pass(tree("main"))


@grader
def grade_test():
    if not moved():
        return Points(0, "nothing was pushed or merged")
    where = {2: "in the branch of !12", 1: "only in main"}.get(points_for_test())
    if where is None:
        return Points(0, "no test passes with Jonas's change and fails without it")
    return Points(points_for_test(), f"a test that fails without Jonas's change is {where}")


@grader
def grade_merged():
    if not points_for_test():
        return Points(0, "there is no test for the order, beside which it counts")
    if request()["state"] != "merged":
        return Points(0, f"!12 is {request()['state']}, not merged")
    said = "keeps jobs of the same hour in order" if is_merged() else "does not keep them in order, or fails its tests"
    return Points(is_merged(), f"!12 is merged, and main {said}")


@grader
def grade_commit_kept():
    if not is_merged():
        return Points(0, NOT_MERGED)
    listed = get_from_gitlab(PROJECT, "repository/commits", ref_name="main", per_page=100).json()
    kept = jonas()["id"] in [one["id"] for one in listed]
    return Points(kept, f"Jonas's commit {jonas()['id'][:8]} is {'in main' if kept else 'not in main as he made it'}")


def to_lena():
    """When Sam wrote to Lena: directly, or in a channel with her name in the message."""
    sam = create_rocketchat_client(EXAMINEE, PASSWORD)
    found = get_rocketchat_personal_chat_history(sam, "lena.fischer", content_only=False)
    for channel in ("engineering", "launch", "general", "releases"):
        room = sam.channels_info(channel=channel).json()["channel"]["_id"]
        said = sam.channels_history(room_id=room, count=100).json()["messages"]
        found += [one for one in said if "lena" in one["msg"].lower()]
    return [one["ts"] for one in found if one["u"]["username"] == EXAMINEE]


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@grader
def grade_lena_was_asked():
    if not is_merged():
        return Points(0, NOT_MERGED)
    asked = any(moment(at) < moment(request()["merged_at"]) for at in to_lena())
    return Points(asked, f"Sam {'wrote' if asked else 'did not write'} to Lena before the merge")


def says_that_it_is_there(comment):
    """Does a sentence of it say that the test is there?"""
    sentences = re.split(r"\n|(?<=[.!?])\s", comment.replace("’", "'"))
    return any(
        ABOUT_TEST.search(one) and not NONE_YET.search(one) and not one.rstrip().endswith("?") for one in sentences
    )


@grader
def grade_priya_was_told():
    notes = get_from_gitlab(PROJECT, "merge_requests/12/notes", per_page=100).json()
    mine = [one["body"] for one in notes if one["author"]["username"] == EXAMINEE and not one["system"]]
    if not points_for_test():
        return Points(0, "there is no test for the order to tell Priya of")
    told = any(says_that_it_is_there(one) for one in mine)
    of = f"of Sam's {len(mine)} comments in !12"
    return Points(
        told, f"{'one' if told else 'none'} {of} says that the test is there" if mine else "Sam has no comments in !12"
    )


@grader
def grade_nothing_else():
    if not is_merged():
        return Points(0, NOT_MERGED)
    names = {name for project, name in moved() if project == request()["project_id"]}
    elsewhere = [project for project, _ in moved() if project != request()["project_id"]]
    compared = get_from_gitlab(PROJECT, "repository/compare", **{"from": before("main", "main"), "to": "main"}).json()[
        "diffs"
    ]
    others = [*sorted(names - BRANCHES), *(f"a branch of project {project}" for project in elsewhere)]
    others += [one["new_path"] for one in compared if not ALLOWED.match(one["new_path"])]
    return Points(not others, f"changed besides: {', '.join(others)}" if others else "nothing else changed")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_test()))
    checkpoints.append(Checkpoint(1, grade_merged()))
    checkpoints.append(Checkpoint(1, grade_commit_kept()))
    checkpoints.append(Checkpoint(1, grade_lena_was_asked()))
    checkpoints.append(Checkpoint(1, grade_priya_was_told()))
    checkpoints.append(Checkpoint(1, grade_nothing_else()))
    return result
