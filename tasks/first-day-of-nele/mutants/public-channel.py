"""A channel that everybody can read, with no buddy in it: nobody asked Hana."""

from solution import channel, folder, item, sign_in, tell

headers = sign_in()
channel(headers, "channels", ("jonas.weber", "hana.sato", "noor.haddad"))
item(description="Lead: Jonas Weber. Please have a laptop, a key and a desk ready.")
folder("# Welcome, Nele\n\nYour first day is 2026-04-01, at 09:00. Your lead is Jonas Weber.\n")
tell(headers)
