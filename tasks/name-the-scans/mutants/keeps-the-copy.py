"""Gives both delivery notes a name."""

from solution import COPY, NAMES, rename, solve

solve(NAMES)
rename(COPY, "2026-01-27-delivery-note-verdant-couriers-v2.pdf")
