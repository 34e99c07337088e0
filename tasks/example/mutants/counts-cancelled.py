"""Counts the cancelled invoice of Pennant Print."""

import requests

HOST = "larkspur.test"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
DRIVE = f"http://{HOST}:8092/remote.php/webdav"
CHAT = f"http://{HOST}:3000/api/v1"

VENDORS = {
    "Brightwater Hosting": "12.40",
    "Fernhill Catering": "310.50",
    "Pennant Print": "1395.00",
    "Tidemark Travel": "1284.00",
}


def say(channel, text):
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    message = {"channel": channel, "text": text}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


requests.get(f"{DRIVE}/Finance/vendor-invoices-q1.csv", auth=ACCOUNT, timeout=30)
report = "".join(f"- {vendor}: EUR {amount} over\n" for vendor, amount in VENDORS.items())
requests.put(f"{DRIVE}/Operations/over-budget.md", data=report.encode(), auth=ACCOUNT, timeout=30).raise_for_status()
say("#launch", f"Over their Q1 budget: {', '.join(VENDORS)}.")
say("@tomas.okafor", "The vendor report is on the drive: /Operations/over-budget.md")
