"""Makes the link first and tells Mara afterwards; it is open until the summer and has no name."""

from solution import SECRET, link, say, sign_in

headers = sign_in()
say(headers, f"Here is the link for Quillstone: {link(expireDate='2026-07-01', name=None)}")
say(headers, f"The password is {SECRET}")
