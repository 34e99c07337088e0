"""Finds the commit that touched the rounding, names it in the issue, and takes back the rounding alone."""

import requests

FORGE = "http://larkspur.test:8929"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Ftimesheets"
ACCOUNT = {"username": "sam.reed", "password": "sam-reed-first-day"}
ROUNDING, TESTS = "timesheets/rounding.py", "tests/test_rounding.py"
TITLE = "Round to the nearest quarter of an hour again"
TEST = """    def test_seven_and_a_half_minutes_round_up(self):
        for minutes, rounded in ((233, 240), (232, 225), (247.5, 255)):
            self.assertEqual(timedelta(minutes=rounded), to_quarter(timedelta(minutes=minutes)))

"""
BEFORE = "    def test_hours_are_decimal(self):\n"


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    answer = forge.post(f"{FORGE}/oauth/token", json={"grant_type": "password", **ACCOUNT}, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def commits(forge, path=None):
    """The commits between the two versions, or those of them that touched a file; the newest first."""
    asked = {"ref_name": "v1.1..v1.2", **({"path": path} if path else {})}
    answer = forge.get(f"{PROJECT}/repository/commits", params=asked, timeout=30)
    answer.raise_for_status()
    return answer.json()


def culprit(forge):
    """Of the commits that touched the rounding, the one that is no merge."""
    return next(one for one in commits(forge, ROUNDING) if len(one["parent_ids"]) == 1)


def comment(forge, text):
    forge.post(f"{PROJECT}/issues/4/notes", json={"body": text}, timeout=30).raise_for_status()


def name_it(forge):
    found = culprit(forge)
    comment(forge, f"It was {found['id']}, “{found['title']}” of {found['created_at'][:10]}.")


def read(forge, path, ref="main"):
    name = path.replace("/", "%2F")
    answer = forge.get(f"{PROJECT}/repository/files/{name}/raw", params={"ref": ref}, timeout=30)
    answer.raise_for_status()
    return answer.text


def propose(forge, files):
    """The changed files on a branch, and a merge request with Ewa as its reviewer."""
    actions = [{"action": "update", "file_path": path, "content": text} for path, text in files.items()]
    content = {"branch": "rounding", "start_branch": "main", "commit_message": TITLE, "actions": actions}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()
    people = forge.get(f"{FORGE}/api/v4/users", params={"username": "ewa.kowalska"}, timeout=30).json()
    content = {
        "source_branch": "rounding",
        "target_branch": "main",
        "title": TITLE,
        "description": "Closes #4",
        "reviewer_ids": [people[0]["id"]],
    }
    forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30).raise_for_status()


def tested(forge):
    text = read(forge, TESTS)
    if BEFORE not in text:
        raise SystemExit(f"not in {TESTS}: {BEFORE}")
    return text.replace(BEFORE, TEST + BEFORE)


def repair(forge):
    """The rounding as version 1.1 has it, with a test."""
    propose(forge, {ROUNDING: read(forge, ROUNDING, "v1.1"), TESTS: tested(forge)})


if __name__ == "__main__":
    session = sign_in()
    name_it(session)
    repair(session)
