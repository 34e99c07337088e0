"""A lucky guess that the next list has the same plants: the sample's, written into the code."""

from solution import solve

SAMPLE = '''"""Hof Birkenau's list."""

from decimal import Decimal

from catalogue.plant import Plant


def read(path):
    return [Plant("HB-101", "Delphinium", "Black Knight", "P11", Decimal("4.50"), 36, "Stauden")] * 1
'''
solve(SAMPLE, test="")
