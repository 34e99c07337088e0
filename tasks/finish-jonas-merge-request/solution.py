"""Adds the test to Jonas's branch, shows it to Lena, merges as she wants it, and answers Priya."""

import time

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Ftrellis"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
BRANCH, TESTS = "stable-order", "tests/test_schedule.py"
TEST = """    def test_jobs_of_the_same_hour_stay_in_the_order_they_came(self):
        planned = plan([Job("water ferns", 30, due=9), Job("air the greenhouse", 10, due=9)])
        self.assertEqual(["water ferns", "air the greenhouse"], [job.name for _, job in planned])

"""
BEFORE = "    def test_a_day_that_is_too_short_is_refused(self):\n"


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def with_test(forge, test=TEST):
    """The branch's tests, and one more."""
    asked = f"{PROJECT}/repository/files/{TESTS.replace('/', '%2F')}/raw"
    text = forge.get(asked, params={"ref": BRANCH}, timeout=30).text
    if BEFORE not in text:
        raise SystemExit(f"not in {TESTS}: {BEFORE}")
    return text.replace(BEFORE, test + BEFORE)


def commit(forge, files, branch=BRANCH, **more):
    actions = [{"action": "update", "file_path": path, "content": text} for path, text in files.items()]
    message = "Test that jobs of the same hour stay in order"
    content = {"branch": branch, "commit_message": message, "actions": actions, **more}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()


class Chat:
    """A conversation with Lena."""

    def __init__(self):
        login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
        self.headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}

    def ask(self, text):
        """Say something and wait for what she answers."""
        content = {"channel": "@lena.fischer", "text": text}
        answer = requests.post(f"{CHAT}/chat.postMessage", json=content, headers=self.headers, timeout=30)
        sent = answer.json()["message"]
        asked = {"roomId": sent["rid"]}
        for _ in range(400):
            found = requests.get(f"{CHAT}/im.history", params=asked, headers=self.headers, timeout=30).json()
            for each in found["messages"]:
                if each["u"]["username"] == "lena.fischer" and each["ts"] > sent["ts"]:
                    return each["msg"]
            time.sleep(0.05)
        raise SystemExit("Lena did not answer")


def ask_lena():
    chat = Chat()
    answer = chat.ask("Good morning! Would you be the second pair of eyes for trellis !12? Priya's test is there.")
    if "example" in answer:
        text = "Water ferns and air the greenhouse, both due at 9, typed in this order. Airing comes first without it."
        answer = chat.ask(text)
    if "merge it" not in answer:
        raise SystemExit(f"Lena did not agree: {answer}")


def merge(forge, number=12, **how):
    forge.put(f"{PROJECT}/merge_requests/{number}/merge", json=how, timeout=30).raise_for_status()


def tell_priya(forge):
    """In her own thread."""
    threads = forge.get(f"{PROJECT}/merge_requests/12/discussions", timeout=30).json()
    hers = next(one for one in threads if one["notes"][0]["author"]["username"] == "priya.nair")
    content = {"body": "@priya.nair It is there: two jobs, the same hour, the order as typed."}
    address = f"{PROJECT}/merge_requests/12/discussions/{hers['id']}/notes"
    forge.post(address, json=content, timeout=30).raise_for_status()


if __name__ == "__main__":
    session = sign_in()
    commit(session, {TESTS: with_test(session)})
    tell_priya(session)
    ask_lena()
    merge(session)
