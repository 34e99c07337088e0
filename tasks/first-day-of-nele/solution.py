"""Asks Hana for the buddy, then does the four points of the onboarding page."""

import time
from urllib.parse import quote

import requests

CHAT, BOARD = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8091/api/v1/workspaces/larkspur"
DRIVE = "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}
FOLDER = "/Company/New colleagues/Nele Claes"
INVITED = ("jonas.weber", "arjun.mehta", "hana.sato", "noor.haddad")
NEEDS = "Lead: Jonas Weber. Buddy: Arjun Mehta. Please have a laptop, a key and a desk ready."
WELCOME = "# Welcome, Nele\n\nFirst day: 2026-04-01, at 09:00. Your lead is Jonas Weber, your buddy Arjun Mehta.\n"


def sign_in():
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def chat(headers, call, **given):
    answer = requests.post(f"{CHAT}/{call}", json=given, headers=headers, timeout=30)
    answer.raise_for_status()
    return answer.json()


def say(headers, username, text):
    return chat(headers, "chat.postMessage", channel=f"@{username}", text=text)["message"]["rid"]


def ask_hana(headers):
    room = say(headers, "hana.sato", "Good morning Hana, who will be Nele's buddy?")
    for _ in range(200):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": room}, headers=headers, timeout=30).json()[
            "messages"
        ]
        if any(one["u"]["username"] == "hana.sato" and "Arjun" in one["msg"] for one in found):
            return
        time.sleep(0.05)
    raise SystemExit("Hana did not answer")


def channel(headers, kind="groups", members=INVITED, topic="First day: 2026-04-01"):
    room = chat(headers, f"{kind}.create", name="welcome-nele-claes", members=list(members))
    room = room["group" if kind == "groups" else "channel"]
    chat(headers, f"{kind}.setTopic", roomId=room["_id"], topic=topic)


def item(due="2026-03-31", description=NEEDS):
    projects = requests.get(f"{BOARD}/projects/", headers=KEY, timeout=30).json()["results"]
    office = next(project["id"] for project in projects if project["name"] == "Office")
    members = requests.get(f"{BOARD}/members/", headers=KEY, timeout=30).json()
    noor = next(member["id"] for member in members if member["email"] == "noor.haddad@larkspur.test")
    wanted = {
        "name": "First day of Nele Claes",
        "assignees": [noor],
        "target_date": due,
        "description_html": f"<p>{description}</p>",
    }
    requests.post(f"{BOARD}/projects/{office}/issues/", json=wanted, headers=KEY, timeout=30).raise_for_status()


def drive(method, path, content=None):
    answer = requests.request(method, DRIVE + quote(path), data=content, auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    return answer.content


def folder(welcome=WELCOME):
    for path in ("/Company/New colleagues", FOLDER):
        drive("MKCOL", path)
    drive("PUT", f"{FOLDER}/onboarding.md", drive("GET", "/Company/onboarding.md"))
    greet(welcome)


def greet(welcome):
    drive("PUT", f"{FOLDER}/welcome.md", welcome.encode())


def tell(headers):
    for username in ("jonas.weber", "arjun.mehta"):
        say(headers, username, "Nele's first day on 1 April is prepared.")


if __name__ == "__main__":
    headers = sign_in()
    ask_hana(headers)
    channel(headers)
    item()
    folder()
    tell(headers)
