"""Numbers and days in texts, in whichever notation people write them."""

from __future__ import annotations

import re

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = [name[:3] for name in _NAMES]
_MONTH = rf"(?:{'|'.join([*_NAMES, *_MONTHS, 'sept'])})\b\.?"
_DAY = r"\d{1,2})(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?P<iso>\b\d{{4}}-\d\d-\d\d)(?:T[\d:.]+Z?)?"
    rf"|\b(?:(?P<from>{_DAY}(?:\s?[-–]\s?| and | to | or ))?(?P<day>{_DAY}(?: of)? (?P<month>{_MONTH})(?:,? \d{{4}}\b)?"
    rf"|\b(?P<day3>\d\d)[./-](?P<month3>\d\d)[./-]\d{{4}}\b"
    rf"|\b(?P<month2>{_MONTH}) (?P<day2>{_DAY}(?:,? \d{{4}})?\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b")
_NUMBER = re.compile(
    r"(?<![\w.,/-])\d{1,3}(?:[,.\u00a0\u202f’' ]\d{3})+(?:[.,]\d{1,2})?(?![\w])|(?<![\w.,/-])\d+(?:[.,]\d+)?(?![\w/-])"
)


def is_date(text: str) -> bool:
    """Is it a day and nothing else?"""
    return _DATE.fullmatch(text.strip()) is not None


def dates(text: str) -> set[str]:
    """Days as month-day, whatever the year: `2026-05-01`, `1 May`, `May 1st, 2026`, `01.05.2026` are one.

    Of days in a row (`12 to 14 March`) the first and the last.
    """
    found = set()
    for one in _DATE.finditer(text):
        if one["iso"]:
            found.add(one["iso"][5:])
        elif one["month3"]:
            found.add(f"{one['month3']}-{one['day3']}")
        else:
            month = _MONTHS.index((one["month"] or one["month2"])[:3].lower()) + 1
            found |= {f"{month:02}-{int(day):02}" for day in (one["from"], one["day"], one["day2"]) if day}
    return found


def numbers(text: str) -> set[str]:
    """Amounts and counts, in whichever notation; parts of dates, times and names such as PO-2026-002 are none."""
    rest = _TIME.sub(" ", _DATE.sub(" ", text))
    return {_plain(one.group()) for one in _NUMBER.finditer(rest)}


def _plain(number: str) -> str:
    whole, point, cents = number, "", ""
    if found := re.fullmatch(r"(.*?)[.,](\d{1,2})", number):
        whole, point, cents = found[1], ".", found[2].rstrip("0")
    digits = re.sub(r"\D", "", whole).lstrip("0") or "0"
    return digits + (point + cents if cents else "")
