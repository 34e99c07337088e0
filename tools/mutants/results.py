"""What became of each mutant, a line of JSON each: a run that is stopped goes on where it was.

A killed mutant stays killed while the file it changes and the test that killed it are the same; a survivor is tried
again as soon as any of its tests changes, or there is another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Verdict = Literal["killed", "timed out", "survived", "not covered", "error"]


@dataclass(frozen=True)
class Result:
    """`by` is the test that failed, `tests` what ran; `tests_hash` is of the text of the tests that decided."""

    key: str
    verdict: Verdict
    by: str
    tests: list[str]
    tests_hash: str
    seconds: float
    cut: bool
    said: str = ""

    @property
    def found(self) -> bool:
        return self.verdict in ("killed", "timed out")


class Results:
    def __init__(self, root: Path, path: Path) -> None:
        self._root = root
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._known: dict[str, Result] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                with contextlib.suppress(ValueError):  # the last line of a run that was killed while it wrote
                    result = Result(**json.loads(line))
                    self._known[result.key] = result

    def known(self, key: str, tests: list[str]) -> Result | None:
        """The result of an earlier run, if it still holds for these tests."""
        found = self._known.get(key)
        if found is None or found.verdict == "error":
            return None
        decided = [found.by] if found.found and found.by else tests
        return found if self.tests_hash(decided) == found.tests_hash else None

    def add(self, result: Result) -> None:
        self._known[result.key] = result
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")

    def tests_hash(self, tests: list[str], root: Path | None = None) -> str:
        """Of the names of tests and the text of their files, in the project or in a copy of it."""
        digest = hashlib.sha256()
        for name in sorted(tests):
            digest.update(name.encode() + b"\0")
        for file in sorted({name.partition("::")[0] for name in tests}):
            path = (root or self._root) / file
            digest.update(path.read_bytes() if path.is_file() else b"gone")
        return digest.hexdigest()[:20]
