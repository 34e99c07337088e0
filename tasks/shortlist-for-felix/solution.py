"""Asks Felix who has withdrawn, and files what reading the ad and the fourteen applications gives."""

import io
import re
import time
from urllib.parse import quote

import openpyxl
import requests

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
# Everybody with two years, German and English at B2, SQL and a start by 1 May; points by the ad, then years.
QUALIFIED = [
    ("Thomas Aerts", 5),
    ("Nadia Rahimi", 5),
    ("Lotte Vandenbroeck", 4),
    ("Marta Kruger", 2),
    ("Amira Benali", 2),
    ("Sanne Bakker", 2),
]


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def say(headers, where, text):
    sent = requests.post(f"{CHAT}/chat.postMessage", json={"channel": where, "text": text}, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]


def withdrawn(headers):
    """Whose name Felix gives."""
    sent = say(headers, "@felix.brandt", "Good morning Felix, has anybody withdrawn?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        for message in found["messages"]:
            if message["u"]["username"] == "felix.brandt" and message["ts"] > sent["ts"]:
                return {name for name, _ in QUALIFIED if re.search(name, message["msg"])}
        time.sleep(0.05)
    raise SystemExit("Felix did not answer")


def put(people):
    book = openpyxl.Workbook()
    book.active.append(["rank", "name", "points"])
    for rank, (name, points) in enumerate(people, start=1):
        book.active.append([rank, name, points])
    content = io.BytesIO()
    book.save(content)
    path = quote("/Hiring/Support engineer/2026-03-shortlist.xlsx")
    requests.put(DRIVE + path, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()


def tell(headers, people):
    say(headers, "@felix.brandt", f"The short list is in the folder; {people[0][0]} is first.")


if __name__ == "__main__":
    headers = sign_in()
    gone = withdrawn(headers)
    people = [one for one in QUALIFIED if one[0] not in gone]
    put(people)
    tell(headers, people)
