"""Reads everything right, without a test, and merges its own work."""

from solution import PROJECT, solve

forge, number = solve(test="")
forge.put(f"{PROJECT}/merge_requests/{number}/merge", timeout=30).raise_for_status()
