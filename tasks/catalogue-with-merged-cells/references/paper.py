"""Writes workbooks the way Hof Birkenau's program does, with the texts in a table of their own."""

import csv
import io
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEADING = [
    ["Hof Birkenau, Trier: Pflanzenliste Herbst 2026"],
    ["Gattung", "Artikel", "Sorte", "Topf", "Preis und Bestand"],
    [None, None, None, None, "Preis", "Bestand"],
]
MERGED = ["A1:F1", "E2:F2", "A2:A3", "B2:B3", "C2:C3", "D2:D3"]
FIXED = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{KIND}.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
    '<sheet name="Pflanzenliste" sheetId="1" r:id="rId1"/></sheets></workbook>',
}


def price(text):
    """1249.00 as the paper has it: 1.249,00 €."""
    return f"{float(text):,.2f} €".translate(str.maketrans(",.", ".,"))


def listed(text):
    """The rows and the merged cells of a list, from the plants as CSV."""
    rows, merged = list(HEADING), list(MERGED)
    group = genus = None
    top = 0
    for plant in csv.DictReader(io.StringIO(text)):
        if plant["group"] != group:
            group, genus = plant["group"], None
            rows.append([group])
            merged.append(f"A{len(rows)}:F{len(rows)}")
        first = plant["genus"] if plant["genus"] != genus else None
        cost = price(plant["price"]) if plant["price"][0].isdigit() else plant["price"]
        rows.append([first, plant["article"], plant["variety"] or None, plant["pot"], cost, int(plant["stock"])])
        if first:
            genus, top = first, len(rows)
        else:
            merged = [one for one in merged if not one.startswith(f"A{top}:")] + [f"A{top}:A{len(rows)}"]
    return rows, merged


def workbook(rows, merged):
    """A workbook as bytes."""
    texts, lines = [], []
    for number, row in enumerate(rows, 1):
        cells = []
        for letter, value in zip("ABCDEF", row, strict=False):
            if isinstance(value, int):
                cells.append(f'<c r="{letter}{number}"><v>{value}</v></c>')
            elif value is not None:
                if value not in texts:
                    texts.append(value)
                cells.append(f'<c r="{letter}{number}" t="s"><v>{texts.index(value)}</v></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    bands = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    if merged:
        bands = f'<mergeCells count="{len(merged)}">{bands}</mergeCells>'
    data = "".join(lines)
    parts = {
        **FIXED,
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData>{bands}</worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}" uniqueCount="{len(texts)}">'
        + "".join(f'<si><t xml:space="preserve">{escape(one)}</t></si>' for one in texts)
        + "</sst>",
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{part}')
    return content.getvalue()
