"""Reads every invoice and holds it against its order, in the policy's own order of questions."""

import io
import re
import xml.etree.ElementTree as ET
from urllib.parse import quote, unquote

import openpyxl
import requests
from pypdf import PdfReader

CHAT, DRIVE = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")


def get(path):
    answer = requests.get(DRIVE + quote(path), auth=ACCOUNT, timeout=30)
    answer.raise_for_status()
    return answer.content


def documents():
    """The invoices, oldest first, as (number, day, vendor, order, quantity, net)."""
    listing = requests.request(
        "PROPFIND", f"{DRIVE}/Finance/Invoices/", headers={"Depth": "1"}, auth=ACCOUNT, timeout=30
    )
    names = sorted(unquote(one.text).rsplit("/", 1)[1] for one in ET.fromstring(listing.content).iter("{DAV:}href"))
    for name in names:
        if "-invoice-" in name:
            yield read(name)


def read(name):
    pages = PdfReader(io.BytesIO(get(f"/Finance/Invoices/{name}"))).pages
    text = "\n".join(page.extract_text() for page in pages)
    order = re.search(r"PO-2026-\d{3}", text)
    quantity = re.search(r"Amount\s+\D[^\n]*\n([\d,]+)\n", text)
    return {
        "number": re.search(r"Number: (\S+)", text).group(1),
        "day": re.search(r"Date: (\S+)", text).group(1),
        "vendor": text.splitlines()[0].strip(),
        "order": order.group() if order else None,
        "quantity": amount(quantity.group(1)) if quantity else 1.0,
        "net": amount(re.search(r"Net total\s+([\d,.]+)", text).group(1)),
    }


def amount(text):
    return float(text.replace(",", ""))


def orders():
    content = get("/Finance/Purchase orders/purchase-orders-2026.xlsx")
    head, *rows = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Orders"].values
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows if row[0]}


def reason(invoice, known, used):
    """The first check that fails, in the policy's words; None when it may be paid."""
    if invoice["order"] is None:
        return None if invoice["net"] <= 250 else "no order"
    order = known[invoice["order"]]
    running = order["status"] == "running"
    total = order["unit_price_eur"] if running else order["total_eur"]
    if order["vendor"] != invoice["vendor"]:
        return "wrong vendor"
    if order["status"] == "withdrawn":
        return "withdrawn"
    if f"{order['date']:%Y-%m-%d}" > invoice["day"]:
        return "late order"
    if invoice["quantity"] > (1 if running else order["quantity"]):
        return "quantity"
    if round(total, 2) != invoice["net"] and not order["note"]:
        return "amount"
    if not running and invoice["order"] in used:
        return "duplicate"
    used.add(invoice["order"])
    return None


def waiting():
    known, used = orders(), set()
    found = {invoice["number"]: reason(invoice, known, used) for invoice in documents()}
    return {number: why for number, why in found.items() if why}


def put(found, path="/Finance/2026-03-invoices-that-wait.csv"):
    lines = ["invoice,reason", *(f"{number},{why}" for number, why in found.items())]
    requests.put(DRIVE + quote(path), "\n".join(lines).encode(), auth=ACCOUNT, timeout=30).raise_for_status()


def tell(count):
    login = requests.post(f"{CHAT}/login", json={"user": ACCOUNT[0], "password": ACCOUNT[1]}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    message = {"channel": "@beatriz.ramos", "text": f"{count} invoices must wait; the list is in /Finance."}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


if __name__ == "__main__":
    found = waiting()
    put(found)
    tell(len(found))
