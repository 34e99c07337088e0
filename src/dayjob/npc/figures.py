"""Figures in what people write: money, dates, days, times, shares, marks such as TREL-29, and counts of something.

Two spellings of one figure are one value: "12.4k EUR" and "€12,400", "noon" and "12:00", "March 12" and "2026-03-12".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_AMOUNT = r"\d{1,3}(?:[,. ]\d{3}){1,5}(?:[.,]\d{1,2})?|\d{1,20}(?:[.,]\d{1,20})?"
_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30",
}  # fmt: skip
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, flags))
    for kind, pattern, flags in (
        ("date", r"\b\d{4}-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)", 0),
        ("date", rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH.format('name')}\b", re.IGNORECASE),
        ("date", rf"\b{_MONTH.format('name')} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)", re.IGNORECASE),
        ("date", r"\b(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE),
        ("weekday", r"\b(?P<day>mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE),
        ("weekday", r"\b(?P<day>Mon|Tue|Wed|Thu|Fri)\b", 0),
        ("time", r"\b(?P<hour>[01]?\d|2[0-4])[:h](?P<minute>[0-5]\d) ?(?P<half>am|pm|a\.m\.|p\.m\.)?", re.IGNORECASE),
        ("time", r"\b(?P<hour>1[0-2]|0?\d) ?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)", re.IGNORECASE),
        ("time", r"\b(?P<hour>[01]?\d|2[0-4]) ?o'?clock\b", re.IGNORECASE),
        ("time", r"\b(?P<word>noon|midday|midnight)\b", re.IGNORECASE),
        ("money", rf"[€$£] ?(?P<amount>{_AMOUNT}) ?(?P<times>[km]\b)?", re.IGNORECASE),
        (
            "money",
            rf"\b(?P<amount>{_AMOUNT}) ?(?P<times>[km])? ?(?:€|£|\$|(?:eur|euros?|dollars?|usd|gbp|pounds?|cents?)\b)",
            re.IGNORECASE,
        ),
        ("share", rf"\b(?P<amount>{_AMOUNT}) ?(?:%|per ?cent\b)", re.IGNORECASE),
        ("mark", r"(?<!\w)(?P<mark>[#!]\d+|[A-Z][A-Z0-9]{1,9}-\d+|[a-z]+-\d+(?:\.\d+)+)\b", 0),
        ("count", rf"(?<![\w.,:/-])(?P<amount>{_AMOUNT})(?P<times>k)?(?![\w%:/])(?: (?P<unit>[^\W\d_]{{3,}}))?", 0),
        ("count", rf"\b(?P<word>{'|'.join(_WORDS)}) (?P<unit>[^\W\d_]{{3,}})", re.IGNORECASE),
    )
)
_NO_UNIT = frozenset(
    ("and", "but", "the", "for", "from", "with", "not", "are", "was", "were", "has", "had", "will", "until", "then")
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. Of a date, the month may be unknown; of a count, the thing that is counted."""

    kind: str
    value: str
    unit: str = ""

    @property
    def telling(self) -> bool:
        """Whether it is one that nobody says by chance."""
        if self.kind == "count":
            return len(self.value.replace(".", "")) > 1
        return self.kind != "weekday"

    def agrees(self, other: Figure) -> bool:
        if self.kind != other.kind:
            return False
        if self.kind == "date":
            (month, day), (others, same) = self.value.split("-"), other.value.split("-")
            return day == same and (month == others or "" in (month, others))
        return self.value == other.value

    def compares(self, other: Figure) -> bool:
        """Whether both can be answers to one question."""
        return self.kind == other.kind and (self.kind not in ("count",) or (self.unit == other.unit != ""))


@lru_cache(maxsize=2048)
def figures(text: str) -> frozenset[Figure]:
    """Every figure of a text."""
    rest = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = set()
    for kind, pattern in _PATTERNS:
        for one in pattern.finditer(rest):
            if (figure := _figure(kind, one.groupdict())) is not None:
                found.add(figure)
        # The unit after a count may itself be part of nothing else, so it may go with it.
        rest = pattern.sub(lambda one: " " * len(one[0]), rest)
    return frozenset(found)


def _figure(kind: str, parts: dict[str, str | None]) -> Figure | None:
    if kind == "date":
        month = parts.get("month") or ""
        if name := parts.get("name"):
            month = f"{_MONTHS.index(name[:3].lower()) + 1:02}"
        return Figure(kind, f"{month}-{int(parts['day'] or 0):02}")
    if kind == "weekday":
        return Figure(kind, (parts["day"] or "")[:3].lower())
    if kind == "time":
        return _time(parts)
    if kind == "mark":
        return Figure(kind, (parts["mark"] or "").lower())
    if word := parts.get("word"):
        return Figure(kind, _WORDS[word.lower()], _unit(parts.get("unit")))
    value = _plain(parts["amount"] or "", (parts.get("times") or "").lower())
    return Figure(kind, value, _unit(parts.get("unit"))) if value else None


def _time(parts: dict[str, str | None]) -> Figure:
    if word := (parts.get("word") or "").lower():
        return Figure("time", "00:00" if word == "midnight" else "12:00")
    hour, half = int(parts["hour"] or 0), (parts.get("half") or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return Figure("time", f"{hour % 24:02}:{parts.get('minute') or '00'}")


def _unit(word: str | None) -> str:
    plain = (word or "").lower()
    return "" if plain in _NO_UNIT else plain[:4]


def _plain(amount: str, times: str) -> str:
    """1,240.00 and 1240 are the same."""
    whole = re.sub(r"[,. ](?=\d{3}(?:\D|$))", "", amount).replace(",", ".")
    try:
        value = float(whole) * {"k": 1_000, "m": 1_000_000}.get(times, 1)
    except ValueError:
        return ""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def among(one: Figure, others: Iterable[Figure]) -> bool:
    return any(one.agrees(other) for other in others)


def at_odds(said: Iterable[Figure], meant: Iterable[Figure]) -> Figure | None:
    """A figure that is said in the place of one that is meant; None where they agree, or cannot be compared.

    Who says the figure that is meant may say others beside it.
    """
    said, meant = tuple(said), tuple(meant)
    for one in said:
        comparable = [other for other in meant if other.compares(one)]
        if comparable and not any(among(other, said) for other in comparable):
            return one
    return None
