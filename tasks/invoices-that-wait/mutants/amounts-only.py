"""Compares the sums with the whole order and asks nothing else."""

from solution import documents, orders, put, tell

known = orders()
found = {
    one["number"]: "amount"
    for one in documents()
    if one["order"] and round(known[one["order"]]["total_eur"], 2) != one["net"]
}
put(found)
tell(len(found))
