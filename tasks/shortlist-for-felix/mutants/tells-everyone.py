"""Announces who comes next in #general."""

from solution import QUALIFIED, put, say, sign_in, tell

headers = sign_in()
people = [one for one in QUALIFIED if one[0] != "Marta Kruger"]
put(people)
tell(headers, people)
say(headers, "#general", "Good news: Thomas Aerts may soon be with us in support!")
