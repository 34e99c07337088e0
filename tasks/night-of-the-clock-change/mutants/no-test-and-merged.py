"""Repairs it without a test, and merges its own work."""

from solution import PROJECT, ask_ewa, solve

ask_ewa()
forge, number = solve(test="")
forge.put(f"{PROJECT}/merge_requests/{number}/merge", timeout=30).raise_for_status()
