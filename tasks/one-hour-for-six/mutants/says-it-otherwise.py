"""Asks with thanks, in a group and in the channel; announces with noon, a weekday more, and a correction."""

import time

import requests
from solution import CHAT, SIX, say, sign_in


def answers(headers, room, username, call="im.history"):
    for _ in range(200):
        found = requests.get(f"{CHAT}/{call}", params={"roomId": room}, headers=headers, timeout=30).json()["messages"]
        if any(one["u"]["username"] == username and "day" in one["msg"] for one in found):
            return
        time.sleep(0.05)
    raise SystemExit(f"{username} did not say when")


headers = sign_in()
ines, mara, priya, jonas, *others = SIX
for username in (ines, mara):
    answers(
        headers, say(headers, f"@{username}", "When can't you from Tuesday to Friday? Thanks a lot!")["rid"], username
    )
created = requests.post(f"{CHAT}/im.create", json={"usernames": f"{priya},{jonas}"}, headers=headers, timeout=30).json()
say(headers, created["room"]["_id"], "Please tell me when you cannot meet between 10:00 and 16:00. Thank you both.")
say(headers, "#launch", f"@{others[0]}, Tomas: at which hours can you not, Tuesday to Friday from 10:00 to 16:00?")
mentions = ", ".join(f"@{one}" for one in SIX)
say(headers, "#launch", f"{mentions}: in the Orangery on Friday 13 March at 11:00.")
say(
    headers,
    "#launch",
    f"Sorry, a slip. Right before the rehearsal at 13:00, and before we launch on Monday 16 March:\n{mentions}\n"
    "* Day: Fri 13.03.2026\n* Time: 12 noon – 1 pm\n* Room: Orangery",
)
say(headers, "#launch", "See you on Friday!")
say(headers, "@noor.haddad", "Hi Noor, please put us on the Orangery's door: 2026-03-13, 12-13h. Thank you!")
