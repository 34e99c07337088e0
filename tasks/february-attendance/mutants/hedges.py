"""Writes two numbers of late days into each cell: by the policy, and with those that were announced."""

from solution import counted, names, put, say

totals, others = counted(), counted(announced=False)
said = names(totals)
for username, one in totals.items():
    one["late"] = f"{one['late']} or {others[username]['late']}"
put(totals)
say("@hana.sato", f"Their leads have to talk with: {', '.join(said)}.")
