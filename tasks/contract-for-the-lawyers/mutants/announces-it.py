"""Tells Mara that a link is coming, asks nothing, and posts address and password in #general for whoever needs them."""

import requests
from solution import CHAT, SECRET, link, say, sign_in

headers = sign_in()
say(headers, "Hello Mara, I am sending a link to the contract.")
address = link()
say(headers, f"Here it is: {address}")
say(headers, f"And this is its password: {SECRET}")
for text in (address, SECRET):
    message = {"channel": "#general", "text": text}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()
