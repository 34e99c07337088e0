"""Asks Ewa for the expected hours, counts in hours that went by, and opens a merge request for her."""

import time

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Ftimesheets"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
SHIFT, READING, TESTS = "timesheets/shift.py", "timesheets/reading.py", "tests/test_payroll.py"
TITLE = "Count the hours that went by when the clock changes"

SHIFT_EDITS = (
    ("from datetime import datetime, timedelta", "from datetime import datetime, timedelta, timezone"),
    ("if self.end <= self.start:", "if self.length <= timedelta():"),
    ("if self.pause >= self.end - self.start:", "if self.pause >= self.length:"),
    ('"""From clocking in to clocking out."""', '"""The time that went by from clocking in to clocking out."""'),
    ("return self.end - self.start", "return self.end.astimezone(timezone.utc) - self.start.astimezone(timezone.utc)"),
)
MOMENT = '''def moment(text, place, second):
    """A time on the clock as a moment; of a time that stands there twice, the first or the second."""
    return datetime.fromisoformat(text).replace(tzinfo=place, fold=second)


'''
READING_EDITS = (
    (
        "(datetime.fromisoformat(row[key]).replace(tzinfo=place) for key in",
        "(moment(row[key], place, out) for key, out in",
    ),
    ('("in", "out"))', '(("in", False), ("out", True)))'),
    ("def read_shifts(", MOMENT + "def read_shifts("),
)
TEST = """    def test_hours_are_those_that_went_by_when_the_clock_changes(self):
        for begin, end, expected in (
            ("2026-03-28T22:00", "2026-03-29T06:00", 6.5),
            ("2026-03-29T00:00", "2026-03-29T06:45", 5.75),
            ("2026-10-24T22:00", "2026-10-25T06:00", 8.5),
            ("2026-10-24T22:00", "2026-10-25T02:30", 5.5),
            ("2026-10-25T02:45", "2026-10-25T02:15", 0.5),
        ):
            self.path.write_text(f"person,in,out,break\\nWout,{begin},{end},\\n")
            self.assertEqual({"Wout": expected}, totals(read_shifts(self.path, "Europe/Brussels")))

"""
BEFORE = "    def test_the_command_prints_a_line_a_person(self):\n"


def ask_ewa():
    """What Ewa says to the first question, once all of it is there."""
    login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    text = "Good morning! I take timesheets #5. Which hours do the payroll offices expect around both nights?"
    message = {"channel": "@ewa.kowalska", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).json()["message"]
    for _ in range(400):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        said = " ".join(each["msg"] for each in found["messages"] if each["u"]["username"] == "ewa.kowalska")
        if "clocking out is the second" in said:
            return said
        time.sleep(0.05)
    raise SystemExit("Ewa did not answer")


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def read(forge, path):
    name = path.replace("/", "%2F")
    answer = forge.get(f"{PROJECT}/repository/files/{name}/raw", params={"ref": "main"}, timeout=30)
    answer.raise_for_status()
    return answer.text


def replaced(text, *pairs):
    """The text with each piece replaced by its successor; a piece that is not there stops us."""
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"not in the file: {old}")
        text = text.replace(old, new)
    return text


def propose(forge, files):
    """The changed files on a branch, and a merge request with Ewa as its reviewer; returns its number."""
    actions = [{"action": "update", "file_path": path, "content": text} for path, text in files.items()]
    content = {"branch": "clock-change", "start_branch": "main", "commit_message": TITLE, "actions": actions}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()
    people = forge.get(f"{FORGE}/api/v4/users", params={"username": "ewa.kowalska"}, timeout=30).json()
    content = {
        "source_branch": "clock-change",
        "target_branch": "main",
        "title": TITLE,
        "description": "Closes #5",
        "reviewer_ids": [people[0]["id"]],
    }
    answer = forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30)
    answer.raise_for_status()
    return answer.json()["iid"]


def solve(shift=SHIFT_EDITS, reading=READING_EDITS, test=TEST):
    forge = sign_in()
    files = {SHIFT: replaced(read(forge, SHIFT), *shift), READING: replaced(read(forge, READING), *reading)}
    if test:
        files[TESTS] = replaced(read(forge, TESTS), (BEFORE, test + BEFORE))
    return forge, propose(forge, files)


if __name__ == "__main__":
    ask_ewa()
    solve()
