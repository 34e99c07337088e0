"""A change as a difference a person reads: the fields that differ, long texts line by line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dayjob.report.viewer.chat import pretty

MOST_LINES = 400
# Comparing two texts line by line takes the product of their lengths at worst.
LARGEST_COMPARED = 100_000


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """One field: lines that begin with `+`, `-` or a blank, as a difference has them."""

    name: str
    lines: list[str]
    cut: bool = False


def field_diffs(change: dict[str, Any]) -> list[FieldDiff]:
    before, after = change.get("before"), change.get("after")
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    # Of a row that is new or gone, what is nothing anyway goes without saying.
    alone = not old or not new
    found = []
    for name in {**old, **new}:
        was, now = old.get(name), new.get(name)
        if was == now or (_empty(was, alone) and _empty(now, alone)):
            continue
        lines = text_diff(_text(was), _text(now))
        found.append(FieldDiff(str(name), lines[:MOST_LINES], len(lines) > MOST_LINES))
    return found


def text_diff(old: str, new: str) -> list[str]:
    """Lines gone, lines new, and a few around them."""
    left, right = old.splitlines(), new.splitlines()
    if max(len(old), len(new)) > LARGEST_COMPARED or not left or not right:
        return [f"-{line}" for line in left] + [f"+{line}" for line in right]
    lines = difflib.unified_diff(left, right, n=3, lineterm="")
    return list(islice(lines, 2, MOST_LINES * 4))


def _empty(value: Any, alone: bool) -> bool:
    return value is None or value in ("", [], "[]", "{}") or (alone and value == 0)


def _text(value: Any) -> str:
    return "" if value is None else pretty(value)
