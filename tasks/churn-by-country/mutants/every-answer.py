"""Two readings, one below the other, the right one last."""

from solution import customers, put, table

last_year = [one for one in customers() if not one["end"] or one["end"].year == 2025]
put([*table(last_year), *table(customers())])
