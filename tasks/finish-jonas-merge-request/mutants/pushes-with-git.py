"""A test in a file of its own, pushed with git; Lena is asked in #engineering, Priya told in a comment of its own."""

import subprocess
import tempfile
import time
from pathlib import Path

import requests
from solution import BRANCH, CHAT, PASSWORD, PROJECT, USER, Chat, merge, sign_in

TEST = """import unittest

from trellis.schedule import Job, plan


class OrderTest(unittest.TestCase):
    def test_ties_keep_their_order(self):
        names = ["sow", "mow", "hoe", "air"]
        found = [job.name for _, job in plan([Job(name, 15, due=11) for name in names])]
        self.assertListEqual(found, names)
"""
clone = Path(tempfile.mkdtemp(), "trellis")


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=Sam", "-c", "user.email=sam.reed@larkspur.test", *arguments], check=True)


def ask_in_channel(text):
    """Say it in #engineering and wait for what Lena answers there."""
    headers = Chat().headers
    content = {"channel": "#engineering", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=content, headers=headers, timeout=30).json()["message"]
    for _ in range(400):
        asked = {"roomId": sent["rid"], "oldest": sent["ts"]}
        found = requests.get(f"{CHAT}/channels.history", params=asked, headers=headers, timeout=30).json()["messages"]
        if answers := [one["msg"] for one in found if one["u"]["username"] == "lena.fischer"]:
            return answers[0]
        time.sleep(0.05)
    raise SystemExit("Lena did not answer")


git("clone", "--quiet", "--branch", BRANCH, f"http://{USER}:{PASSWORD}@larkspur.test:8929/larkspur/trellis", str(clone))
(clone / "tests" / "test_order.py").write_text(TEST, "utf-8")
git("-C", str(clone), "add", "tests")
git("-C", str(clone), "commit", "--quiet", "-m", "Ties keep their order")
git("-C", str(clone), "push", "--quiet", "origin", BRANCH)
said = "@lena.fischer may I merge trellis !12? Four jobs due at 11 stay as typed; the test fails with the old code."
if "merge it" not in ask_in_channel(said):
    raise SystemExit("Lena did not agree")
forge = sign_in()
note = {"body": "Priya, the test you asked for is in."}
forge.post(f"{PROJECT}/merge_requests/12/notes", json=note, timeout=30).raise_for_status()
merge(forge, squash=False, should_remove_source_branch=False)
