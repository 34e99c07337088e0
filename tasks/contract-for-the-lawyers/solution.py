"""Asks Mara, makes the link as the policy asks, and gives her its address and its password apart."""

import time

import requests

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
CONTRACT = "/Operations/Contracts/2024-05-01-contract-noordzee-telecom.docx"
SECRET = "tulip-Radio-7719"


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
    room = say(headers, "Good morning Mara, may Quillstone Legal have a link to the contract with Noordzee Telecom?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": room}, headers=headers, timeout=30).json()[
            "messages"
        ]
        if any(message["u"]["username"] == "mara.lindqvist" and "Yes" in message["msg"] for message in found):
            return
        time.sleep(0.05)
    raise SystemExit("Mara did not agree")


def link(path=CONTRACT, **other):
    """The address of a new public link."""
    wanted = {
        "path": path,
        "shareType": 3,
        "permissions": 1,
        "expireDate": "2026-03-20",
        "password": SECRET,
        "name": "Quillstone Legal: telephone contract",
        **other,
    }
    address = f"{DRIVE}/ocs/v1.php/apps/files_sharing/api/v1/shares?format=json"
    wanted = {key: value for key, value in wanted.items() if value is not None}
    made = requests.post(address, data=wanted, auth=ACCOUNT, headers={"OCS-APIREQUEST": "true"}, timeout=30).json()[
        "ocs"
    ]
    assert made["meta"]["statuscode"] == 100, made
    return made["data"]["url"]


if __name__ == "__main__":
    headers = sign_in()
    ask(headers)
    say(headers, f"Here is the link for Quillstone: {link()}")
    say(headers, f"And this is its password: {SECRET}")
