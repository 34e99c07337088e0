"""Writes the checklist's lines anew from the board, keeps the text around them, and tells Mara."""

import re

import requests

CHAT, BOARD = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8091/api/v1/workspaces/larkspur"
FILE = "http://larkspur.test:8092/remote.php/webdav/Operations/launch-checklist.md"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}


def board(path):
    answer = requests.get(f"{BOARD}/{path}", headers=KEY, timeout=30)
    answer.raise_for_status()
    found = answer.json()
    return found["results"] if isinstance(found, dict) else found


def items():
    """(number, name, done, people) of what belongs on the list."""
    place = next(one["id"] for one in board("projects/") if one["name"] == "Trellis")
    done = {one["id"] for one in board(f"projects/{place}/states/") if one["group"] == "completed"}
    launch = next(one["id"] for one in board(f"projects/{place}/labels/") if one["name"] == "launch")
    sprint = next(one["id"] for one in board(f"projects/{place}/cycles/") if one["name"] == "Sprint 7")
    people = {one["id"]: f"{one['first_name']} {one['last_name']}" for one in board("members/")}
    for item in board(f"projects/{place}/cycles/{sprint}/cycle-issues/?per_page=100"):
        if launch in item["labels"]:
            who = [people[one] for one in item["assignees"]]
            yield item["sequence_id"], item["name"], item["state"] in done, who


def line(number, name, done, who):
    return f"- [{'x' if done else ' '}] TREL-{number} {name} ({', '.join(who) or 'nobody yet'})"


def write(lines):
    """Put these lines where the old ones were."""
    before = requests.get(FILE, auth=ACCOUNT, timeout=30).content.decode()
    head, tail = before[: before.index("- [")], before[before.rindex("- [") :].split("\n", 1)[1]
    requests.put(FILE, (head + "\n".join(lines) + "\n" + tail).encode(), auth=ACCOUNT, timeout=30).raise_for_status()


def old_lines():
    return re.findall(r"^- \[.*$", requests.get(FILE, auth=ACCOUNT, timeout=30).text, re.MULTILINE)


def tell(numbers, words="Nobody has {} yet."):
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    listed = " and ".join(f"TREL-{number}" for number in numbers)
    message = {"channel": "@mara.lindqvist", "text": words.format(listed)}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


if __name__ == "__main__":
    found = sorted(items())
    write([line(*one) for one in found])
    tell([number for number, _, _, who in found if not who])
