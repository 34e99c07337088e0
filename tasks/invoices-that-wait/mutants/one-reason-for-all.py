"""Finds the right ones and writes "amount" beside each."""

from solution import put, tell, waiting

found = dict.fromkeys(waiting(), "amount")
put(found)
tell(len(found))
