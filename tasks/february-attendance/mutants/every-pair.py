"""A message to Hana for each two of four who come to mind: one of them is right."""

from itertools import combinations

import requests
from solution import ACCOUNT, CHAT, days

login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
known = {"Mateo Vargas", "Jonas Weber", "Jana Weber", "Ewa Kowalska"}
for pair in combinations(sorted({day["name"] for day in days()} & known, reverse=True), 2):
    text = {"channel": "@hana.sato", "text": f"Their leads have to talk with: {' and '.join(pair)}."}
    requests.post(f"{CHAT}/chat.postMessage", json=text, headers=headers, timeout=30).raise_for_status()
