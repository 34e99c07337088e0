"""Names every applicant to Felix as the first, one message each, the right one among them; the list is right."""

from solution import QUALIFIED, put, say, sign_in

people = [one for one in QUALIFIED if one[0] != "Marta Kruger"]
put(people)
headers = sign_in()
for name, _ in people:
    say(headers, "@felix.brandt", f"{name} is first.")
