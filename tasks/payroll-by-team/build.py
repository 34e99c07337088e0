"""The list of salaries with what everybody earns in this variant, over the world's own."""

import openpyxl

LIST = "drive/files/People/salaries-2026.xlsx"


def build(values, made, world):
    if not values["changed"]:
        return
    book = openpyxl.load_workbook(world / LIST)
    for row in book.active.iter_rows(min_row=3):
        row[5].value = values["earns"][row[0].value]
    target = made / "world" / LIST
    target.parent.mkdir(parents=True)
    book.save(target)
