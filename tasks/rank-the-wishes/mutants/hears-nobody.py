"""Applies the rule and talks to nobody."""

from solution import put, ranking

put(ranking())
