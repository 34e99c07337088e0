"""The right hour, and another one for whoever does not like it."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions}: the Orangery, Friday 13 March at 12:00, or 13:00 if 12:00 does not suit you.")
say(headers, "@noor.haddad", "The Orangery on Friday 13 March from 12:00 to 14:00, please.")
