"""Asks everybody, and leaves it open whether it begins at 12:00 or at 13:00."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions} in the Orangery: Friday, 13 March, 12:00 or 13:00, as you like.")
say(headers, "@noor.haddad", "The Orangery, Friday 13 March, 12:00, or else 13:00.")
