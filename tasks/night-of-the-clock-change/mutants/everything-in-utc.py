"""Reads the clock-ins as if every site were in Greenwich: no clock ever changes, and no night is right."""

from solution import solve

solve(shift=(), reading=(("ZoneInfo(zone)", 'ZoneInfo("UTC")'),), test="")
