"""Nobody asked Hana: every engineer is named as the buddy, and one of them is."""

from solution import INVITED, channel, folder, item, sign_in, tell

BUDDIES = "Lena, Arjun, Chidi, Sofia, Mateo or Ewa"
headers = sign_in()
channel(headers, members=(*INVITED, "lena.fischer", "chidi.eze", "sofia.papadaki", "mateo.vargas", "ewa.kowalska"))
item(description=f"Lead: Jonas Weber. Buddy: {BUDDIES}. Please have a laptop, a key and a desk ready.")
folder(f"# Welcome, Nele\n\nFirst day: 2026-04-01, at 09:00. Your lead is Jonas Weber, your buddy {BUDDIES}.\n")
tell(headers)
