"""A plant as a catalogue offers it."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation


class BadCatalogue(Exception):
    """The file cannot be read as a catalogue; the message says where and why."""


@dataclass(frozen=True)
class Plant:
    article: str
    genus: str
    variety: str
    pot: str
    price: Decimal
    stock: int
    group: str = ""


def price(text, place):
    """'4,50 €', '4.50' or '1.234,50' as a number."""
    digits = str(text).replace("€", "").replace(" ", "").replace("\u00a0", "")
    if "," in digits:
        digits = digits.replace(".", "").replace(",", ".")
    try:
        found = Decimal(digits)
    except InvalidOperation:
        raise BadCatalogue(f"{place}: '{text}' is no price") from None
    if found <= 0:
        raise BadCatalogue(f"{place}: the price is {found}")
    return found


def stock(text, place):
    try:
        found = int(str(text).strip() or 0)
    except ValueError:
        raise BadCatalogue(f"{place}: '{text}' is no number of plants") from None
    if found < 0:
        raise BadCatalogue(f"{place}: the stock is {found}")
    return found
