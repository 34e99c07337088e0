"""Tells Hana the names and forgets the report."""

from solution import counted, names, say

say("@hana.sato", f"Their leads have to talk with: {', '.join(names(counted()))}.")
