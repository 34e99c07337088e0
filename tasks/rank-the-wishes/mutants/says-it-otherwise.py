"""Semicolons, another order of lines and columns, a question to Luca in #product, and results in a few sentences."""

import requests
from solution import ACCOUNT, CHAT, DRIVE, hear, ranking, say, sign_in

headers = sign_in()
say(headers, "priya.nair", "Hello Priya, do you have a minute?")
hear(headers, "priya.nair")
given = {"channel": "#product", "text": "@luca.moretti Which wish would you take first?"}
requests.post(f"{CHAT}/chat.postMessage", json=given, headers=headers, timeout=30).raise_for_status()
order = ranking()
lines = [f"{wish.replace(chr(39), '’')};{rank};by the rule" for rank, wish in enumerate(order, start=1)]
content = "\ufeff" + "\r\n".join(["Request;Rank;why", *reversed(lines)])
address = f"{DRIVE}/Product/2026-03-request-ranking.csv"
requests.put(address, content.encode(), auth=ACCOUNT, timeout=30).raise_for_status()
listed = f"1. {order[0]}\n2. {order[1]}\n3. {order[2]}"
say(headers, "priya.nair", "Luca says that See who changed a shift comes first. I look into the rule.")
say(headers, "priya.nair", f"Done.\n{listed}\nSee who changed a shift comes fifth. Is that all right?")
won = f"by the rule the winner is **{order[0]}**, sorry!"
say(headers, "luca.moretti", f"Luca, you wanted See who changed a shift, but {won}")
