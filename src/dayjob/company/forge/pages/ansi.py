"""Logs of jobs for a page: colours that a terminal would show as classes, everything else that steers one left out."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

LINES = 5000
"""The last lines of a log that a page shows."""
_LONGEST = 4000
"""Characters of one line."""
_SECTION = re.compile(r"section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?\r?")
_CONTROL = re.compile(
    r"\x1b\[([0-9;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]?|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
_STYLES = {1: "bold", 3: "italic", 4: "underlined"}


class _Pen:
    """What text looks like from here on."""

    def __init__(self) -> None:
        self.colour: int | None = None
        self.styles: set[str] = set()

    def set(self, numbers: list[int]) -> None:
        place = 0
        while place < len(numbers):
            number = numbers[place]
            if number == 0:
                self.colour, self.styles = None, set()
            elif number in _STYLES:
                self.styles.add(_STYLES[number])
            elif number in (22, 23, 24):
                self.styles.discard(_STYLES[number - 20 if number != 22 else 1])
            elif 30 <= number <= 37:
                self.colour = number - 30
            elif 90 <= number <= 97:
                self.colour = number - 90
            elif number == 39:
                self.colour = None
            elif number in (38, 48):  # a colour of a larger palette: its numbers are no styles
                place += 2 if numbers[place + 1 : place + 2] == [5] else 4
            place += 1

    def written(self, text: str) -> Markup:
        names = [f"ansi-{self.colour}"] * (self.colour is not None) + [f"ansi-{one}" for one in sorted(self.styles)]
        return Markup('<span class="{}">{}</span>').format(" ".join(names), text) if names else escape(text)


def lines(log: bytes) -> list[tuple[int, Markup]]:
    """The log's last lines with their numbers, each safe to show."""
    text = log.decode("utf-8", "replace").replace("\r\n", "\n")
    rows = text.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    first = max(0, len(rows) - LINES)
    pen, found = _Pen(), []
    for number, row in enumerate(rows[first:], first + 1):
        found.append((number, _line(row, pen)))
    return found


def _line(row: str, pen: _Pen) -> Markup:
    row = _SECTION.sub("", row)
    # What a progress bar wrote over is not there any more.
    row = row.rstrip("\r").rpartition("\r")[2][:_LONGEST]
    found, place = Markup(""), 0
    for control in _CONTROL.finditer(row):
        found += pen.written(row[place : control.start()]) if control.start() > place else ""
        place = control.end()
        if control[2] == "m":
            pen.set([int(one or 0) for one in control[1].split(";")][:20])
    return found + (pen.written(row[place:]) if place < len(row) else "")
