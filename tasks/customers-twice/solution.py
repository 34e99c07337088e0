"""Entries with e-mail addresses at one domain are one company; the customer list says which name is right."""

import csv
import io
from collections import defaultdict

import openpyxl
import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav/Customers"
ACCOUNT = ("sam.reed", "sam-reed-first-day")


def get(name):
    answer = requests.get(f"{DRIVE}/{name}", auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    return answer.content


def export():
    return list(csv.DictReader(io.StringIO(get("2026-03-06-crm-export.csv").decode("utf-8"))))


def listed():
    book = openpyxl.load_workbook(io.BytesIO(get("customer-list.xlsx")), data_only=True)
    head, *rows = book["Customers"].values
    return {row[head.index("name")] for row in rows}


def pairs():
    """(keep, remove), as rows of the export."""
    same = defaultdict(list)
    for row in export():
        same[row["email"].lower().rpartition("@")[2]].append(row)
    known = listed()
    for group in same.values():
        if len(group) == 2:
            yield sorted(group, key=lambda row: row["company"] not in known)


def put(found, name="2026-03-duplicates.csv"):
    lines = ["keep,remove", *(f"{keep['id']},{remove['id']}" for keep, remove in found)]
    requests.put(f"{DRIVE}/{name}", "\n".join(lines).encode(), auth=ACCOUNT, timeout=30).raise_for_status()


if __name__ == "__main__":
    put(list(pairs()))
