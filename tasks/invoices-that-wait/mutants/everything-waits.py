"""Holds back every document, and tells Beatriz every number there is."""

from solution import documents, put, tell, waiting

found = waiting()
put({one["number"]: found.get(one["number"], "amount") for one in documents()})
tell(" or ".join(str(number) for number in range(25)))
