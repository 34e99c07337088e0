"""Takes the percentage of those who are still there."""

from solution import customers, put, table

put(table(customers(), of=lambda active, left: len(active)))
