"""Writes two numbers of customers into each cell: the right one, and another to be safe."""

from solution import customers, put, table

put(
    [
        [country, f"{active} or {active + 1}", f"{left} or {left - 1}", *rest]
        for country, active, left, *rest in table(customers())
    ]
)
