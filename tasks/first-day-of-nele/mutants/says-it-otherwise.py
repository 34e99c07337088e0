"""Asks with thanks and without her name, writes dates and hours the English way, and tells both in the channel."""

import time

import requests
from solution import CHAT, FOLDER, channel, chat, drive, item, say, sign_in

headers = sign_in()
room = say(headers, "hana.sato", "Hi Hana, who looks after the new colleague? Thanks!")
for _ in range(200):
    found = requests.get(f"{CHAT}/im.history", params={"roomId": room}, headers=headers, timeout=30).json()["messages"]
    if any("Arjun" in one["msg"] for one in found):
        break
    time.sleep(0.05)
else:
    raise SystemExit("Hana did not say")
channel(headers)
item(description="Nele's lead: Jonas. Her buddy: Arjun.</p><ul><li>Laptop</li><li>Keys</li><li>Desk</li></ul><p>")
for path in ("/Company/New colleagues", FOLDER):
    drive("MKCOL", path)
page = drive("GET", "/Company/onboarding.md").replace(b"\n", b"\r\n")
drive("PUT", f"{FOLDER}/Your first week.md", page)
welcome = "Dear Nele, see you on Wednesday, April 1st, at 9 am!\n\n- Lead: Jonas Weber\n- Buddy: Arjun Mehta\n"
drive("PUT", f"{FOLDER}/welcome.md", welcome.encode())
chat(headers, "chat.postMessage", channel="#welcome-nele-claes", text="Everything is prepared. Did I forget anything?")
