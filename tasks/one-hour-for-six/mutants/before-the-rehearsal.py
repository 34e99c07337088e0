"""Right, and says what comes after it, when it ends, and which days were impossible."""

from solution import SIX, ask, say, sign_in

headers = sign_in()
for username in SIX:
    ask(headers, username)
mentions = " ".join(f"@{one}" for one in SIX)
say(
    headers,
    "#launch",
    f"{mentions}: Friday 13 March, 12:00–13:00, in the Orangery, right before the launch rehearsal (13:00–15:00). "
    "Thursday was not possible, Ines is in Hamburg; Wednesday at 12:00 did not work for Mara.",
)
say(headers, "@noor.haddad", "The Orangery on Friday 13 March, starting at 12:00 and finishing by 13:00, please.")
