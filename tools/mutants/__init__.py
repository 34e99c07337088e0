"""The mutation run: small faults put into `src/` one at a time, each tried against the tests that reach it.

What it is for and how to read it: docs/testing.md. Its parts: `operators` makes mutants, `coverage_map` knows which
tests reach a line, `nursery` tries a mutant in a fork, `run` drives them, `report` tells.
"""
