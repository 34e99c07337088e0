"""Reports to Hana, and puts a copy where everybody can read it."""

from solution import counted, names, put, say

totals = counted()
put(totals)
put(totals, "/Company/2026-02-attendance-report.csv")
say("@hana.sato", f"Their leads have to talk with: {', '.join(names(totals))}.")
