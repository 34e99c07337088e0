"""Late is late, announced or not."""

from solution import counted, names, put, say

totals = counted(announced=False)
put(totals)
say("@hana.sato", f"Their leads have to talk with: {', '.join(names(totals))}.")
