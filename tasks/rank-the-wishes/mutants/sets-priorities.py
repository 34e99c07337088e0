"""Writes the ranking into the board as well, as priorities."""

import requests
from solution import BOARD, KEY, board, hear, put, ranking, sign_in, tell

headers = sign_in()
for username in ("priya.nair", "luca.moretti"):
    hear(headers, username)
order = ranking()
put(order)
tell(headers, order)
place = next(one["id"] for one in board("projects/") if one["name"] == "Customer care")
for item in board(f"projects/{place}/issues/?per_page=100"):
    if item["name"] in order[:3]:
        address = f"{BOARD}/projects/{place}/issues/{item['id']}/"
        requests.patch(address, json={"priority": "urgent"}, headers=KEY, timeout=30).raise_for_status()
