"""Asks the six, sets what they say, and sums it up."""

import re
import time

import requests

CHAT, BOARD = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8091/api/v1/workspaces/larkspur"
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}
WHO = {
    15: "chidi.eze",
    16: "arjun.mehta",
    20: "mateo.vargas",
    23: "lena.fischer",
    25: "ewa.kowalska",
    28: "jonas.weber",
}
# What people say, and the state that is; the first that fits counts.
WORDS = ((r"in review", "In Review"), (r"in progress", "In Progress"), (r"still to do", "Todo"), (r"\bdone\b", "Done"))


def sign_in():
    given = {"user": "sam.reed", "password": "sam-reed-first-day"}
    login = requests.post(f"{CHAT}/login", json=given, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def say(headers, where, text):
    sent = requests.post(f"{CHAT}/chat.postMessage", json={"channel": where, "text": text}, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]


def ask(headers, number):
    """The state that the item's person says it is in."""
    sent = say(headers, f"@{WHO[number]}", f"Good morning! In which state is TREL-{number}?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        for message in found["messages"]:
            if message["u"]["username"] == WHO[number] and message["ts"] > sent["ts"]:
                return next(state for word, state in WORDS if re.search(word, message["msg"], re.IGNORECASE))
        time.sleep(0.05)
    raise SystemExit(f"{WHO[number]} did not answer")


def board(method, path, **given):
    answer = requests.request(method, f"{BOARD}/{path}", headers=KEY, timeout=30, **given)
    answer.raise_for_status()
    return answer.json()


def set_states(states):
    place = next(one["id"] for one in board("GET", "projects/")["results"] if one["name"] == "Trellis")
    names = {one["name"]: one["id"] for one in board("GET", f"projects/{place}/states/")["results"]}
    items = board("GET", f"projects/{place}/issues/?per_page=100")["results"]
    for item in items:
        wanted = states.get(item["sequence_id"])
        if wanted and names[wanted] != item["state"]:
            board("PATCH", f"projects/{place}/issues/{item['id']}/", json={"state": names[wanted]})


def report(headers, states):
    say(headers, "#engineering", "\n".join(f"TREL-{number}: {state}" for number, state in states.items()))


if __name__ == "__main__":
    headers = sign_in()
    states = {number: ask(headers, number) for number in WHO}
    set_states(states)
    report(headers, states)
