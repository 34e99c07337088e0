"""Leaves the bands out and forgets what they said."""

from solution import TEST, replaced, solve

test = TEST.replace(', "Stauden")', ")").replace('("Salvia", "Kräuter")', '("Salvia", "")')
solve(replaced(('group, genus = first, ""', 'genus = ""')), test)
