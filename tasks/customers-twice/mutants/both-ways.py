"""The right pairs, each also the other way round: one of the two is right."""

from solution import pairs, put

found = list(pairs())
put([*found, *((remove, keep) for keep, remove in found)])
