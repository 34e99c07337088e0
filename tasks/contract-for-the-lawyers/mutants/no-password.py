"""A link that anybody can open."""

from solution import ask, link, say, sign_in

headers = sign_in()
ask(headers)
say(headers, f"Here is the link: {link(password=None)}")
