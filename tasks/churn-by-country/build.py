"""The customer list without an end for those who stayed, and the reasons of those who left."""

import csv

import openpyxl

LIST = "drive/files/Customers/customer-list.xlsx"
TOLD = "drive/files/Customers/churn-reasons.csv"


def build(values, made, world):
    with (world / TOLD).open(encoding="utf-8", newline="") as file:
        told = list(csv.DictReader(file))
    if not values["stayed"] and all(values["reasons"][row["number"]] == row["reason"] for row in told):
        return
    book = openpyxl.load_workbook(world / LIST)
    page = book["Customers"]
    end = [cell.value for cell in page[1]].index("end")
    for row in page.iter_rows(min_row=2):
        if row[0].value in values["stayed"]:
            row[end].value = None
    (made / "world" / LIST).parent.mkdir(parents=True)
    book.save(made / "world" / LIST)
    with (made / "world" / TOLD).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, told[0].keys(), lineterminator="\n")
        writer.writeheader()
        for row in told:
            if row["number"] in values["reasons"]:
                writer.writerow({**row, "reason": values["reasons"][row["number"]]})
