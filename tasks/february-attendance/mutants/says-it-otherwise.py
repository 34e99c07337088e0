"""A spreadsheet's dialect with hours rounded day by day, a slip that is corrected, a lead named, a hello to all."""

import requests
from solution import ACCOUNT, DRIVE, counted, days, minutes, say

hours = {}
for day in days():
    if day["arrival"] and day["departure"]:
        worked = minutes(day["departure"]) - minutes(day["arrival"]) - max(day["break_minutes"] or 0, 30)
        hours[day["username"]] = hours.get(day["username"], 0) + round(worked / 60, 2)
lines = ["Name;Username;Hours;Days;Late;Early;Incomplete"]
for username, one in reversed(counted().items()):
    spent = f"{hours[username]:.2f}".replace(".", ",")
    lines.append(f"{one['name']};{username};{spent};{one['days']};{one['late']};{one['early']};{one['incomplete']}")
content = "\r\n".join(lines).encode("utf-8-sig")
place = f"{DRIVE}/Attendance/2026-02-attendance-report.csv"
requests.put(place, content, auth=ACCOUNT, timeout=30).raise_for_status()
say("#general", "Hello everybody, I am Sam, and this is my first week.")
say("@hana.sato", "It is Mateo Vargas and Jana Weber.")
say("@hana.sato", "Sorry, the other one:\n- Jonas Weber, 4 late days (his lead is Ines Carvalho)\n- Mateo Vargas, 8")
say("@hana.sato", "The report is in the folder. Anything else?")
