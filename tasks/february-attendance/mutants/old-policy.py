"""Finds the policy of 2024 in the archive and believes it."""

from solution import counted, names, put, say

totals = counted(announced=False, start=9 * 60 + 40, end=16 * 60 + 30, least=45)
put(totals)
say("@hana.sato", f"Their leads have to talk with: {', '.join(names(totals, 4))}.")
