"""Hears both, applies the handbook's rule to what board and customer list say, files and tells the result."""

import io
import re
import time

import openpyxl
import requests

CHAT, BOARD = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8091/api/v1/workspaces/larkspur"
DRIVE = "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def say(headers, username, text):
    message = {"channel": f"@{username}", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30)
    sent.raise_for_status()
    return sent.json()["message"]


def hear(headers, username):
    sent = say(headers, username, "Good morning! Which of the customers' wishes should come first, and why?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        if any(one["u"]["username"] == username and one["ts"] > sent["ts"] for one in found["messages"]):
            return
        time.sleep(0.05)
    raise SystemExit(f"{username} did not answer")


def board(path):
    answer = requests.get(f"{BOARD}/{path}", headers=KEY, timeout=30)
    answer.raise_for_status()
    return answer.json()["results"]


def sites():
    """Customer to number of sites."""
    content = requests.get(f"{DRIVE}/Customers/customer-list.xlsx", auth=ACCOUNT, timeout=30).content
    rows = list(openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Customers"].values)
    name, number = rows[0].index("name"), rows[0].index("sites")
    return {row[name]: row[number] for row in rows[1:]}


def wishes():
    """Name, customers who asked, and the day, of every item with the label request."""
    place = next(one["id"] for one in board("projects/") if one["name"] == "Customer care")
    label = next(one["id"] for one in board(f"projects/{place}/labels/") if one["name"] == "request")
    for item in board(f"projects/{place}/issues/?per_page=100"):
        if label in item["labels"]:
            text = re.sub(r"<[^>]+>", " ", item["description_html"]).replace("&amp;", "&")
            asked = re.search(r"Asked for by: ([^.]*)\.", text).group(1)
            yield item["name"], [one.strip() for one in asked.split(",")], item["created_at"]


def ranking():
    known = sites()

    def by_rule(wish):
        _, asked, since = wish
        return -len(asked), -sum(known[one] for one in asked), since

    return [name for name, _, _ in sorted(wishes(), key=by_rule)]


def put(order, name="/Product/2026-03-request-ranking.csv"):
    lines = [f'{rank},"{wish}"' for rank, wish in enumerate(order, start=1)]
    content = "\n".join(["rank,request", *lines]) + "\n"
    requests.put(DRIVE + name, content.encode(), auth=ACCOUNT, timeout=30).raise_for_status()


def tell(headers, order):
    for username in ("priya.nair", "luca.moretti"):
        say(headers, username, f'By the rule in the handbook, "{order[0]}" is first.')


if __name__ == "__main__":
    headers = sign_in()
    for username in ("priya.nair", "luca.moretti"):
        hear(headers, username)
    order = ranking()
    put(order)
    tell(headers, order)
