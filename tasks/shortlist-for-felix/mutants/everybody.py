"""Nobody is to be disappointed: two more who fail on a language are on it, and nobody has points."""

from solution import put, sign_in, tell

people = [("Thomas Aerts", 5), ("Nadia Rahimi", 0), ("Lotte Vandenbroeck", 0), ("Marta Kruger", 0), ("Amira Benali", 0)]
people += [("Sanne Bakker", 0), ("Somebody Else", 0)]
put(people)
tell(sign_in(), people)
