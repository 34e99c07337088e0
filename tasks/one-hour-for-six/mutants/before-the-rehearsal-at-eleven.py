"""Another hour before the rehearsal than the one that suits all six."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions}: Friday 13 March at 11:00 in the Orangery. At 12:00 it is taken.")
say(headers, "@noor.haddad", "The Orangery, Friday 13 March, 11:00, before the rehearsal at 13:00.")
