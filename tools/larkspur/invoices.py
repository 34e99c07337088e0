"""Invoices of vendors as PDF, and the purchase orders they are held against.

Eighteen are those of vendor-invoices-q1.csv, which is written by hand. `WAITING` is what the purchasing policy says of
each that must not be paid as it is; the world itself does not say it.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from reportlab.lib.colors import HexColor  # type: ignore[import-untyped]  # reportlab ships no types

from tools.larkspur.containers import csv_text, euros, lines, pdf, saved, sheet, workbook
from tools.larkspur.facts import WORLD, facts, slug

FOLDER = "drive/files/Finance"
LEDGER = WORLD / FOLDER / "vendor-invoices-q1.csv"

WAITING = {
    "FC-0148": "quantity",  # 16 covers, 14 ordered
    "PP-3051": "amount",  # 640.00 against 600.00
    "PP-3088": "withdrawn",
    "QL-883": "no order",
    "KL-55821": "wrong vendor",  # names an order to Pennant Print
    "KL-55830": "duplicate",  # the same three chairs as KL-55808
    "NT-26-0207": "amount",  # 324.00 against 298.00 a month
    "SL-7730": "late order",
}
EXPLAINED = "TT-4462"  # 24.00 above its order, with the reason in writing beside the order
CONFIRMING = ("Oakline Furniture", "Pennant Print", "Tidemark Travel")  # their PDFs have a second page
SMALL = ("VC-1009", "VC-1031")  # 250 EUR or less: they need no order

ADDRESSES = {
    "Brightwater Hosting": ("Dampoortstraat 88", "9000 Gent"),
    "Fernhill Catering": ("Coupure 41", "9000 Gent"),
    "Oakline Furniture": ("Industrieweg 5", "8800 Roeselare"),
    "Pennant Print": ("Drukkerijplein 3", "2800 Mechelen"),
    "Quillstone Legal": ("Rue Royale 210", "1000 Brussels"),
    "Tidemark Travel": ("Zeedijk 14", "8400 Oostende"),
    "Verdant Couriers": ("Havenlaan 9", "9000 Gent"),
    "Noordzee Telecom": ("Vuurtorenweg 1", "8380 Zeebrugge"),
    "Kantoorland": ("Papierstraat 60", "9300 Aalst"),
    "Lumen Energie": ("Lichtstraat 77", "3000 Leuven"),
    "Stadsfiets Leasing": ("Spaakstraat 12", "9000 Gent"),
    "Koepel Verzekeringen": ("Koepelplein 2", "2000 Antwerpen"),
}
_COLOURS = (0x1F4E79, 0x7A4B1E, 0x4A5A23, 0x8A1538, 0x333333, 0x0B6E6E, 0x3D7A2A, 0x00539B, 0xB45F06, 0x9C8200,
            0x5B2C83, 0x2E4057)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    quantity: int
    price: float

    @property
    def total(self) -> float:
        return round(self.quantity * self.price, 2)


@dataclass(frozen=True, slots=True)
class Invoice:
    number: str
    day: date
    vendor: str
    order: str | None
    lines: tuple[Line, ...]

    @property
    def net(self) -> float:
        return round(sum(one.total for one in self.lines), 2)

    @property
    def quantity(self) -> int:
        """Of what was ordered; delivery and the like are the lines after the first."""
        return self.lines[0].quantity


@dataclass(frozen=True, slots=True)
class Order:
    number: str
    day: date
    vendor: str
    text: str
    quantity: int
    unit: str
    price: float
    extra: float
    asked: str
    status: str = "ordered"
    note: str = ""

    @property
    def total(self) -> float:
        return round(self.quantity * self.price + self.extra, 2)

    @property
    def due(self) -> float:
        """What one invoice may ask for: all of it, or one unit of an order that runs."""
        return self.price if self.status == "running" else self.total


def _order(n: int, day: str, vendor: str, text: str, quantity: int, unit: str, price: float, asked: str,
           status: str = "ordered", extra: float = 0.0, note: str = "") -> Order:  # fmt: skip
    return Order(
        f"PO-2026-{n:03}", date.fromisoformat(day), vendor, text, quantity, unit, price, extra, asked, status, note
    )


_MARA, _INES = "Mara Lindqvist", "Ines Carvalho"

ORDERS = (
    _order(1, "2026-01-02", "Brightwater Hosting", "Servers January", 1, "month", 1480.0, "Jonas Weber"),
    _order(2, "2026-01-02", "Noordzee Telecom", "Telephone and internet", 12, "month", 298.0, _MARA, "running"),
    _order(3, "2026-01-02", "Lumen Energie", "Electricity and heating", 4, "quarter", 1836.9, _MARA, "running"),
    _order(4, "2026-01-05", "Fernhill Catering", "Kick-off lunch", 25, "cover", 16.5, _MARA),
    _order(5, "2026-01-08", "Tidemark Travel", "Customer visit Utrecht, two people", 2, "person", 568.0, _INES),
    _order(6, "2026-01-12", "Oakline Furniture", "Standing desk", 6, "piece", 480.0, _MARA, extra=10.0),
    _order(7, "2026-01-14", "Pennant Print", "Catalogue proofs", 40, "piece", 15.0, _INES),
    _order(8, "2026-01-20", "Tidemark Travel", "Trade fair Essen, three people", 3, "person", 616.67, _INES,
           extra=-0.01, note="Tidemark, 9 February: city tax 26.00, and 2.00 off. Agreed, Tomas"),
    _order(9, "2026-01-22", "Kantoorland", "Office chair", 3, "piece", 149.0, _MARA),
    _order(10, "2026-02-02", "Brightwater Hosting", "Servers February", 1, "month", 1480.0, "Jonas Weber"),
    _order(11, "2026-02-03", "Fernhill Catering", "Partner breakfast", 20, "cover", 19.3, _MARA),
    _order(12, "2026-02-10", "Pennant Print", "Launch brochures", 1000, "piece", 1.42, _INES, "withdrawn"),
    _order(13, "2026-02-11", "Quillstone Legal", "Reseller contract", 1, "flat fee", 1300.0, "Tomas Okafor"),
    _order(14, "2026-02-12", "Kantoorland", "Paper, 40 packs, and tape, 12 rolls", 1, "delivery", 318.6, _MARA),
    _order(15, "2026-02-19", "Stadsfiets Leasing", "Lease of five bicycles", 12, "month", 316.0, _MARA, "running"),
    _order(16, "2026-02-20", "Fernhill Catering", "Launch rehearsal dinner", 14, "cover", 32.0, _MARA),
    _order(17, "2026-02-24", "Pennant Print", "Launch flyers", 5000, "piece", 0.167, _INES),
    _order(18, "2026-02-26", "Tidemark Travel", "Press day Hamburg, two people", 2, "person", 387.0, _INES),
    _order(19, "2026-03-02", "Brightwater Hosting", "Servers March", 1, "month", 1480.0, "Jonas Weber", extra=72.4,
           note="with extra storage from March, 72.40, asked for by Chidi"),
    _order(20, "2026-03-04", "Kantoorland", "Monitor arm", 4, "piece", 89.0, _MARA),
)  # fmt: skip

_LINES: dict[str, tuple[int | None, tuple[Line, ...]]] = {
    "BW-2601": (1, (Line("Servers greenhouse-1 and greenhouse-2, January", 1, 1480.0),)),
    "FC-0117": (4, (Line("Kick-off lunch, per cover", 25, 16.5),)),
    "QL-883": (None, (Line("Terms of service review, flat fee", 1, 950.0),)),
    "TT-4410": (5, (Line("Customer visit Utrecht, travel package, per person", 2, 568.0),)),
    "OF-77120": (6, (Line("Standing desk Oak 160", 6, 480.0), Line("Delivery", 1, 10.0))),
    "PP-3051": (7, (Line("Catalogue proofs, bound", 40, 16.0),)),
    "VC-1009": (None, (Line("Sample shipments", 12, 15.7),)),
    "BW-2602": (10, (Line("Servers greenhouse-1 and greenhouse-2, February", 1, 1480.0),)),
    "FC-0131": (11, (Line("Partner breakfast, per cover", 20, 19.3),)),
    "OF-77120-C": (6, (Line("Standing desk Oak 160, returned", 2, -480.0),)),
    "TT-4462": (8, (Line("Trade fair Essen, train and hotel, per person", 3, 616.0), Line("City tax", 1, 26.0))),
    "PP-3088": (12, (Line("Launch brochures", 1000, 1.42),)),
    "QL-901": (13, (Line("Reseller contract, flat fee", 1, 1300.0),)),
    "VC-1031": (None, (Line("Sample shipments", 14, 14.65),)),
    "FC-0148": (16, (Line("Launch rehearsal dinner, per cover", 16, 32.0),)),
    "BW-2603": (19, (Line("Servers greenhouse-1 and greenhouse-2, March", 1, 1480.0), Line("Extra storage", 1, 72.4))),
    "PP-3102": (17, (Line("Launch flyers A5", 5000, 0.167),)),
    "TT-4501": (18, (Line("Press day Hamburg, train and hotel, per person", 2, 387.0),)),
}

_RUNNING = (  # number, day, vendor, order, status, lines
    ("NT-26-0107", "2026-01-07", "Noordzee Telecom", 2, "paid", (Line("Telephone and internet, January", 1, 298.0),)),
    ("KL-55808", "2026-01-30", "Kantoorland", 9, "paid", (Line("Office chair Linie", 3, 149.0),)),
    ("NT-26-0207", "2026-02-07", "Noordzee Telecom", 2, "open", (Line("Telephone and internet, February", 1, 324.0),)),
    ("SL-7730", "2026-02-16", "Stadsfiets Leasing", 15, "open", (Line("Lease of five bicycles, February", 1, 316.0),)),
    ("KL-55821", "2026-02-20", "Kantoorland", 12, "open", (Line("Paper, 40 packs, and tape, 12 rolls", 1, 318.6),)),
    ("KL-55830", "2026-02-27", "Kantoorland", 9, "open", (Line("Office chair Linie", 3, 149.0),)),
)


def _number(order: int | None) -> str | None:
    return None if order is None else f"PO-2026-{order:03}"


@functools.cache
def invoices() -> tuple[Invoice, ...]:
    """All twenty-four, by day; those of the hand-written list come out at its amounts or not at all."""
    found = []
    with LEDGER.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            order, parts = _LINES[row["invoice"]]
            one = Invoice(row["invoice"], date.fromisoformat(row["date"]), row["vendor"], _number(order), parts)
            if one.net != float(row["amount_eur"]):
                raise ValueError(f"{one.number} is {one.net} here and {row['amount_eur']} in {LEDGER.name}.")
            found.append(one)
    for number, day, vendor, order, _, parts in _RUNNING:
        found.append(Invoice(number, date.fromisoformat(day), vendor, _number(order), parts))
    return tuple(sorted(found, key=lambda one: (one.day, one.number)))


def reason(one: Invoice) -> str | None:
    """Why the purchasing policy lets this invoice wait; None when it may be paid."""
    rules = facts()["rules"]
    order = next((each for each in ORDERS if each.number == one.order), None)
    if one.net < 0:
        return None
    if order is None:
        return None if one.net <= rules["order_from"] else "no order"
    earlier = [each for each in invoices() if each.order == one.order and each.net > 0 and each.day < one.day]
    used = order.status != "running" and sum(each.net for each in earlier) >= order.total
    checks = {
        "wrong vendor": order.vendor != one.vendor,
        "withdrawn": order.status == "withdrawn",
        "late order": order.day > one.day,
        "quantity": one.quantity > order.quantity,
        "amount": one.net != order.due and not order.note,
        "duplicate": used,
    }
    return next((why for why, wrong in checks.items() if wrong), None)


def path(one: Invoice) -> str:
    kind = "credit-note" if one.net < 0 else "invoice"
    return f"{FOLDER}/Invoices/{one.day}-{kind}-{slug(one.vendor)}-{slug(one.number)}.pdf"


def files() -> dict[str, bytes]:
    found = {path(one): _page(one) for one in invoices()}
    book = workbook("Purchase orders 2026")
    sheet(
        book, "Orders",
        ("order", "date", "vendor", "description", "quantity", "unit", "unit_price_eur", "extra_eur", "total_eur",
         "status", "asked_by", "note"),
        [(one.number, one.day, one.vendor, one.text, one.quantity, one.unit, one.price, one.extra, one.total,
          one.status, one.asked, one.note or None) for one in ORDERS],
    )  # fmt: skip
    sheet(
        book, "Read me", ("field", "meaning"),
        [
            ("date", "the day the order went to the vendor"),
            ("extra_eur", "delivery or rounding, as agreed in the offer"),
            ("total_eur", "quantity times unit price, plus extra; without VAT"),
            ("note", "what was agreed in writing after the order went out"),
            ("status", "ordered; running: each invoice is for one unit; withdrawn: called off, nothing is paid"),
        ],
    )  # fmt: skip
    found[f"{FOLDER}/Purchase orders/purchase-orders-2026.xlsx"] = saved(book)
    found[f"{FOLDER}/2026-q1-running-costs.csv"] = csv_text(
        ("invoice", "date", "vendor", "amount_eur", "status", "description"),
        [(number, day, vendor, f"{sum(part.total for part in parts):.2f}", status, parts[0].text)
         for number, day, vendor, _, status, parts in _RUNNING],
    )  # fmt: skip
    return found


def _page(one: Invoice) -> bytes:
    credit = one.net < 0
    confirmed = one.vendor in CONFIRMING and not credit
    order = "see the confirmation on page 2" if confirmed else one.order or "-"
    vat = round(one.net * facts()["company"]["vat_percent"] / 100, 2)
    colour = HexColor(_COLOURS[list(ADDRESSES).index(one.vendor)])

    def draw(canvas: Any) -> None:
        canvas.setFillColor(colour)
        canvas.rect(0, 800, 595, 42, stroke=0, fill=1)
        canvas.setFillColor(HexColor("#FFFFFF"))
        lines(canvas, 56, 815, [one.vendor], size=18, font="Helvetica-Bold")
        canvas.setFillColor(HexColor("#222222"))
        lines(canvas, 56, 776, [*ADDRESSES[one.vendor], "Belgium", f"accounts@{slug(one.vendor)}.test"], size=9)
        lines(canvas, 56, 700, ["Larkspur", "Kraanlei 12", "9000 Gent", "Belgium"], size=11)
        lines(canvas, 340, 700, ["Credit note" if credit else "Invoice"], size=16, font="Helvetica-Bold")
        lines(
            canvas, 340, 678,
            [f"Number: {one.number}", f"Date: {one.day}", f"Your order: {order}",
             f"Due: {one.day + timedelta(30)}"],
        )  # fmt: skip
        y = 590
        canvas.line(56, y + 16, 540, y + 16)
        lines(canvas, 56, y, ["Description"], font="Helvetica-Bold")
        for x, text in ((370, "Quantity"), (450, "Unit price"), (540, "Amount")):
            canvas.drawRightString(x, y, text)
        canvas.line(56, y - 8, 540, y - 8)
        canvas.setFont("Helvetica", 10)
        for part in one.lines:
            y -= 26
            canvas.drawString(56, y, part.text)
            canvas.drawRightString(370, y, str(part.quantity))
            canvas.drawRightString(
                450, y, f"{part.price:,.3f}" if part.price < 1 and not credit else f"{part.price:,.2f}"
            )
            canvas.drawRightString(540, y, f"{part.total:,.2f}")
        canvas.line(340, y - 14, 540, y - 14)
        for label, amount in (("Net total", one.net), ("VAT 21 %", vat), ("Total", round(one.net + vat, 2))):
            y -= 32 if label == "Net total" else 16
            canvas.setFont("Helvetica-Bold" if label == "Total" else "Helvetica", 10)
            canvas.drawString(340, y, label)
            canvas.drawRightString(540, y, euros(amount))
        lines(canvas, 56, 90, ["Payment within 30 days. Please state the number of this document."], size=8)
        if confirmed:
            canvas.showPage()
            _confirmation(canvas, one)

    return pdf(f"{'Credit note' if credit else 'Invoice'} {one.number}", draw, one.vendor)


def _confirmation(canvas: Any, one: Invoice) -> None:
    """The second page that some vendors add: what they were asked for, under our order's number."""
    order = next(each for each in ORDERS if each.number == one.order)
    lines(canvas, 56, 790, ["Order confirmation"], size=16, font="Helvetica-Bold")
    lines(
        canvas, 56, 756,
        [f"Your order: {order.number} of {order.day}", f"Ordered by: {order.asked}, Larkspur",
         f"{order.text}: {order.quantity} x {order.price:,.3f}".rstrip("0").rstrip("."), f"Confirmed by {one.vendor}"],
    )  # fmt: skip
