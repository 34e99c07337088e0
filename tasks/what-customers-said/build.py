"""The survey's answers with this variant's opinions, over the world's own, as a workbook and as CSV."""

import csv

import openpyxl

BOOK = "drive/files/Product/Survey/2026-02-survey-answers.xlsx"
TEXT = "drive/files/Product/Survey/2026-02-survey-answers.csv"
# What people said, from the second question on; before it is who answered, and when.
SAID = 5


def build(values, made, world):
    sources = values["sources"]
    if sources == list(range(len(sources))):
        return
    (made / "world" / BOOK).parent.mkdir(parents=True)
    book = openpyxl.load_workbook(world / BOOK)
    page = book["Answers"]
    said = [list(row)[SAID:] for row in page.iter_rows(min_row=2, values_only=True)]
    for at, row in zip(sources, page.iter_rows(min_row=2), strict=True):
        for cell, value in zip(row[SAID:], said[at], strict=True):
            cell.value = value
    book.save(made / "world" / BOOK)
    with (world / TEXT).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    with (made / "world" / TEXT).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([*row[:SAID], *rows[at][SAID:]] for at, row in zip(sources, rows, strict=True))
