"""Reads workbooks with merged cells with the standard library, tests it on the sample, and asks Lena for a review."""

import base64
import io
import re
from decimal import Decimal

import openpyxl
import requests

FORGE, DRIVE = "http://larkspur.test:8929", "http://larkspur.test:8092/remote.php/webdav"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Fcatalogue-import"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
SAMPLE = "/Customers/Catalogues/2026-03-catalogue-hof-birkenau.xlsx"
READING = "catalogue/reading.py"
TITLE = "Read workbooks with merged cells"

READER = '''"""Workbooks made for paper: a band for each group, the genus once over its varieties."""

import re
import zipfile
from xml.etree import ElementTree

from catalogue.plant import BadCatalogue, Plant, price, stock

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
BAND, MERGED = "group", "genus"
HEADINGS = {
    "gattung": "genus",
    "gruppe": "group",
    "artikel": "article",
    "sorte": "variety",
    "topf": "pot",
    "preis": "price",
    "bestand": "stock",
}


def joined(node):
    return "".join(text.text or "" for text in node.iter(f"{MAIN}t"))


def cells(path):
    """The texts of the first sheet by (row, column), and its merged areas."""
    try:
        with zipfile.ZipFile(path) as archive:
            sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
            shared = []
            if "xl/sharedStrings.xml" in archive.namelist():
                table = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
                shared = [joined(one) for one in table.iter(f"{MAIN}si")]
        found = {}
        for cell in sheet.iter(f"{MAIN}c"):
            column, row = re.fullmatch(r"([A-Z]+)([0-9]+)", cell.get("r")).groups()
            value = cell.findtext(f"{MAIN}v", "")
            if cell.get("t") == "s":
                value = shared[int(value)]
            elif cell.get("t") == "inlineStr":
                value = joined(cell)
            found[int(row), column] = value.strip()
        areas = [one.get("ref") for one in sheet.iter(f"{MAIN}mergeCell")]
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, AttributeError, ElementTree.ParseError) as error:
        raise BadCatalogue(f"{path.name}: this is not a workbook ({error})") from error
    return found, areas


def read(path):
    found, areas = cells(path)
    columns, heading = {}, 0
    for (row, column), text in found.items():
        if text.lower() in HEADINGS:
            columns[HEADINGS[text.lower()]] = column
            heading = max(heading, row)
    missing = [name for name in HEADINGS.values() if name not in columns and name != BAND]
    if missing:
        raise BadCatalogue(f"{path.name}: there is no column for {', '.join(missing)}")
    bands = {int(row) for area in areas for row in re.findall(r"^[A-Z]+([0-9]+):[A-Z]+\\1$", area)}
    plants, above, beside = [], "", ""
    for row in range(heading + 1, max(row for row, _ in found) + 1):
        first = found.get((row, columns[MERGED]), "")
        if row in bands:
            above, beside = first, ""
            continue
        cell = {name: found.get((row, column), "") for name, column in columns.items()}
        if not any(cell.values()):
            continue
        beside = first or beside
        cell |= {BAND: above, MERGED: beside}
        place = f"{path.name}, line {row}"
        if not cell["genus"] or not cell["article"]:
            raise BadCatalogue(f"{place}: there is no genus or no article")
        plants.append(
            Plant(
                cell["article"],
                cell["genus"],
                cell["variety"],
                cell["pot"],
                price(cell["price"], place),
                stock(cell["stock"], place),
                cell["group"],
            )
        )
    return plants
'''
TEST = """import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

from catalogue import BadCatalogue, Plant, read

SAMPLES = Path(__file__).parents[1] / "samples"
FACTS


class WorkbooksTest(unittest.TestCase):
    def test_groups_and_genera_are_carried_on(self):
        plants = read(SAMPLES / "merged-cells.xlsx")
        self.assertEqual(COUNT, len(plants))
        self.assertEqual(SECOND, plants[1])
        self.assertEqual(LAST, plants[-1])

    def test_what_is_no_workbook_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "list.xlsx")
            path.write_text("Acer")
            with self.assertRaisesRegex(BadCatalogue, "not a workbook"):
                read(path)


if __name__ == "__main__":
    unittest.main()
"""


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def sample():
    answer = requests.get(DRIVE + SAMPLE, auth=(USER, PASSWORD), timeout=30)
    answer.raise_for_status()
    return answer.content


def band(forge):
    """What a band is, as the issue says: the group or the genus. The other one is in the merged column."""
    told = forge.get(f"{PROJECT}/issues/4", timeout=30).json()["description"]
    return re.search(r"band over the whole width is the (group|genus)", told)[1]


def facts(data, is_band):
    """Lines for the test: how many plants the sample has, its second and its last, read with another library."""
    _, heading, below, *rows = openpyxl.load_workbook(io.BytesIO(data)).active.values
    columns = [low or high for high, low in zip(heading, below, strict=True)]
    found, above, beside = [], "", ""
    for first, *rest in rows:
        if not any(rest):
            above = first
            continue
        beside = first or beside
        cell = dict(zip(columns[1:], rest, strict=True))
        price = Decimal(re.sub("[^0-9,]", "", cell["Preis"]).replace(",", "."))
        genus, group = (beside, above) if is_band == "group" else (above, beside)
        texts = ", ".join(f"{one!r}" for one in (cell["Artikel"], genus, cell["Sorte"] or "", cell["Topf"]))
        found.append(f"Plant({texts}, Decimal('{price}'), {cell['Bestand']}, {group!r})")
    return f"COUNT = {len(found)}\nSECOND = {found[1]}\nLAST = {found[-1]}"


def registered(forge):
    """The reading module that knows of workbooks."""
    asked = f"{PROJECT}/repository/files/{READING.replace('/', '%2F')}/raw"
    text = forge.get(asked, params={"ref": "main"}, timeout=30).text
    for old, new in (
        ("import tables, trade", "import tables, trade, workbook"),
        ('".json": trade.read}', '".json": trade.read, ".xlsx": workbook.read}'),
    ):
        if old not in text:
            raise SystemExit(f"not in {READING}: {old}")
        text = text.replace(old, new)
    return text


def propose(forge, actions):
    """These actions on a branch, and a merge request with Lena as its reviewer; returns its number."""
    content = {"branch": "merged-cells", "start_branch": "main", "commit_message": TITLE, "actions": actions}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()
    people = forge.get(f"{FORGE}/api/v4/users", params={"username": "lena.fischer"}, timeout=30).json()
    content = {
        "source_branch": "merged-cells",
        "target_branch": "main",
        "title": TITLE,
        "description": "Closes #4",
        "reviewer_ids": [people[0]["id"]],
    }
    answer = forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30)
    answer.raise_for_status()
    return answer.json()["iid"]


def replaced(*pairs):
    """The reader with each piece replaced by its successor, for those who do something otherwise."""
    text = READER
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"not in the reader: {old}")
        text = text.replace(old, new)
    return text


def solve(reader=READER, test=TEST):
    forge = sign_in()
    book, is_band = sample(), band(forge)
    data = base64.b64encode(book).decode()
    if is_band == "genus":
        reader = reader.replace('BAND, MERGED = "group", "genus"', 'BAND, MERGED = "genus", "group"')
    actions = [
        {"action": "update", "file_path": READING, "content": registered(forge)},
        {"action": "create", "file_path": "catalogue/workbook.py", "content": reader},
        {"action": "create", "file_path": "samples/merged-cells.xlsx", "content": data, "encoding": "base64"},
    ]
    if test:
        actions.append(
            {
                "action": "create",
                "file_path": "tests/test_workbooks.py",
                "content": test.replace("FACTS", facts(book, is_band)),
            }
        )
    return forge, propose(forge, actions)


if __name__ == "__main__":
    solve()
