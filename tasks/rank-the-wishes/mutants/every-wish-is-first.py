"""Ranks right, and tells both of each wish that it is first, the right one at the end."""

from solution import hear, put, ranking, sign_in, tell

headers = sign_in()
for username in ("priya.nair", "luca.moretti"):
    hear(headers, username)
order = ranking()
put(order)
for wish in reversed(order):
    tell(headers, [wish])
