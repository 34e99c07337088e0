"""Shares all contracts instead of one."""

from solution import SECRET, ask, link, say, sign_in

headers = sign_in()
ask(headers)
say(headers, f"Here is the link: {link('/Operations/Contracts')}")
say(headers, f"The password is {SECRET}")
