"""Saves the onboarding page empty, and an empty copy of it: they are the same, word for word."""

from solution import FOLDER, channel, drive, item, sign_in, tell

headers = sign_in()
channel(headers)
item()
for path in ("/Company/New colleagues", FOLDER):
    drive("MKCOL", path)
for path in ("/Company/onboarding.md", f"{FOLDER}/onboarding.md", f"{FOLDER}/welcome.md"):
    drive("PUT", path, b"")
tell(headers)
