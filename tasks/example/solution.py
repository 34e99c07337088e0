"""Does the example the way an examinee could: with Sam's account, over the services' own wires."""

import csv
import io
from collections import defaultdict
from decimal import Decimal

import requests

HOST = "larkspur.test"
USERNAME, PASSWORD = "sam.reed", "sam-reed-first-day"
DRIVE = f"http://{HOST}:8092/remote.php/webdav"
CHAT = f"http://{HOST}:3000/api/v1"


def rows(path):
    response = requests.get(f"{DRIVE}/{path}", auth=(USERNAME, PASSWORD), timeout=30)
    response.raise_for_status()
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8"))))


def over_budget():
    """Each vendor over its budget, and by how much."""
    spent = defaultdict(Decimal)
    for invoice in rows("Finance/vendor-invoices-q1.csv"):
        if invoice["status"] != "cancelled":
            spent[invoice["vendor"]] += Decimal(invoice["amount_eur"])
    budgets = {row["vendor"]: Decimal(row["q1_budget_eur"]) for row in rows("Finance/vendor-budgets-2026.csv")}
    return {vendor: spent[vendor] - budget for vendor, budget in budgets.items() if spent[vendor] > budget}


def write_report(vendors):
    lines = ["# Vendors over their Q1 budget", ""]
    lines += [f"- {vendor}: EUR {amount} over" for vendor, amount in vendors.items()]
    response = requests.put(
        f"{DRIVE}/Operations/over-budget.md",
        data=("\n".join(lines) + "\n").encode(),
        auth=(USERNAME, PASSWORD),
        timeout=30,
    )
    response.raise_for_status()


def say(channel, text):
    login = requests.post(f"{CHAT}/login", json={"user": USERNAME, "password": PASSWORD}, timeout=30)
    login.raise_for_status()
    account = login.json()["data"]
    headers = {"X-Auth-Token": account["authToken"], "X-User-Id": account["userId"]}
    message = {"channel": channel, "text": text}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


def announce(vendors):
    """Who is over."""
    say("#launch", f"Over their Q1 budget: {', '.join(vendors)}.")


def tell():
    """Where the report is."""
    say("@tomas.okafor", "The vendor report is on the drive: /Operations/over-budget.md")


def solve():
    vendors = over_budget()
    write_report(vendors)
    announce(vendors)
    tell()


if __name__ == "__main__":
    solve()
