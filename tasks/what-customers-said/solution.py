"""Counts the answers and writes the page."""

import io
from collections import Counter

import docx
import openpyxl
import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav/Product/Survey"
ACCOUNT = ("sam.reed", "sam-reed-first-day")


def answers():
    content = requests.get(f"{DRIVE}/2026-02-survey-answers.xlsx", auth=ACCOUNT, timeout=30).content
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Answers"].values
    return [dict(zip(head, row, strict=True)) for row in rows]


def line(country, some, low=6, high=9):
    given = [one["q3_recommend"] for one in some]
    share = 100 * (sum(one >= high for one in given) - sum(one <= low for one in given)) / len(given)
    mean = sum(one["q2_satisfied"] for one in some) / len(some)
    return [country, len(some), f"{mean:.1f}", round(share)]


def table(found, **bounds):
    countries = [(name, [one for one in found if one["country"] == name]) for name in ("BE", "NL", "DE", "FR")]
    return [line(name, some, **bounds) for name, some in [*countries, ("all", found)]]


def put(found, lines, quote=""):
    wish = Counter(one["q8_first_wish"] for one in found).most_common(1)[0][0]
    page = docx.Document()
    page.add_heading("What customers said in February 2026", 0)
    page.add_paragraph(f"The wish that most people want first: {wish}.")
    page.add_paragraph(f"{len(found)} people answered for {len({one['customer'] for one in found})} customers.")
    if quote:
        page.add_paragraph(f"In their own words: “{quote}”")
    grid = page.add_table(rows=0, cols=4)
    for values in (["country", "answers", "satisfied", "recommend"], *lines):
        for cell, value in zip(grid.add_row().cells, values, strict=True):
            cell.text = str(value)
    content = io.BytesIO()
    page.save(content)
    address = f"{DRIVE}/2026-02-survey-summary.docx"
    requests.put(address, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()


if __name__ == "__main__":
    found = answers()
    put(found, table(found))
