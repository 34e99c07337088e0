"""Right, in another form: surnames first, ranks as text, a title and another sheet, the runner-up named first."""

import io

import openpyxl
import requests
from solution import ACCOUNT, DRIVE, QUALIFIED, say, sign_in

book = openpyxl.Workbook()
book.active.append(["Support engineer, March 2026"])
page = book.create_sheet("Short list")
page.append(["Short list"])
page.append(["Rank", "Name", "Points", "Years"])
people = [one for one in QUALIFIED if one[0] != "Marta Kruger"]
for rank, (name, points) in enumerate(people, start=1):
    first, last = name.split()
    page.append([f"{rank}.", f"{last}, {first}", str(points), None])
content = io.BytesIO()
book.save(content)
path = "/Hiring/Support%20engineer/2026-03-shortlist.xlsx"
requests.put(DRIVE + path, content.getvalue(), auth=ACCOUNT, timeout=30).raise_for_status()
headers = sign_in()
say(headers, "@felix.brandt", "Hi Felix, did any of the candidates drop out? I left Marta Kruger out, as you said.")
say(
    headers,
    "@felix.brandt",
    "The list is there. Nadia Rahimi has as many points, but with more years behind him Thomas Aerts comes out on top.",
)
