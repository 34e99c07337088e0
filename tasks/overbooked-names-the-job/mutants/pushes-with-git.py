"""The whole of it with git and quick actions: a clone, a test in a file of its own, a push that opens the request."""

import subprocess
import tempfile
from pathlib import Path

from solution import ACCOUNT, NEW_ERROR, NEW_RAISE, OLD_ERROR, OLD_RAISE, PROJECT, SCHEDULE, TEST, replaced, sign_in

BRANCH = "12-name-the-job"
ADDRESS = f"http://{ACCOUNT['username']}:{ACCOUNT['password']}@larkspur.test:8929/larkspur/trellis.git"
clone = Path(tempfile.mkdtemp(), "trellis")


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=Sam Reed", "-c", "user.email=sam@larkspur.test", *arguments], check=True)


git("clone", "--quiet", ADDRESS, str(clone))
schedule = clone / SCHEDULE
schedule.write_text(replaced(schedule.read_text("utf-8"), (OLD_ERROR, NEW_ERROR), (OLD_RAISE, NEW_RAISE)), "utf-8")
heading = "import unittest\n\nfrom trellis.schedule import Job, Overbooked, plan\n"
(clone / "tests" / "test_overbooked.py").write_text(heading + TEST, "utf-8")
git("-C", str(clone), "checkout", "--quiet", "-b", BRANCH)
git("-C", str(clone), "add", ".")
git("-C", str(clone), "commit", "--quiet", "-m", "Name the job that does not fit", "-m", "Fixes #12")
opened = ("merge_request.create", "merge_request.target=main", "merge_request.title=Overbooked names the job")
git("-C", str(clone), "push", "--quiet", *(word for one in opened for word in ("-o", one)), "origin", BRANCH)

forge = sign_in()
found = forge.get(f"{PROJECT}/merge_requests", params={"source_branch": BRANCH}, timeout=30).json()
body = {"body": "Would you have a look?\n/assign_reviewer @lena.fischer"}
forge.post(f"{PROJECT}/merge_requests/{found[0]['iid']}/notes", json=body, timeout=30).raise_for_status()
