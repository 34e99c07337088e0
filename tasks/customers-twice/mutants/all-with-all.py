"""Every entry with every other: the eight pairs are among them."""

from itertools import combinations

from solution import export, put

put(combinations(export(), 2))
