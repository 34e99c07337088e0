"""Counts the hours that went by, and takes the first of two equal times in both directions."""

from solution import TEST, solve

lines = [line for line in TEST.splitlines(keepends=True) if "02:30" not in line and "02:15" not in line]
solve(reading=(), test="".join(lines))
