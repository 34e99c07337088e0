"""Writes workbooks the way Hof Birkenau's program does, with the texts in a table of their own."""

import io
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
WORDS = {
    "genus": "Gattung",
    "group": "Gruppe",
    "article": "Artikel",
    "variety": "Sorte",
    "pot": "Topf",
    "price": "Preis",
    "stock": "Bestand",
}
FIELDS = ("article", "genus", "variety", "pot", "price", "stock", "group")
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


def price(text, form):
    """1249.00 as the paper has it: 1.249,00 €. What is no price stays as it is."""
    if not text[0].isdigit():
        return text
    return form.format(f"{float(text):,.2f}".translate(str.maketrans(",.", ".,")))


def heading(season, columns):
    """The title and the two lines of the heading; the last two columns have a word above them both."""
    *single, fifth, sixth = [WORDS[name] for name in columns]
    return [
        [f"Hof Birkenau, Trier: Pflanzenliste {season} 2026"],
        [*single, f"{fifth} und {sixth}"],
        [None, None, None, None, fifth, sixth],
    ]


def listed(season, plants, layout):
    """The rows and the merged cells of a list: a band over the whole width, and one column that is merged."""
    band, (merged_column, *others) = layout["band"], layout["columns"]
    rows, merged = heading(season, layout["columns"]), list(MERGED)
    above = beside = None
    top = 0
    for values in plants:
        plant = dict(zip(FIELDS, values, strict=True))
        if plant[band] != above:
            above, beside = plant[band], None
            rows.append([above])
            merged.append(f"A{len(rows)}:F{len(rows)}")
        first = plant[merged_column] if plant[merged_column] != beside else None
        plant["price"] = price(plant["price"], layout["price"])
        rows.append([first, *(plant[name] if plant[name] != "" else None for name in others)])
        if first:
            beside, top = first, len(rows)
        else:
            merged = [one for one in merged if not one.startswith(f"A{top}:")] + [f"A{top}:A{len(rows)}"]
    return rows, merged


def bands(merged):
    """The merged cells as a sheet has them."""
    cells = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    return f'<mergeCells count="{len(merged)}">{cells}</mergeCells>' if merged else ""


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
    data = f"<sheetData>{''.join(lines)}</sheetData>{bands(merged)}"
    parts = {
        **FIXED,
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{data}</worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}" uniqueCount="{len(texts)}">'
        + "".join(f'<si><t xml:space="preserve">{escape(one)}</t></si>' for one in texts)
        + "</sst>",
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{part}')
    return content.getvalue()
