"""Asks the five, looks their wishes up in the catalogue, fills in a copy of the form."""

import io
import time
from datetime import date

import openpyxl
import requests
from variant import VALUES

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
PEOPLE = {
    "Lena Fischer": ("lena.fischer", 700),
    "Arjun Mehta": ("arjun.mehta", 700),
    "Yusuf Demir": ("yusuf.demir", 500),
    "Aoife Byrne": ("aoife.byrne", 600),
    "Beatriz Ramos": ("beatriz.ramos", 300),
}


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def ask(headers, username):
    """Ask somebody for their wish and wait for the answer."""
    text = "Good morning! Noor places the equipment order for the second quarter. What do you wish for?"
    message = {"channel": f"@{username}", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).json()["message"]
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        for each in found["messages"]:
            if each["u"]["username"] == username and each["ts"] > sent["ts"]:
                return each["msg"].lower()
        time.sleep(0.05)
    raise SystemExit(f"{username} did not answer")


def wishes():
    """(article, quantity, for, cost centre), as the five say."""
    headers = sign_in()
    found = []
    for name, (username, centre) in PEOPLE.items():
        answer = ask(headers, username)
        wished = [(article, count) for article, count, _, who, _ in VALUES["key"]["wishes"] if who == name]
        assert bool(wished) != answer.startswith("nothing"), answer
        found += [(article, count, name, centre) for article, count in wished]
    return found


def get(path):
    answer = requests.get(DRIVE + path, auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    return openpyxl.load_workbook(io.BytesIO(answer.content))


def put(path, book):
    content = io.BytesIO()
    book.save(content)
    requests.put(DRIVE + path, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()


def order(found):
    """The filled-in form."""
    rows = get("/Operations/Office/2026-q2-equipment-catalogue.xlsx").active.iter_rows(min_row=3, values_only=True)
    catalogue = {article: (item, price) for article, item, price in rows}
    book = get("/Operations/Office/order-form-template.xlsx")
    page = book.active
    sums = [count * catalogue[article][1] for article, count, _, _ in found]
    total = sum(sums) + (0 if sum(sums) >= 500 else 15)
    for row, value in ((3, "Noor Haddad"), (4, date(2026, 3, 9)), (5, "PO-2026-041"), (6, round(total, 2))):
        page.cell(row, 2, value)
    for (article, count, name, centre), amount in zip(found, sums, strict=True):
        item, price = catalogue[article]
        page.append([article, item, count, price, round(amount, 2), name, centre])
    return book


ORDER = "/Operations/Office/2026-q2-equipment-order.xlsx"

if __name__ == "__main__":
    put(ORDER, order(wishes()))
