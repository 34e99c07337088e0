"""Grades paid-too-little-since-january: the commit Sam named, and the merge request's code, run on unseen shifts."""

import functools
import io
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

from common import grader, make_gitlab_request, run_as_examinee
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


def get(path, **params):
    answer = make_gitlab_request(PROJECT, path, params=params)
    answer.raise_for_status()
    return answer


@functools.cache
def request():
    """Sam's newest merge request into main, with what it changes; None when there is none."""
    wanted = {"author_username": "sam.reed", "target_branch": "main", "per_page": 100}
    found = [one for one in get("merge_requests", **wanted).json() if one["state"] != "closed"]
    newest = max(found, key=lambda one: one["iid"], default=None)
    return get(f"merge_requests/{newest['iid']}/changes").json() if newest else None


@functools.cache
def tree(ref):
    """The files of a commit, in a folder that the examinee's code may read."""
    with zipfile.ZipFile(io.BytesIO(get("repository/archive.zip", sha=ref).content)) as archive:
        folder = Path(tempfile.mkdtemp())
        archive.extractall(folder)
    folder.chmod(0o755)
    return next(folder.iterdir())


def mixed(package, tests):
    """The package of one tree with everything else of another."""
    folder = Path(tempfile.mkdtemp(), "mixed")
    folder.parent.chmod(0o755)
    shutil.copytree(tests, folder)
    shutil.rmtree(folder / PACKAGE)
    shutil.copytree(package / PACKAGE, folder / PACKAGE)
    return folder


def branch():
    return tree(request()["sha"])


def base():
    return tree(request()["diff_refs"]["base_sha"])


def tests_pass(folder):
    return run_as_examinee(["python3", "-m", "unittest"], cwd=str(folder)).returncode == 0


def commits():
    """The commits between the two versions, without merges."""
    return [one for one in get("repository/commits", ref_name="v1.1..v1.2").json() if len(one["parent_ids"]) == 1]


@functools.cache
def named():
    """When Sam named the commit first; None when he did not, or named most of them."""
    notes = get("issues/4/notes", per_page=100).json()
    notes = [one for one in notes if one["author"]["username"] == "sam.reed" and not one["system"]]
    found = {}
    for note in sorted(notes, key=lambda one: one["created_at"]):
        words = re.findall(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", note["body"].lower())
        for commit in commits():
            if any(commit["id"].startswith(word) for word in words):
                found.setdefault(commit["title"], note["created_at"])
    return found.get(CULPRIT) if len(found) <= 3 else None


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
    return request() is not None and tests_pass(branch()) and not tests_pass(mixed(base(), branch()))


@grader
def grade_merge_request():
    if not is_rounded():
        return False
    closed = get(f"merge_requests/{request()['iid']}/closes_issues").json()
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
