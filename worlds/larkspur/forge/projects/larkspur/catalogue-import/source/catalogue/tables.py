"""Tables: the clean one with English headings, and what cash desks export, with semicolons and German or Dutch ones."""

import csv
import io

from catalogue.plant import BadCatalogue, Plant, price, stock

HEADINGS = {
    "article": {"article", "artikel", "artikelnr", "artikelnummer"},
    "genus": {"latin_name", "genus", "gattung", "geslacht"},
    "variety": {"variety", "sorte", "soort"},
    "pot": {"pot", "topf", "maat"},
    "price": {"price_eur", "preis", "prijs"},
    "stock": {"stock", "bestand", "voorraad"},
    "group": {"group", "gruppe", "groep"},
}
NEEDED = ("article", "genus", "price")


def decode(data):
    """UTF-8, with or without a mark; cash desks from before 2015 write Windows-1252."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def columns(heading, place):
    """Which column holds what, by its heading."""
    found = {}
    for number, name in enumerate(heading):
        for field, names in HEADINGS.items():
            if name.strip().lower() in names:
                found[field] = number
    missing = [field for field in NEEDED if field not in found]
    if missing:
        raise BadCatalogue(f"{place}: there is no column for {', '.join(missing)}")
    return found


def read(path):
    text = decode(path.read_bytes())
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    heading = next(rows, [])
    where = columns(heading, path.name)
    plants = []
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        place = f"{path.name}, line {number}"
        if len(row) != len(heading):
            raise BadCatalogue(f"{place}: {len(row)} cells below {len(heading)} headings")
        cell = {field: row[column].strip() for field, column in where.items()}
        plants.append(
            Plant(
                cell["article"],
                cell["genus"],
                cell.get("variety", ""),
                cell.get("pot", ""),
                price(cell["price"], place),
                stock(cell.get("stock", ""), place),
                cell.get("group", ""),
            )
        )
    return plants
