"""A message cut into sentences and lines, each in one spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_SPLIT = re.compile(r"(?<=[.?!…])[\"'”’)\]*_]*\s+|\n+|\s+[•·]\s+|(?<=\w);\s+")
_BULLET = re.compile(r"^\s*(?:[-*•–>]+|\d{1,2}[.)])\s+")
_SHORTENED = re.compile(
    r"\b(?:a\.m\.|p\.m\.|e\.g\.|i\.e\.|approx\.|etc\.|no\.(?=\s*\d)|nr\.|vs\.|resp\.|incl\.|excl\.)", re.IGNORECASE
)
_APOSTROPHES = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|wo|ca)nt\b|\b(i)(m|ve)\b|\b(that|what|who|it"
    r"|there|here|where|how|when)s\b(?=\s)",
    re.IGNORECASE,
)
MEANT = {
    "pls": "please", "plz": "please", "ppl": "people", "tho": "though", "thru": "through", "u": "you", "ur": "your",
    "w/o": "without", "w/": "with ", "bc": "because", "cuz": "because", "abt": "about", "tmrw": "tomorrow",
    "tmr": "tomorrow", "wanna": "want to", "gonna": "going to", "gotta": "have to", "lemme": "let me",
    "gimme": "give me", "sth": "something", "smth": "something", "idk": "I do not know", "dunno": "do not know",
    "yday": "yesterday", "mins": "minutes", "hrs": "hours", "eod": "the end of the day", "docs": "documents",
    "adress": "address", "seperate": "separate", "recieve": "receive", "calender": "calendar", "forcast": "forecast",
}  # fmt: skip
"""What people write in a hurry, as it is meant."""
_HURRIED = re.compile(
    rf"(?<![\w/@#.-])(?:{'|'.join(map(re.escape, sorted(MEANT, key=len, reverse=True)))})(?![\w/'.-]*\w)",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(
    rf"\b(?:the )?({'|'.join(_ORDINALS)}) of (january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b",
    re.IGNORECASE,
)
_LONGEST = 600
"""A sentence has so many letters at most."""
_NUMBERED = re.compile(r"^(\d{1,2})\.(?=\s)", re.MULTILINE)
_QUOTED = re.compile(r"^\s*>")


def sentences(text: str) -> list[tuple[str, bool]]:
    """Each with whether it is a point of a list."""
    shown = re.sub(r"([^\w\s])\1{3,}", r"\1\1\1", unicodedata.normalize("NFKC", text)).replace("’", "'")
    shown = _APOSTROPHES.sub(_with_apostrophe, _HURRIED.sub(lambda found: MEANT[found[0].lower()], shown))
    shown = _ORDINAL.sub(lambda found: f"{_ORDINALS.index(found[1].lower()) + 1} {found[2]}", shown)
    shown = _SHORTENED.sub(lambda found: found[0].replace(".", ""), shown)
    shown = _NUMBERED.sub("\\1)", re.sub(r"\s+", lambda gap: "\n" if "\n" in gap[0] else " ", shown))
    found = []
    for line in shown.splitlines():
        if not _QUOTED.match(line):
            in_list = _BULLET.match(line) is not None
            found += [(part.strip(), in_list) for part in _SPLIT.split(_BULLET.sub("", line))]
    return [one for one in found if re.search(r"\w|👍", one[0])]


def _with_apostrophe(found: re.Match[str]) -> str:
    """ "isnt", "im" and "whats" as they are meant; "its" and "were" stay what they may be."""
    if found[1]:
        return f"{found[1]}n't"
    if found[2]:
        return f"{found[2]}'{found[3]}"
    return found[0] if found[4].lower() == "it" else f"{found[4]}'s"


def pieces(sentence: str) -> Iterator[str]:
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", 1, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    yield sentence
