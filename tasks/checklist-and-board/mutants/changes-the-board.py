"""Takes the two items that nobody has."""

import requests
from solution import BOARD, KEY, board, items, line, tell, write

place = next(one["id"] for one in board("projects/") if one["name"] == "Trellis")
me = next(one["id"] for one in board("members/") if one["email"] == "sam.reed@larkspur.test")
for item in board(f"projects/{place}/issues/?per_page=100"):
    if item["sequence_id"] in (29, 33):
        address = f"{BOARD}/projects/{place}/issues/{item['id']}/"
        requests.patch(address, json={"assignees": [me]}, headers=KEY, timeout=30).raise_for_status()
write([line(*one) for one in sorted(items())])
tell([29, 33])
