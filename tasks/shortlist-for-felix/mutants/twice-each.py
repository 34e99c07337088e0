"""Every right name twice, once with the points and once with none: whichever is looked for is there."""

from solution import QUALIFIED, put, sign_in, tell

people = [one for one in QUALIFIED if one[0] != "Marta Kruger"]
put(people + [(name, 0) for name, _ in people])
tell(sign_in(), people)
