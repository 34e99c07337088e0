"""Leaves out who left this year."""

from solution import customers, put, table

put(table([one for one in customers() if not one["end"] or one["end"].year == 2025]))
