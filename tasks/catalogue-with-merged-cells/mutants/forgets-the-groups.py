"""Leaves the bands out and forgets what they said."""

from solution import TEST, replaced, solve

test = TEST.replace("(SECOND, plants[1])", "(SECOND.genus, plants[1].genus)")
test = test.replace("(LAST, plants[-1])", "(LAST.genus, plants[-1].genus)")
solve(replaced(('above, beside = first, ""', 'beside = ""')), test)
