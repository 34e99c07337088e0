"""Writes all three answers beside every team: the reason is in there somewhere."""

from solution import answers, difference, fill, sign_in, tell

headers = sign_in()
told = answers(headers)
everything = " ".join(told.values())
tell(headers, fill({team: difference(text) for team, text in told.items()}, dict.fromkeys(told, everything)))
