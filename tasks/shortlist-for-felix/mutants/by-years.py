"""Ranks by experience and forgets the points."""

from solution import put, sign_in, tell

people = [("Thomas Aerts", 5), ("Lotte Vandenbroeck", 4), ("Nadia Rahimi", 5), ("Amira Benali", 2), ("Sanne Bakker", 2)]
put(people)
tell(sign_in(), people)
