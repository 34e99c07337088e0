"""The sample with this variant's plants and layout, and the words of those who describe it."""

import re
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

SAMPLE = "drive/files/Customers/Catalogues/2026-03-catalogue-hof-birkenau.xlsx"
CALL = "drive/files/Customers/Visits/2026-03-03-call-hof-birkenau.md"
ISSUES = "forge/projects/larkspur/catalogue-import/issues.yml"
SHEET = "xl/worksheets/sheet1.xml"
# What is said of a list whose bands are groups, and what of one whose bands are genera.
IN_THE_ISSUE = {
    "A band over the whole width is the group; it": "A band over the whole width is the genus; it",
    "The genus stands once, in a cell merged over all its varieties.": "The group stands once, in a cell merged over "
    "all varieties of the genus that are in it.",
    "a genus may come again in another group (Salvia does)": "a genus may have varieties in two groups (Salvia has)",
}
IN_THE_CALL = {
    "the genus once for all of its varieties": "written once beside the varieties of a genus that are in it",
}


def build(values, made, world):
    if not values["changed"]:
        return
    layout = values["layout"]
    swapped = layout["band"] == "genus"
    price = {"`4,50 €`": f"`{layout['price'].format('4,50')}`"}
    rewrite(made, world, ISSUES, price | (IN_THE_ISSUE if swapped else {}))
    rewrite(made, world, CALL, IN_THE_CALL if swapped else {})
    sys.path.insert(0, str(Path(__file__).parent / "references"))
    import paper

    rows, merged = paper.listed("Frühjahr", values["key"]["sample"], layout)
    target = made / "world" / SAMPLE
    target.parent.mkdir(parents=True)
    with zipfile.ZipFile(world / SAMPLE) as old, zipfile.ZipFile(target, "w") as new:
        for part in old.infolist():
            data = old.read(part)
            new.writestr(part, sheet(data.decode(), rows, paper.bands(merged)) if part.filename == SHEET else data)


def rewrite(made, world, name, pairs):
    """The world's file with other words in it."""
    text = (world / name).read_text("utf-8")
    for old, new in pairs.items():
        if old not in text:
            raise ValueError(f"not in {name}: {old}")
        text = text.replace(old, new)
    (made / "world" / name).parent.mkdir(parents=True, exist_ok=True)
    (made / "world" / name).write_text(text, "utf-8")


def sheet(old, rows, bands):
    """The world's sheet with these rows, the texts in their cells."""
    text, lines = re.sub(r'<dimension ref="[^"]*"/>', f'<dimension ref="A1:F{len(rows)}"/>', old), []
    for number, row in enumerate(rows, 1):
        cells = [cell(letter, number, value, row) for letter, value in zip("ABCDEF", row, strict=False)]
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    inside = f"<sheetData>{''.join(lines)}</sheetData>{bands}"
    return re.sub(r"<sheetData>.*</mergeCells>", lambda _: inside, text, flags=re.DOTALL)


def cell(letter, number, value, row):
    """A cell as the world's sheet has it: bands are bold, the merged column stands at the top."""
    style = f' s="{1 if len(row) == 1 else 2}"' if letter == "A" and number > 3 else ""
    if value is None:
        return ""
    if isinstance(value, int):
        return f'<c r="{letter}{number}" t="n"><v>{value}</v></c>'
    return f'<c r="{letter}{number}"{style} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
