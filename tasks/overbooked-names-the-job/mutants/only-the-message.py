"""Writes the name into the message; programs get nothing, and there is no test."""

from solution import NEW_ERROR, solve

solve(error=NEW_ERROR.replace("        self.job = job\n", ""), tests=False)
