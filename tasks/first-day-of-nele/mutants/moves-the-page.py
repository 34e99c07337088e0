"""Moves the onboarding page into the folder instead of copying it."""

import requests
from solution import ACCOUNT, DRIVE, FOLDER, channel, folder, item, quote, sign_in, tell

headers = sign_in()
channel(headers)
item()
folder()
destination = {"Destination": DRIVE + quote(f"{FOLDER}/onboarding.md"), "Overwrite": "T"}
requests.request(
    "MOVE", f"{DRIVE}/Company/onboarding.md", headers=destination, auth=ACCOUNT, timeout=30
).raise_for_status()
tell(headers)
