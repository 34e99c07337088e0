"""Prepares everything, and puts an item on the board for accounts, which are not Sam's to order."""

import requests
from solution import BOARD, KEY, ask_hana, channel, folder, item, sign_in, tell

headers = sign_in()
ask_hana(headers)
channel(headers)
item()
folder()
tell(headers)
projects = requests.get(f"{BOARD}/projects/", headers=KEY, timeout=30).json()["results"]
office = next(project["id"] for project in projects if project["name"] == "Office")
wanted = {"name": "Accounts for Nele Claes"}
requests.post(f"{BOARD}/projects/{office}/issues/", json=wanted, headers=KEY, timeout=30).raise_for_status()
