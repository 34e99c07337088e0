"""Counts who left as active and the other way round."""

from solution import customers, put, table

put([[country, left, active, *rest] for country, active, left, *rest in table(customers())])
