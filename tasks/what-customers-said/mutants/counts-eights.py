"""Everybody who gives an 8 recommends us, too."""

from solution import answers, put, table

found = answers()
put(found, table(found, high=8))
