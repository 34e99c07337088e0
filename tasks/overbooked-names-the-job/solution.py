"""Names the job on a branch, with a test, and opens a merge request for Lena."""

import requests

FORGE = "http://larkspur.test:8929"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Ftrellis"
ACCOUNT = {"username": "sam.reed", "password": "sam-reed-first-day"}
SCHEDULE, TESTS = "trellis/schedule.py", "tests/test_schedule.py"

OLD_ERROR = '    """The jobs take longer than the day has minutes."""\n'
NEW_ERROR = '''    """The jobs take longer than the day has minutes; `job` is the first that does not fit."""

    def __init__(self, job, minutes):
        super().__init__(f"{minutes} minutes too many: '{job.name}' does not fit")
        self.job = job
'''
OLD_RAISE = '        raise Overbooked(f"{start - DAY} minutes too many")\n'
NEW_RAISE = """        job = next(job for begin, job in planned if begin + job.minutes > DAY)
        raise Overbooked(job, start - DAY)
"""
TEST = """

class OverbookedTest(unittest.TestCase):
    def test_the_first_job_that_does_not_fit_is_named(self):
        jobs = [Job("pot", 480, due=9), Job("rake", 20, due=12), Job("sweep", 10, due=18)]
        with self.assertRaisesRegex(Overbooked, "30 minutes too many: 'rake' does not fit") as caught:
            plan(jobs)
        self.assertIs(jobs[1], caught.exception.job)
"""


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    answer = forge.post(f"{FORGE}/oauth/token", json={"grant_type": "password", **ACCOUNT}, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def read(forge, path, ref="main"):
    answer = forge.get(f"{PROJECT}/repository/files/{path.replace('/', '%2F')}/raw", params={"ref": ref}, timeout=30)
    answer.raise_for_status()
    return answer.text


def replaced(text, *pairs):
    """The text with each piece replaced by its successor; a piece that is not there stops us."""
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"not in the file: {old}")
        text = text.replace(old, new)
    return text


def commit(forge, branch, message, files):
    """Put changed files, text by path, on a branch of their own."""
    actions = [{"action": "update", "file_path": path, "content": text} for path, text in files.items()]
    content = {"branch": branch, "start_branch": "main", "commit_message": message, "actions": actions}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()


def open_request(forge, branch, title, description):
    """A merge request with Lena as its reviewer; returns its number."""
    people = forge.get(f"{FORGE}/api/v4/users", params={"username": "lena.fischer"}, timeout=30).json()
    content = {
        "source_branch": branch,
        "target_branch": "main",
        "title": title,
        "description": description,
        "reviewer_ids": [people[0]["id"]],
    }
    answer = forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30)
    answer.raise_for_status()
    return answer.json()["iid"]


def tested(forge):
    """The tests with one for Overbooked."""
    text = read(forge, TESTS)
    if "Overbooked" not in text:
        text = replaced(text, ("from trellis.schedule import ", "from trellis.schedule import Overbooked, "))
    end = '\n\nif __name__ == "__main__":'
    return replaced(text, (end, TEST + end))


def solve(error=NEW_ERROR, raising=NEW_RAISE, tests=True, description="Closes #12"):
    forge = sign_in()
    files = {SCHEDULE: replaced(read(forge, SCHEDULE), (OLD_ERROR, error), (OLD_RAISE, raising))}
    if tests:
        files[TESTS] = tested(forge)
    commit(forge, "overbooked-job", "Name the job that does not fit into the day", files)
    return forge, open_request(forge, "overbooked-job", "Name the job that does not fit into the day", description)


if __name__ == "__main__":
    solve()
