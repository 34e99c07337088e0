"""The lines by name, with other bullets and line ends, people the other way round, and a chatty message."""

import requests
from solution import ACCOUNT, FILE, items, line, tell, write

found = sorted(items(), key=lambda one: one[1], reverse=True)
write([line(*one[:3], one[3][::-1]) for one in found])
text = requests.get(FILE, auth=ACCOUNT, timeout=30).content.decode()
text = text.replace("- [ ]", "* [ ]").replace("\n", "\r\n")
requests.put(FILE, text.encode(), auth=ACCOUNT, timeout=30).raise_for_status()
tell([], "Good morning Mara! The checklist for 16 March is in line with Sprint 7; TREL-17 and TREL-34 are off it.")
tell(
    [], "2 items have no owner: 33 (on-call list for launch week) and 29 (the launch mailbox). Could you find somebody?"
)
