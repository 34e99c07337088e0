"""A sum is a sum, whatever was agreed in writing."""

from solution import documents, orders, put, reason, tell

known, used = orders(), set()
for order in known.values():
    order["note"] = None
found = {one["number"]: why for one in documents() if (why := reason(one, known, used))}
put(found)
tell(len(found))
