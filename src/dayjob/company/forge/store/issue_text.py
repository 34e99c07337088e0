"""What the text of issues, commits and merge requests says to the forge: what it closes, whom it mentions, times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dayjob.company.ids import Ids

LOOKED_AT = 20_000
"""Characters at the beginning of a text in which references are found."""
# Every repetition below is bounded, and gives nothing back once it has matched: no text makes them try again and again.
_PATH = r"[\w.-]{1,255}+(?:/[\w.-]{1,255}+){0,20}+"
_LINK = r"https?://[^/\s]{1,255}+/\S{1,300}?/(?:-/)?issues/\d{1,15}"
_CLOSING = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s{1,20}+"
    rf"((?:(?:(?:issues?\s{{1,20}}+)?(?:{_PATH})?#\d{{1,15}}|{_LINK})\s{{0,20}}+,?\s{{0,20}}+(?:and\s{{1,20}}+)?){{1,100}}+)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    rf"(?:(?<![\w./-])({_PATH}))?#(\d{{1,15}})\b|https?://[^/\s]{{1,255}}+/(\S{{1,300}}?)/(?:-/)?issues/(\d{{1,15}})"
)
_MENTION = re.compile(r"(?<![\w.@/`])@([A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,254}[A-Za-z0-9_])?)")


def closed_issues(text: str) -> Iterator[tuple[str, int]]:
    """(project path or '', issue number) for everything the text says it closes."""
    for found in _CLOSING.finditer(text[:LOOKED_AT]):
        for reference in _REFERENCE.finditer(found[1]):
            if reference[2]:
                yield reference[1] or "", int(reference[2])
            else:
                yield reference[3], int(reference[4])


def mentioned_issues(text: str) -> Iterator[tuple[str, int]]:
    for reference in _REFERENCE.finditer(text[:LOOKED_AT]):
        if reference[2]:
            yield reference[1] or "", int(reference[2])
        else:
            yield reference[3], int(reference[4])


def mentioned_people(text: str) -> list[str]:
    return list(dict.fromkeys(_MENTION.findall(text[:LOOKED_AT])))


def discussion_id(ids: Ids) -> str:
    """Forty hexadecimal digits, as discussions are named."""
    return ids.hex(40)


def seconds(duration: str) -> int | None:
    """`1w 2d 3h 30m` as seconds (a day is 8 hours, a week 5 days, a month 4 weeks); None when it is not a duration."""
    units = {"mo": 4 * 5 * 8 * 3600, "w": 5 * 8 * 3600, "d": 8 * 3600, "h": 3600, "m": 60, "s": 1}
    sign = -1 if duration.strip().startswith("-") else 1
    rest = duration.strip().lstrip("+-").replace(" ", "")
    total = 0
    while rest:
        part = re.match(r"(\d{1,9}(?:\.\d+)?)(mo|w|d|h|m|s)", rest)
        if part is None:
            return None
        total += int(float(part[1]) * units[part[2]])
        rest = rest[part.end() :]
    return sign * total if duration.strip() else None


def human(total: int) -> str | None:
    """Seconds as `1w 2d 3h`; None for nothing."""
    if not total:
        return None
    sign, rest, parts = ("-" if total < 0 else ""), abs(total), []
    for name, size in (
        ("mo", 4 * 5 * 8 * 3600),
        ("w", 5 * 8 * 3600),
        ("d", 8 * 3600),
        ("h", 3600),
        ("m", 60),
        ("s", 1),
    ):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{sign}{count}{name}")
    return " ".join(parts)
