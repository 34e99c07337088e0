"""Asks the three leads, works out what changes, fills in the sheet, and tells Tomas the sum."""

import io
import re
import time

import openpyxl
import requests

CHAT = "http://larkspur.test:3000/api/v1"
FILE = "http://larkspur.test:8092/remote.php/webdav/Finance/Budgets/2026-q2-budget.xlsx"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
LEADS = {"Engineering": "jonas.weber", "Operations": "mara.lindqvist", "Customers": "luca.moretti"}


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


CHANGES = 2
"""So many things change for each of them."""


def say(headers, where, text):
    sent = requests.post(f"{CHAT}/chat.postMessage", json={"channel": where, "text": text}, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]


def ask(headers, username):
    sent = say(headers, f"@{username}", "Good morning! What changes for your team's budget from April to June?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        said = [one["msg"] for one in found["messages"] if one["u"]["username"] == username and one["ts"] > sent["ts"]]
        told = " ".join(reversed(said))
        if len(re.findall(r"\b\d{2,4}\b", told)) >= CHANGES:
            return told
        time.sleep(0.05)
    raise SystemExit(f"{username} did not answer")


def difference(text, months=2):
    """What somebody's words add up to: amounts a month count from its start on, amounts that are less count against."""
    total = 0
    for part in re.split(r"[.,;](?= )|\band\b", text):
        for amount in re.findall(r"\b(\d{2,4})\b", part):
            sign = -1 if re.search(r"less|falls away", part) else 1
            total += sign * int(amount) * (months if "a month" in part else 1)
    return total


def answers(headers):
    return {team: ask(headers, username) for team, username in LEADS.items()}


def fill(changes, reasons, clear=False):
    """Write the forecasts; returns their sum."""
    book = openpyxl.load_workbook(io.BytesIO(requests.get(FILE, auth=ACCOUNT, timeout=30).content))
    page, total = book["Teams"], 0
    for row in page.iter_rows(min_row=3):
        team, draft = row[0].value, row[2].value
        row[3].value = draft + changes.get(team, 0)
        row[4].value = reasons.get(team)
        row[2].value = row[3].value if clear else draft
        total += row[3].value
    content = io.BytesIO()
    book.save(content)
    requests.put(FILE, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()
    return total


def tell(headers, total):
    say(headers, "@tomas.okafor", f"The forecasts of all teams come to {total:,} EUR together.")


if __name__ == "__main__":
    headers = sign_in()
    told = answers(headers)
    tell(headers, fill({team: difference(text) for team, text in told.items()}, told))
