"""Finds the hour and leaves out the room, Noor and who is meant."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
say(headers, "#launch", "We meet on Friday, 13 March, 12:00 to 13:00.")
