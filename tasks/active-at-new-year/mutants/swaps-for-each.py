"""A swap has two people, so it counts twice."""

from solution import answer, put

put([(*rest, 2 * swaps) for *rest, swaps in answer()])
