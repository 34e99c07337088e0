"""In which order the lines of a timeline happen, as far as that can be known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dayjob.company.timeline.model import Entry


class Order:
    """Lines with moments stand on the calendar; those that follow an event are counted from it, whenever it comes."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._by_mark = {one.mark: one for one in entries}
        self._number = {one.mark: number for number, one in enumerate(entries)}

    def way(self, one: Entry) -> list[Entry]:
        """The line, the one it follows, and so on to one with a moment or an event."""
        way = [one]
        while way[-1].after == "entry":
            before = self._by_mark.get(way[-1].where["mark"])
            if before is None or before in way:
                break
            way.append(before)
        return way

    def comes_before(self, other: Entry, one: Entry) -> bool:
        """Whether a line comes before another, or may."""
        if other in self.way(one)[1:]:
            return True
        if other is one or one in self.way(other):
            return False
        (root, *here), (other_root, *there) = self._place(one), self._place(other)
        return root != other_root or there < here

    def surely_before(self, other: Entry, one: Entry) -> bool:
        """Whether it comes before whatever happens, if it comes at all."""
        same = other in self.way(one)[1:] or self._place(other)[0] == self._place(one)[0]
        return same and self.comes_before(other, one)

    def earlier(self, one: Entry, *acts: str) -> list[Entry]:
        """Lines with such an act that come before it, or may, in their order."""
        found = [other for other in self._entries if other.act in acts and self.comes_before(other, one)]
        return sorted(found, key=self._place)

    def _place(self, one: Entry) -> tuple[str, float, int]:
        """What its time is counted from ("" is the calendar), the seconds since, and its place in the file."""
        way = self.way(one)
        seconds = sum(each.delay for each in way)
        first, number = way[-1], self._number[one.mark]
        if first.at:
            return "", seconds + datetime.fromisoformat(first.at).timestamp(), number
        return first.mark, seconds, number
