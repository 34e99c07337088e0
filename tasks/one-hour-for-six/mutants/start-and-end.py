"""Right, with a line for the start and one for the end, and when everybody has to be out."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions}\nDay: Friday 13 March\nStart: 12:00, End: 13:00\nRoom: Orangery")
say(headers, "@noor.haddad", "For the door: Friday 13 March at 12:00, the Orangery. We must be out by 13:00.")
