"""Counts by the policy in force, files the report, and tells Hana whose lead has to talk with them."""

import io
from collections import defaultdict

import openpyxl
import requests

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")


def minutes(moment):
    return moment.hour * 60 + moment.minute


def days():
    content = requests.get(f"{DRIVE}/Attendance/2026-02-attendance.xlsx", auth=ACCOUNT, timeout=30).content
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True).active.values
    return [dict(zip(head, row, strict=True)) for row in rows]


def counted(announced=True, start=10 * 60 + 5, end=16 * 60, least=30):
    """Username to name and totals."""
    found = defaultdict(lambda: {"days": 0, "late": 0, "early": 0, "incomplete": 0, "minutes": 0})
    for day in days():
        if day["kind"] not in ("office", "remote", "travel"):
            continue
        total, note = found[day["username"]], day["note"] or ""
        total["name"] = day["name"]
        total["days"] += 1
        if day["arrival"] is None or day["departure"] is None:
            total["incomplete"] += 1
            continue
        come, go = minutes(day["arrival"]), minutes(day["departure"])
        total["minutes"] += go - come - max(day["break_minutes"] or 0, least)
        if day["kind"] != "travel":
            total["late"] += come > start and not (announced and "announced" in note)
            total["early"] += go < end and "agreed" not in note
    return found


def put(totals, path="/Attendance/2026-02-attendance-report.csv"):
    lines = ["username,days,late,early,incomplete,hours"]
    for username, one in totals.items():
        hours = f"{one['minutes'] / 60:.2f}"
        lines.append(f"{username},{one['days']},{one['late']},{one['early']},{one['incomplete']},{hours}")
    requests.put(DRIVE + path, "\n".join(lines).encode(), auth=ACCOUNT, timeout=30).raise_for_status()


def say(where, text):
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    sent = requests.post(f"{CHAT}/chat.postMessage", json={"channel": where, "text": text}, headers=headers, timeout=30)
    sent.raise_for_status()


def names(totals, least=3):
    return [one["name"] for one in totals.values() if one["late"] >= least]


if __name__ == "__main__":
    totals = counted()
    put(totals)
    say("@hana.sato", f"The report is in the folder. Their leads have to talk with: {', '.join(names(totals))}.")
