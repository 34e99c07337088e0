"""Takes only what came in until 2 February, as it was first reported."""

from solution import answers, put, table

found = [one for one in answers() if one["at"] < "2026-02-03"]
put(found, table(found))
