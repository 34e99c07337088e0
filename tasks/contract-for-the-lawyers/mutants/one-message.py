"""Address and password travel together."""

from solution import SECRET, ask, link, say, sign_in

headers = sign_in()
ask(headers)
say(headers, f"{link()} with the password {SECRET}")
