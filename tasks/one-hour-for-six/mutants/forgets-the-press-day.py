"""Asks everybody, and takes an hour on Thursday because it looked empty."""

from solution import SIX, announce, ask, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
announce(headers, "Thursday", 11)
