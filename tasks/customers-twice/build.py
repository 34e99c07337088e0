"""The export with this variant's second entries and numbers, over the world's own."""

import csv

EXPORT = "drive/files/Customers/2026-03-06-crm-export.csv"


def build(values, made, world):
    with (world / EXPORT).open(encoding="utf-8", newline="") as file:
        there = list(csv.DictReader(file))
    entries = {int(row["id"][1:]): row for row in there}
    for pair in values["pairs"]:
        first = entries[pair["first"]]
        if (first["company"], first["email"]) != (pair["company"], pair["email"]):
            raise ValueError(f"{EXPORT} has another company as {first['id']}: {first['company']}")
        email = first["email"].upper() if pair["capitals"] else first["email"]
        entries[pair["second"]] = {**first, "company": pair["also"], "email": email}
    rows = [{**entries[old], "id": f"S{new:04}"} for new, old in enumerate(values["order"], start=1)]
    if rows == there:
        return
    (made / "world" / EXPORT).parent.mkdir(parents=True)
    with (made / "world" / EXPORT).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, there[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
