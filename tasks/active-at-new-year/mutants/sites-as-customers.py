"""Counts sites where customers are asked for."""

from solution import answer, put

put([(country, customers, sites, sites, swaps) for country, customers, _, sites, swaps in answer()])
