"""Adds what falls away."""

from solution import answers, fill, sign_in, tell

headers = sign_in()
told = answers(headers)
tell(headers, fill({"Engineering": 1250, "Operations": 468, "Customers": 1000}, told))
