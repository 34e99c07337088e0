"""Asks Felix who has withdrawn, and files what reading the ad and the fourteen applications gives."""

import io
import re
import time
from urllib.parse import quote

import docx
import openpyxl
import requests

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
AD = "/Hiring/Support engineer/job-ad-support-engineer.docx"
# Everybody with two years, German and English at B2, SQL and a start by 1 May: what they have of the ad's table, their
# years and their first day.
PEOPLE = {
    "Thomas Aerts": (("Dutch", "Linux", "horticulture"), 5.5, "2026-05-01"),
    "Nadia Rahimi": (("Dutch", "Linux", "horticulture"), 3.5, "2026-04-20"),
    "Lotte Vandenbroeck": (("Dutch", "Linux"), 4, "2026-04-15"),
    "Marta Kruger": (("Linux",), 4, "2026-04-15"),
    "Amira Benali": (("French",), 3, "2026-04-01"),
    "Sanne Bakker": (("Dutch",), 2.5, "2026-05-01"),
}


def qualified():
    """Names and points by the ad, the best first."""
    answer = requests.get(DRIVE + quote(AD), auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    ad = docx.Document(io.BytesIO(answer.content))
    table = [(row.cells[0].text, row.cells[1].text) for row in ad.tables[0].rows]
    by_years = any("then by years of experience" in paragraph.text for paragraph in ad.paragraphs)

    def place(person):
        _, years, day = PEOPLE[person[0]]
        return -person[1], -years if by_years else day

    worth = [
        (name, sum(int(number) for topic, number in table if any(one in topic for one in has)))
        for name, (has, _, _) in PEOPLE.items()
    ]
    return sorted(worth, key=place)


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
                return {name for name in PEOPLE if re.search(name, message["msg"])}
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


QUALIFIED = qualified()

if __name__ == "__main__":
    headers = sign_in()
    gone = withdrawn(headers)
    people = [one for one in QUALIFIED if one[0] not in gone]
    put(people)
    tell(headers, people)
