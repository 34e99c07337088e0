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
    "cost price expense eur euro money pay spend amount sum fee charge expensive",
    "time hour when clock slot o'clock",
    "day date when",
    "busy occupied unavailable taken unable impossible booked blocked",
    "free available availability suit possible empty",
    "total sum figure number amount altogether together overall",
    "wish want like need order request",
    "squash rebase fastforward",
    "folder directory path place location where",
    "file document sheet spreadsheet",
    "customer client",
    "colleague person who whom somebody",
    "remove delete drop erase strike",
    "change differ difference alter update modify edit adjust",
    "budget forecast draft plan",
    "state status stand progress far column",
    "withdraw withdrawn cancel retract quit resign",
    "buddy mentor guide",
    "token secret credential password key passphrase",
    "reason why because cause motive",
    "start begin commence first",
    "end finish expire last until stop",
    "deadline due late latest urgent hurry soon",
    "send forward pass mail deliver",
    "tell inform notify report announce mention",
    "approve agree accept consent permission allow sign allowed permit okay",
    "check review verify inspect control examine look",
    "boss lead manager supervisor head superior",
    "laptop notebook computer",
    "monitor screen display",
    "meeting appointment meet",
    "move shift postpone reschedule movable flexible",
    "invoice bill",
    "vendor supplier shop",
    "employee staff people",
    "salary pay wage earn income",
    "applicant candidate application apply",
    "requirement condition criterion must rule",
    "rank order sort position",
    "round decimal cent exact precise accurate",
    "receipt bill slip",
    "refund reimburse repay",
    "trip travel journey",
    "daily day per diem allowance",
    "exchange convert currency rate franc",
    "half partial part",
    "edit write change modify",
    "read view see open",
    "share give access hand",
    "name title label call",
    "column format layout field structure",
    "missing absent lacking gone forgotten left",
    "identical equal same tie draw",
    "wrong incorrect false mistake error bug",
    "right correct true accurate",
    "explain describe clarify",
    "example sample instance",
    "test check",
    "merge integrate",
    "branch fork",
    "history past old earlier previous",
    "rotate renew replace revoke exchange",
    "host server machine",
    "variable setting parameter configuration",
    "once single one-off single-time",
    "month monthly",
    "quarter q1 q2 q3 q4",
    "year annual yearly",
    "phone telephone call ring",
    "ill sick cold unwell absent",
    "home address",
    "room orangery",
    "seat chair",
    "rule guideline policy handbook regulation",
    "favourite favorite prefer preference best",
    "number count many",
    "zone region country",
    "night shift",
    "winter october autumn",
    "spring march summer",
    "confidential private discreet secret",
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


def alike(word: str) -> frozenset[str]:
    """The stems that mean about the same."""
    return _GROUPS.get(word, frozenset())


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
