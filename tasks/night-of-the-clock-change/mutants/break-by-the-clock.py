"""Counts the hours that went by, but lets the clock on the wall decide about the break."""

from solution import SHIFT_EDITS, TEST, solve

by_clock = ("if self.length >= LONG", "if self.end - self.start >= LONG")
lines = [line for line in TEST.splitlines(keepends=True) if "06:45" not in line]
solve(shift=(*SHIFT_EDITS, by_clock), test="".join(lines))
