"""Contracts: those of vendors in Operations as docx, those of customers in Customers as signed PDF."""

from __future__ import annotations

from typing import Any

from tools.larkspur.containers import document, euros, lines, pdf, saved, table, wrapped
from tools.larkspur.customers import Customer, customer
from tools.larkspur.facts import people, person, slug
from tools.larkspur.invoices import ADDRESSES

VENDORS = {  # first day, last day, what for, a month, notice in months
    "Noordzee Telecom": ("2024-05-01", "2026-04-30", "Telephone and internet at Kraanlei 12", 298.0, 3),
    "Koepel Verzekeringen": ("2025-07-01", "2026-06-30", "Insurance of the office and its equipment", 265.0, 3),
    "Stadsfiets Leasing": ("2023-09-01", "2026-08-31", "Lease and yearly service of five bicycles", 316.0, 2),
    "Brightwater Hosting": (
        "2025-01-01",
        "2026-12-31",
        "Servers greenhouse-1 and greenhouse-2, with backups",
        1480.0,
        3,
    ),
    "Lumen Energie": ("2025-10-01", "2027-09-30", "Electricity and heating, billed each quarter", 612.3, 1),
}
CUSTOMERS = (
    "Greenacre Nursery", "Greenacre Gardens", "Fernhill", "Rosenau", "Jardins Delacroix", "Plantenrijk",
)  # fmt: skip


def _vendor(name: str) -> bytes:
    start, end, what, monthly, notice = VENDORS[name]
    made = document(f"Contract with {name}", "Mara Lindqvist")
    made.add_heading(f"Contract: {name}", 0)
    made.add_paragraph(f"between Larkspur, Kraanlei 12, 9000 Gent, and {name}, {', '.join(ADDRESSES[name])}.")
    table(
        made, ("term", "agreed"),
        [("service", what), ("first day", start), ("last day", end), ("price a month, without VAT", euros(monthly)),
         ("payment", "within 30 days of the invoice"), ("notice", f"{notice} months before the last day, in writing"),
         ("our contact", "Mara Lindqvist, mara.lindqvist@larkspur.test"),
         ("their contact", f"accounts@{slug(name)}.test")],
    )  # fmt: skip
    made.add_heading("Conditions", 2)
    for text in (
        "Without notice the contract ends on its last day; it does not renew itself.",
        "A change of price is agreed in writing and holds from the following month.",
        "What one party learns about the other stays confidential, also after the last day.",
    ):
        made.add_paragraph(text, style="List Number")
    made.add_paragraph(f"Ghent, {start}: Mara Lindqvist for Larkspur; {name}.")
    return saved(made)


def _signs(one: Customer) -> str:
    """The account manager, or Ines for contracts that are older than their account manager's."""
    manager = next(each for each in people() if each.name == one.manager)
    return manager.name if manager.since <= one.start else person("ines.carvalho").name


def _customer(one: Customer) -> bytes:
    text = (
        f"Larkspur lets {one.name} use Trellis to plan the work of up to {one.people} people at {one.sites} "
        f"{'site' if one.sites == 1 else 'sites'}. Larkspur keeps the plans for the customer, shows them to nobody "
        "else, and hands them over as a file when the contract ends."
    )
    price = f"The fee is {euros(one.fee)} a month without VAT, paid {one.plan}. It holds until the contract is renewed."
    end = "Either side may end the contract in writing to the end of a month, with two months' notice."

    def draw(canvas: Any) -> None:
        y = lines(canvas, 60, 780, [f"Contract {one.number}"], size=20, font="Helvetica-Bold")
        y = lines(canvas, 60, y, [f"Larkspur, Kraanlei 12, 9000 Gent  and  {one.name}, {one.city}, {one.country}"]) - 14
        for heading, words in (
            ("1. Service", text),
            ("2. Price", price),
            ("3. First day", f"{one.start}"),
            ("4. End", end),
        ):
            y = lines(canvas, 60, y, [heading], size=12, font="Helvetica-Bold")
            y = lines(canvas, 60, y, wrapped(words)) - 10
        lines(canvas, 60, y - 30, [f"For Larkspur: {_signs(one)}", f"For {one.name}: {one.contact}"])
        lines(canvas, 60, y - 70, [f"Signed in {one.city}, {one.start}"], font="Helvetica-Oblique")

    return pdf(f"Contract {one.number}, {one.name}", draw)


def files() -> dict[str, bytes]:
    found = {}
    for name, terms in VENDORS.items():
        found[f"drive/files/Operations/Contracts/{terms[0]}-contract-{slug(name)}.docx"] = _vendor(name)
    for name in CUSTOMERS:
        one = customer(name)
        found[f"drive/files/Customers/Contracts/{one.start}-contract-{slug(name)}.pdf"] = _customer(one)
    return found
