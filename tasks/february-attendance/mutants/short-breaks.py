"""Takes breaks as they are written, also those of ten minutes."""

from solution import counted, names, put, say

totals = counted(least=0)
put(totals)
say("@hana.sato", f"Their leads have to talk with: {', '.join(names(totals))}.")
