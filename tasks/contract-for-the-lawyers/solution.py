"""Asks Mara, makes the link as the policy asks, and gives her its address and its password apart."""

import re
import time
from datetime import date, timedelta
from pathlib import Path
from xml.etree import ElementTree

import requests

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
CONTRACTS, POLICY = "/Operations/Contracts", "/Company/Policies/sharing-documents.md"
SECRET = "tulip-Radio-7719-canal-Lamp"
TODAY = date(2026, 3, 9)
PARTY = re.search(r"contract with ([\w ]+?) runs out", Path("/instruction/task.md").read_text("utf-8"))[1]


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def say(headers, text):
    message = {"channel": "@mara.lindqvist", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]["rid"]


def ask(headers):
    """Ask Mara, and wait until she has said yes."""
    room = say(headers, f"Good morning Mara, may Quillstone Legal have a link to the contract with {PARTY}?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": room}, headers=headers, timeout=30).json()[
            "messages"
        ]
        if any(message["u"]["username"] == "mara.lindqvist" and "Yes" in message["msg"] for message in found):
            return
        time.sleep(0.05)
    raise SystemExit("Mara did not agree")


def contract():
    """The path of the contract with that party."""
    answer = requests.request("PROPFIND", f"{DRIVE}/remote.php/webdav{CONTRACTS}", auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    paths = [node.text for node in ElementTree.fromstring(answer.content).iter("{DAV:}href")]
    [found] = [path for path in paths if PARTY.lower().replace(" ", "-") in path]
    return f"{CONTRACTS}/{found.rpartition('/')[2]}"


def last_day():
    """The last day that the policy allows; it also has to be satisfied with the password."""
    policy = requests.get(f"{DRIVE}/remote.php/webdav{POLICY}", auth=ACCOUNT, timeout=30).text
    assert len(SECRET) >= int(re.search(r"at least (\d+) signs", policy)[1])
    return TODAY + timedelta(days=int(re.search(r"at most (\d+) days after", policy)[1]))


def link(path=None, **other):
    """The address of a new public link, to the contract by default."""
    wanted = {
        "path": path or contract(),
        "shareType": 3,
        "permissions": 1,
        "expireDate": str(last_day()),
        "password": SECRET,
        "name": f"Quillstone Legal: contract with {PARTY}",
        **other,
    }
    address = f"{DRIVE}/ocs/v1.php/apps/files_sharing/api/v1/shares?format=json"
    wanted = {key: value for key, value in wanted.items() if value is not None}
    made = requests.post(address, data=wanted, auth=ACCOUNT, headers={"OCS-APIREQUEST": "true"}, timeout=30).json()[
        "ocs"
    ]
    assert made["meta"]["statuscode"] == 100, made
    return made["data"]["url"]


def hand_over(headers):
    """What Quillstone needs, in two messages."""
    say(headers, f"Here is the link for Quillstone: {link()}")
    say(headers, f"And this is its password: {SECRET}")


if __name__ == "__main__":
    headers = sign_in()
    ask(headers)
    hand_over(headers)
