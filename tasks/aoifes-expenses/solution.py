"""Asks Tomas for the two figures that no page has, then fills in a copy of the form."""

import io
import re
import time
from datetime import date

import openpyxl
import requests
from variant import VALUES

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav/Finance/Expenses"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
FORM = "2026-02-expenses-aoife-byrne.xlsx"


def ask_tomas():
    """(EUR for a franc, EUR for a full day in Switzerland)."""
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    found = []
    for text, pattern in (
        ("Good morning Tomas, what was the franc worth on 18 February?", r"franc was ([\d.]+\d)"),
        ("And what is the day rate for meals in Switzerland?", r"Switzerland\D*(\d+) EUR"),
    ):
        message = {"channel": "@tomas.okafor", "text": text}
        sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).json()["message"]
        found.append(answer(headers, sent, pattern))
    return found


def answer(headers, sent, pattern):
    for _ in range(200):
        history = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        for message in history["messages"]:
            figure = re.search(pattern, message["msg"])
            if figure and message["u"]["username"] == "tomas.okafor" and message["ts"] > sent["ts"]:
                return float(figure.group(1))
        time.sleep(0.05)
    raise SystemExit("Tomas did not answer")


def claims(franc, full_day):
    """What the policies pay back, line by line."""
    distance = VALUES["kilometres"]
    return [
        (
            12,
            "Bistro Korenmarkt",
            "Lunch with De Groene Vingers, two heads",
            "meals",
            min(50.0, VALUES["lunch"]),
            None,
            "yes",
        ),
        (18, "Taxi Basilisk", "Basel, station to the fair", "travel", round(VALUES["taxi"] * franc, 2), None, "yes"),
        (18, "day rate", "Fair in Basel, departure", "meals", full_day / 2, None, "day rate"),
        (19, "day rate", "Fair in Basel, return", "meals", full_day / 2, None, "day rate"),
        (24, "Snipline", "Licence for cutting videos, one year", "software", VALUES["licence"], "Luca Moretti", "yes"),
        (
            26,
            "own car",
            f"Ghent to Bruges and back, {distance} km, Fernhill",
            "travel",
            round(distance * 0.44, 2),
            None,
            "kilometres",
        ),
    ]


def form(lines):
    template = requests.get(f"{DRIVE}/expense-form-template.xlsx", auth=ACCOUNT, timeout=30).content
    book = openpyxl.load_workbook(io.BytesIO(template))
    page = book.active
    total = round(sum(line[4] for line in lines), 2)
    for row, value in enumerate(("Aoife Byrne", "Customers", 600, "2026-02", total, date(2026, 3, 9)), start=2):
        page.cell(row, 2, value)
    for at, (day, *rest) in enumerate(lines, start=10):
        for column, value in enumerate((date(2026, 2, day), *rest), start=1):
            page.cell(at, column, value)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def put(content, name=FORM):
    requests.put(f"{DRIVE}/{name}", content, auth=ACCOUNT, timeout=30).raise_for_status()


if __name__ == "__main__":
    put(form(claims(*ask_tomas())))
