"""What a task's text has its examinee make: a world that had it would give a point for nothing.

Whether a sentence means that is a reading of words, so the import lists what it left out because of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|`([^`\n]+)`|“([^”\n]+)”|‘([^’\n]+)’|(?<!\w)'([^'\n]+)'(?!\w)|\[([^\[\]\n]+)\]|\*\*([^*\n]+)\*\*"
)
_LONGEST = 1_500
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")
_MARKER = re.compile(r"\s*(?:[-*+•#>|]|\d+[.)]|[a-z][.)])(?:\s|$)|\s*```")
_BETWEEN = (
    r"(?:(?:a|an|the|its|their|your|new|public|private|own|separate|empty|shared|second|another|following|more|two|three|team|company|project|"
    r"rocket\.?chat|gitlab|plane|owncloud|nextcloud|wiki|"
    r"\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|“[^”\n]{1,80}”|`[^`\n]{1,80}`|[#*]\S+)\s+){0,5}"
)
_NOUNS = {
    "channel": r"channels?|group|room",
    "project": r"repository|repositories|repos?|projects?",
    "page": r"pages?|wiki|wiki pages?",
    "board": r"projects?",
    "folder": r"folders?|directory|directories",
    "cycle": r"cycles?|sprints?",
    "item": r"issues?|tasks?|items?|work items?|tickets?|cards?",
    "milestone": r"milestones?",
    "account": r"accounts?|users?",
}
_VERBS = (
    r"(?:creat(?:e|ing)|mak(?:e|ing)|set(?:ting)? up|start(?:ing)?|new|"
    r"(?:add|open|writ|publish|launch|initiali[sz])(?:e|ing)?\s+(?:a|an|another|new))"
)
MAKES = {kind: re.compile(rf"\b{_VERBS}\s+{_BETWEEN}(?:{noun})\b", re.I) for kind, noun in _NOUNS.items()}


def lines(text: str) -> Iterator[str]:
    """The lines of a program or a list, one sentence each; what is longer than any sentence comes in pieces."""
    for line in _SENTENCE.split(text):
        for start in range(0, len(line), _LONGEST):
            if (piece := line[start : start + _LONGEST]).strip():
                yield piece


def sentences(text: str) -> Iterator[str]:
    """The sentences of prose: a paragraph's lines belong together, an item of a list stands for itself."""
    return lines(unwrapped(text))


def unwrapped(text: str) -> str:
    found: list[str] = []
    for line in text.splitlines():
        before = found[-1] if found else ""
        goes_on = before.strip() and line.strip() and not _MARKER.match(line) and not before.lstrip().startswith("#")
        if goes_on and not before.rstrip().endswith((".", "!", "?", ":", ";")):
            found[-1] = f"{before.rstrip()} {line.strip()}"
        else:
            found.append(line)
    return "\n".join(found)


def quotes(text: str) -> list[tuple[str, int, int]]:
    """What stands in quotes, brackets or bold, with where it begins and ends."""
    found = ((next(one for one in match.groups() if one), *match.span()) for match in _QUOTED.finditer(text))
    return [(inner, start, end) for words, start, end in found if (inner := words.strip(" \"'`“”‘’*"))]


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


class Making:
    """What a task's text has made: per kind of thing, the sentences that say so."""

    def __init__(self, text: str) -> None:
        self._said = {
            kind: "-".join(slug(one) for one in sentences(text) if pattern.search(one))
            for kind, pattern in MAKES.items()
        }

    def any(self, kind: str) -> bool:
        return bool(self._said[kind])

    def names(self, kind: str, name: str) -> bool:
        """Does such a sentence contain this name, however it is written?"""
        return bool(slug(name)) and f"-{slug(name)}-" in f"-{self._said[kind]}-"
