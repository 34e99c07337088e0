"""The launch flyer, A5 on an A4 sheet, as PDF: no adjectives, one price, one date."""

from __future__ import annotations

import io
from typing import Any

from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]  # reportlab ships no types

from tools.larkspur.containers import document, lines, pdf, saved, wrapped
from tools.larkspur.pictures import FOLDER, logo, png

TEXT = (
    "Trellis plans the working week of your garden centre: who waters, who sells, who drives. Version 2.0 reads your "
    "plant catalogue from a spreadsheet, lets two people swap a shift, and knows when the clocks change."
)
PRICE = "45 EUR a month for each site with up to five people, 6 EUR for each further person, without VAT."
WHERE = "Groene Beurs, Ghent, 20 to 22 March 2026. Or ring the bell: Kraanlei 12, 9000 Gent."


def _flyer() -> bytes:
    def draw(canvas: Any) -> None:
        mark = ImageReader(io.BytesIO(png(logo(240, words=True))))
        canvas.drawImage(mark, 60, 690, 360, 90)
        y = lines(canvas, 60, 640, ["Trellis 2.0"], size=30, font="Helvetica-Bold")
        y = lines(canvas, 60, y - 6, ["from Monday 16 March 2026"], size=14) - 14
        for text in (TEXT, PRICE, WHERE):
            y = lines(canvas, 60, y, wrapped(text, 62), size=13) - 12
        lines(canvas, 60, y - 10, ["larkspur.test"], size=13, font="Helvetica-Bold")

    return pdf("Trellis 2.0", draw)


def _press() -> bytes:
    made = document("Trellis 2.0: text for the press", "Jana Weber")
    made.add_heading("Trellis 2.0", 0)
    for text in (
        "Ghent, 16 March 2026. Larkspur brings out version 2.0 of Trellis, its scheduling software for garden centres "
        "and nurseries. 140 of them in Belgium, the Netherlands, Germany and France plan their week with it.",
        "Version 2.0 reads a plant catalogue from a spreadsheet, lets two people swap a shift, and adds up the week in "
        "which the clocks change. Greenacre Nursery in Ghent has used it since 24 February.",
        f"The price is {PRICE}",
        "Larkspur was founded in Ghent in 2019 and has 21 people.",
    ):
        made.add_paragraph(text)
    made.add_paragraph("Jana Weber, press@larkspur.test. To be approved by Mara Lindqvist before it is sent.")
    return saved(made)


def files() -> dict[str, bytes]:
    return {
        f"{FOLDER}/2026-03-16-launch-flyer.pdf": _flyer(),
        f"{FOLDER}/Press kit/2026-03-16-press-text.docx": _press(),
    }
