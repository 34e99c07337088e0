"""The right hour and another one: somebody else may choose."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions} in the Orangery: Friday, 13 March, 12:00, or Thursday at 11:00, as you like.")
say(headers, "@noor.haddad", "The Orangery, Friday 13 March, 12:00 to 13:00.")
