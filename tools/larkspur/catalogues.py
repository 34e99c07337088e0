"""Plant catalogues as customers send them: Hof Birkenau's with merged cells, Pépinière Marchand's clean one.

`PLANTS` is what a reader of the first must find: one row a variety, with the genus and the group it stands below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openpyxl.styles import Alignment, Font  # type: ignore[import-untyped]  # openpyxl ships no types

from tools.larkspur.containers import csv_text, saved, workbook

FOLDER = "drive/files/Customers/Catalogues"


@dataclass(frozen=True, slots=True)
class Plant:
    group: str
    genus: str
    article: str
    variety: str
    pot: str
    price: float
    stock: int


_GROUPS: dict[str, dict[str, tuple[tuple[str, str, float, int], ...]]] = {
    "Stauden": {
        "Delphinium": (("Black Knight", "P11", 4.50, 36), ("Magic Fountains", "P11", 4.20, 48),
                       ("Astolat", "P14", 5.90, 18)),
        "Geranium": (("Rozanne", "P11", 5.80, 60), ("Johnson's Blue", "P11", 4.90, 24)),
        "Salvia": (("Caradonna", "P9", 3.40, 120), ("Ostfriesland", "P9", 3.20, 96), ("Amethyst", "P11", 4.10, 40)),
        "Anemone": (("Honorine Jobert", "P11", 4.80, 30),),
    },
    "Gehölze": {
        "Hydrangea": (("Annabelle", "C5", 18.90, 22), ("Limelight", "C5", 19.90, 16)),
        "Syringa": (("Andenken an Ludwig Späth", "C10", 34.50, 8),),
        "Acer": (("Sango-kaku", "C10", 59.00, 4), ("Bloodgood", "C10", 54.00, 6), ("Shishigashira", "C15", 89.00, 2)),
    },
    "Kräuter": {
        "Thymus": (("Silver Queen", "P9", 2.60, 150), ("Zitronenthymian", "P9", 2.60, 140)),
        "Mentha": (("Mojito", "P11", 3.10, 90), ("Schoko", "P11", 3.10, 75), ("Ananas", "P11", 3.20, 70)),
        "Salvia": (("Purpurascens", "P11", 3.30, 55),),
    },
}  # fmt: skip


def _plants() -> tuple[Plant, ...]:
    found: list[Plant] = []
    for group, genera in _GROUPS.items():
        for genus, varieties in genera.items():
            for variety, pot, price, stock in varieties:
                found.append(Plant(group, genus, f"HB-{len(found) + 101}", variety, pot, price, stock))
    return tuple(found)


PLANTS = _plants()


def _merged() -> bytes:
    """A band over the whole width for each group; the genus once, merged over its varieties; two lines of heading."""
    book = workbook("Pflanzenliste 2026")
    page: Any = book.create_sheet("Pflanzenliste")
    page.append(["Hof Birkenau, Trier: Pflanzenliste Frühjahr 2026"])
    page.merge_cells("A1:F1")
    page.append(["Gattung", "Artikel", "Sorte", "Topf", "Preis und Bestand"])
    page.append([None, None, None, None, "Preis", "Bestand"])
    page.merge_cells("E2:F2")
    for column in "ABCD":
        page.merge_cells(f"{column}2:{column}3")
    group, genus, top = "", "", 0
    for plant in PLANTS:
        if plant.group != group:
            page.append([plant.group])
            page.merge_cells(start_row=page.max_row, start_column=1, end_row=page.max_row, end_column=6)
            page.cell(page.max_row, 1).font = Font(bold=True)
            group, genus = plant.group, ""
        fresh = plant.genus != genus
        price = f"{plant.price:.2f} €".replace(".", ",")
        page.append([plant.genus if fresh else None, plant.article, plant.variety, plant.pot, price, plant.stock])
        if fresh:
            genus, top = plant.genus, page.max_row
        last = not any(other.group == group and other.genus == genus for other in PLANTS[PLANTS.index(plant) + 1 :])
        if last and page.max_row > top:
            page.merge_cells(start_row=top, start_column=1, end_row=page.max_row, end_column=1)
            page.cell(top, 1).alignment = Alignment(vertical="top")
    for column, width in zip("ABCDEF", (18, 12, 30, 8, 12, 10), strict=True):
        page.column_dimensions[column].width = width
    return saved(book)


_MARCHAND = (
    ("PM-001", "Lavandula angustifolia", "Hidcote", "C2", "6.90", 80),
    ("PM-002", "Lavandula angustifolia", "Munstead", "C2", "6.90", 64),
    ("PM-003", "Rosa", "Pierre de Ronsard", "C4", "21.50", 25),
    ("PM-004", "Rosa", "Iceberg", "C4", "19.90", 30),
    ("PM-005", "Clematis viticella", "Étoile Violette", "C2", "16.50", 18),
    ("PM-006", "Paeonia lactiflora", "Sarah Bernhardt", "C3", "14.90", 20),
    ("PM-007", "Helleborus × hybridus", "", "C2", "11.90", 44),
    ("PM-008", "Prunus avium", "Burlat", "C15", "49.00", 9),
)


def files() -> dict[str, bytes]:
    return {
        f"{FOLDER}/2026-03-catalogue-hof-birkenau.xlsx": _merged(),
        f"{FOLDER}/2026-03-catalogue-pepiniere-marchand.csv": csv_text(
            ("article", "latin_name", "variety", "pot", "price_eur", "stock"), _MARCHAND
        ),
    }
