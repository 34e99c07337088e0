"""A trajectory on disk, read a step at a time: where each step lies in the file, found without parsing the rest.

A trajectory of hundreds of megabytes opens as fast as a small one. Files in our own layout (JSON indented by one) are
cut at line starts, which is exact because a JSON string holds no raw newline; any other layout is scanned for brackets.
"""

from __future__ import annotations

import json
import mmap
import re
import threading
from array import array
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

_OPENING = re.compile(rb'\A\{\n "')
_STEPS = b'\n "steps": ['
_STEP = b"\n  {"
_END = b"\n ]"
# A string, or one of the signs that open and close things.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_STEPS_NAME = re.compile(rb'"steps"\s*:\s*\[')
# A whole document up to this size is simply parsed.
SMALL = 4 * 1024 * 1024


class TrajectoryError(Exception):
    """A trajectory that cannot be read; the sentence names the file."""


class TrajectoryFile:
    """The steps of one trajectory. Opening finds the first steps; `reach` looks further as pages are turned."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            raise TrajectoryError(f"{path} cannot be read: {error}") from error
        self.size = len(self._map)
        self._finding = threading.Lock()
        self._starts = array("Q")
        self._end = 0
        self.complete = False
        first = self._map.find(_STEPS) if _OPENING.match(self._map) else -1
        self._ours = first >= 0
        self._array = first + len(_STEPS) if self._ours else self._find_array()
        self._finder = self._by_lines() if self._ours else self._by_brackets()

    def __enter__(self) -> TrajectoryFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._finder.close()
        if isinstance(self._map, mmap.mmap):
            self._map.close()

    def reach(self, count: int) -> int:
        """Find at least `count` steps, or all there are; returns how many are known now. Threads take turns."""
        with self._finding:
            while not self.complete and len(self._starts) <= count:
                start = next(self._finder, None)
                if start is None:
                    self.complete = True
                else:
                    self._starts.append(start)
            return len(self._starts)

    @property
    def known(self) -> int:
        return len(self._starts)

    def count(self) -> int:
        """How many steps there are; looks through the whole file."""
        return self.reach(self.size)

    def steps(self, first: int, count: int) -> list[dict[str, Any]]:
        """Steps by their place, counted from 0."""
        known = self.reach(first + count)
        return [self._step(place) for place in range(first, min(first + count, known))]

    def within(self, count: int, size: int) -> list[dict[str, Any]]:
        """The first steps: at most `count` of them, and no more than begin in the first `size` bytes."""
        place = 0
        while place < count and place < self.reach(place + 1) and self._starts[place] - self._array <= size:
            place += 1
        return self.steps(0, place)

    def every_step(self) -> Iterator[dict[str, Any]]:
        place = 0
        while place < self.reach(place + 1):
            yield self._step(place)
            place += 1

    def head(self) -> dict[str, Any]:
        """What the document says before its steps: enough to name the agent, at no cost however long the rest is."""
        try:
            found = json.loads(bytes(self._map[: self._array]) + b"]}")
        except ValueError:  # a layout with something unfinished before the steps: read it all
            return self.rest()
        return found if isinstance(found, dict) else {}

    def rest(self) -> dict[str, Any]:
        """The document without its steps: who acted, and the final figures."""
        try:
            if self.size <= SMALL:
                found = json.loads(bytes(self._map))
            else:
                self.count()
                found = json.loads(bytes(self._map[: self._array]) + bytes(self._map[self._end :]))
        except ValueError as error:
            raise TrajectoryError(f"{self.path} is not JSON: {error}") from error
        if not isinstance(found, dict):
            raise TrajectoryError(f"{self.path} is not an object with steps")
        return {**found, "steps": []}

    def _step(self, place: int) -> dict[str, Any]:
        end = self._starts[place + 1] if place + 1 < len(self._starts) else self._end
        text = bytes(self._map[self._starts[place] : end]).rstrip().rstrip(b",")
        try:
            step = json.loads(text)
        except ValueError as error:
            raise TrajectoryError(f"{self.path}: step {place + 1} is not JSON: {error}") from error
        return step if isinstance(step, dict) else {"source": "?", "message": step}

    def _by_lines(self) -> Generator[int, None, None]:
        place = self._array - 1
        while True:
            following = self._map.find(_STEP, place + 1)
            end = self._map.find(_END, place + 1, following if following >= 0 else self.size)
            if following < 0 or end >= 0 or self._map[self._array : self._array + 1] == b"]":
                self._end = max(end, self._array)
                return
            place = following
            yield place + 1

    def _find_array(self) -> int:
        """The place behind the bracket that opens the steps of the document itself, not of something inside it."""
        depth = 0
        for token in _TOKEN.finditer(self._map):
            sign = token.group()
            if sign == b'"steps"' and depth == 1 and (name := _STEPS_NAME.match(self._map, token.start())):
                return name.end()
            depth += (sign in b"{[") - (sign in b"}]")
        raise TrajectoryError(f"{self.path} has no list of steps")

    def _by_brackets(self) -> Generator[int, None, None]:
        depth = 0
        for token in _TOKEN.finditer(self._map, self._array):
            sign = token.group()
            if sign in b"{[":
                if depth == 0:
                    yield token.start()
                depth += 1
            elif sign in b"}]":
                depth -= 1
                if depth < 0:
                    self._end = token.start()
                    return
        raise TrajectoryError(f"{self.path} ends in the middle of a step")
