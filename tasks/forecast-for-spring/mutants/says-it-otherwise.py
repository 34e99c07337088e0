"""Right, in another form: asked politely, text for numbers, reasons in other words, a total below, two sums told."""

import io

import openpyxl
import requests
from solution import ACCOUNT, FILE, LEADS, say, sign_in

headers = sign_in()
for username in LEADS.values():
    say(headers, f"@{username}", "Hello, is there an update for Q2? Thank you!")
book = openpyxl.load_workbook(io.BytesIO(requests.get(FILE, auth=ACCOUNT, timeout=30).content))
page = book["Teams"]
new = {
    "Engineering": ("8,450", "Load testing +950, training for Mateo +300"),
    "Operations": ("3768.00", "phone dearer in May and June (+24), fire safety +444"),
    "Customers": ("5600 EUR", "no travel to Annecy (-700), newsletter in print (+300)"),
}
for row in page.iter_rows(min_row=3):
    row[3].value, row[4].value = new.get(row[0].value, (float(row[2].value), "as in the draft"))
page.append(["Total", None, 25200, 26518, None])
content = io.BytesIO()
book.save(content)
requests.put(FILE, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()
say(headers, "@tomas.okafor", "The draft was 25 200,00 EUR; with what has changed since it is **26.518,00 EUR**.")
