"""A first try without a password stays open beside the right one."""

from solution import SECRET, ask, link, say, sign_in

headers = sign_in()
ask(headers)
link(password=None, expireDate=None, name=None)
say(headers, f"Here is the link for Quillstone: {link()}")
say(headers, f"And this is its password: {SECRET}")
