"""Tests whose failure may count against a mutant: those that pass in the same place without one.

A test that fails in a working copy anyway would kill every mutant it meets. So the first time that a test kills, it
runs again alone with the source as it is; one that fails then is left out from there on.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path


class Trust:
    """Kept as lines of JSON. A test is known by its id and the hash of its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._passes: dict[tuple[str, str], bool] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                test, digest, passes = json.loads(line)
                self._passes[test, digest] = passes

    def passes(self, test: str, digest: str) -> bool | None:
        """Whether the test passed without a mutant; nothing if that is not known yet."""
        return self._passes.get((test, digest))

    def learn(self, test: str, digest: str, passes: bool) -> None:
        with self._lock:
            self._passes[test, digest] = passes
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([test, digest, passes]) + "\n")
