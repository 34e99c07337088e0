"""Keeps the longer name of each pair, which looks more official."""

from solution import pairs, put

put([sorted(pair, key=lambda row: -len(row["company"])) for pair in pairs()])
