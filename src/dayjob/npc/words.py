"""Words as they are compared: their stems, what is alike among them, and numbers in one spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def each_of(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


_COMMON = each_of(
    "a an the and or but if of in on at to for from by with about as is are was were be been being am do does did "
    "have has had "
    "i me my we our us you your yours he him his she her it its they them their this that these those there here "
    "what which "
    "who whom whose when where why how can could will would shall should may might must not no nor so than then too "
    "very just "
    "also please hi hello hey thanks thank ok okay yes any some all more most other such own same s t d ll m re ve "
    "don now let else "
    "get got know tell say said need want like one thing things anything something everything sam up out into over "
    "again"
)
_ALIKE = (
    "cost price expense eur euro money pay spend amount sum",
    "time hour when clock slot",
    "day date when",
    "busy occupied unavailable taken unable impossible",
    "free available availability suit possible",
    "total sum figure number amount",
    "wish want like need order",
    "squash rebase fastforward",
    "folder directory path place location where",
    "file document sheet",
    "customer client",
    "colleague person who whom somebody",
    "remove delete drop",
    "change differ difference alter update new",
    "budget forecast draft plan",
    "state status stand progress far",
    "withdraw withdrawn cancel retract quit",
    "buddy mentor",
    "token secret credential password key",
    "reason why because",
)
_GROUPS: dict[str, frozenset[str]] = {}


def stem(word: str) -> str:
    """A word without its ending."""
    for ending, put in (("ies", "y"), ("ing", ""), ("edly", ""), ("ed", ""), ("es", ""), ("s", ""), ("ly", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + put
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=2048)
def content(text: str) -> frozenset[str]:
    """The stems of the words that mean something."""
    return frozenset(stem(one) for one in words(text) if one not in _COMMON)


for _line in _ALIKE:
    _stems = frozenset(stem(one) for one in _line.split())
    for _one in _stems:
        _GROUPS[_one] = _GROUPS.get(_one, frozenset()) | _stems


def likeness(asked: frozenset[str], said: frozenset[str]) -> float:
    """How much of what is asked is spoken of in a text: 1 for all of it. Words alike count half."""
    if not asked:
        return 0.0
    score = 0.0
    for one in asked:
        if one in said:
            score += 1.0
        elif _GROUPS.get(one, frozenset()) & said:
            score += 0.5
    return score / len(asked)


_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:[,.\s]\d{3})+(?:[.,]\d{1,2})?(?!\w)|(?<![\w])\d+(?:[.,:]\d+)?(?!\d)")


@lru_cache(maxsize=1024)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a text in one spelling: 1,240.00 and 1240 are the same, and so are 10:00 and 10."""
    found = set()
    for one in _NUMBER.findall(text):
        plain = re.sub(r"[,.\s](?=\d{3}(?:\D|$))", "", one).replace(",", ".").replace(":", ".")
        plain = re.sub(r"\.0+$", "", plain)
        found.add(plain.lstrip("0") or "0")
    return frozenset(found)
