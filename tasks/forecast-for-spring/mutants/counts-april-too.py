"""Takes the telephone to be dearer in all three months, although April is still the old contract."""

from solution import answers, difference, fill, sign_in, tell

headers = sign_in()
told = answers(headers)
tell(headers, fill({team: difference(text, months=3) for team, text in told.items()}, told))
