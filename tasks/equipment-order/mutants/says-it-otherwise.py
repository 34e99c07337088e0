"""Right, in another form: asked in a channel, text for numbers and the day, user names, a line for the delivery."""

import requests
from solution import CHAT, ORDER, PEOPLE, get, put, sign_in

headers = sign_in()
names = " ".join(f"@{username}" for username, _ in PEOPLE.values())
message = {"channel": "#general", "text": f"{names}: what do you wish for in the second quarter? Thanks!"}
requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()
book = get("/Operations/Office/order-form-template.xlsx")
page = book.active
for row, value in ((3, "Noor Haddad, for Operations"), (4, "9 March 2026"), (5, "PO-2026-041"), (6, "1.137,90")):
    page.cell(row, 2, value)
page.append(["KL-2201", "Headset, wireless, quiet", "2", "159,00", "318,00", "aoife.byrne", "600 Customers"])
page.append(["kl-2101", "Keyboard, split", "1", "119,00", "119,00", "Lena Fischer", "700 Engineering"])
page.append(["KL-2006", "Monitor 32 inch", "2", "319,00", "638,00", "Arjun", "700 Engineering"])
page.append(["KL-2111", "Mouse, upright", "1", "48,00", "48,00", "Demir, Yusuf", "500 Product"])
page.append(["KL-3010", "Notebook A5, five", "1", "14,90", "14,90", "Demir, Yusuf", "500 Product"])
page.append(["Delivery", "free from 500 EUR", None, None, 0])
put(ORDER, book)
