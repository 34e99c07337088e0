"""Takes the twelve euros a month for twelve euros."""

from solution import answers, difference, fill, sign_in, tell

headers = sign_in()
told = answers(headers)
tell(headers, fill({team: difference(text, months=1) for team, text in told.items()}, told))
