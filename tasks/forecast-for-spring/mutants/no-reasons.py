"""The right numbers, and nobody knows why."""

from solution import answers, difference, fill, sign_in, tell

headers = sign_in()
told = answers(headers)
tell(headers, fill({team: difference(text) for team, text in told.items()}, {}))
