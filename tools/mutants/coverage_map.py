"""Which tests reach which line, and how long each takes: one piece for each test file, made once and kept.

A piece holds as long as its test file is the same. Source that has changed since is matched line by line with the text
that the piece was made from, so that an edit elsewhere in a file costs nothing.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.mutants.mentions import Lines, functions_naming, mentions, names_defined
from tools.mutants.mutant import Mutant
from tools.mutants.working_copy import Copy


@dataclass(frozen=True)
class KnownTest:
    """A test function: its id without parameters, what it took, and whether it or its module started processes."""

    id: str
    seconds: float
    spawns: bool

    @property
    def file(self) -> str:
        return self.id.partition("::")[0]


class CoverageMap:
    """Pieces under `folder`, each named by its test file and that file's text."""

    def __init__(self, root: Path, folder: Path, package: str = "src/dayjob") -> None:
        self._root = root
        self._pieces = folder / "pieces"
        self._sources = folder / "sources"
        self._package = package
        self._pieces.mkdir(parents=True, exist_ok=True)
        self._sources.mkdir(parents=True, exist_ok=True)

    def missing(self, test_files: list[str], seconds: float = 0.0) -> list[str]:
        """The files without a piece, and those whose piece was cut short in less time than there is now."""
        return [file for file in test_files if self._short_of(file) < seconds or not self._piece(file).exists()]

    def in_part(self, test_files: list[str]) -> list[str]:
        """The files of which some tests have not run, because their time was up."""
        return [file for file in test_files if self._short_of(file) < float("inf")]

    def _short_of(self, test_file: str) -> float:
        """The seconds that were not enough for a file, or no bound at all."""
        return float(self._read(test_file).get("cut_at") or "inf")

    def make(self, test_file: str, copy: Copy, seconds: float) -> None:
        """Run a test file under coverage in the working copy. A file that hangs leaves an empty piece."""
        piece = self._piece(test_file)
        out = piece.with_suffix(".new")
        program = Path(__file__).with_name("recorder.py")
        command = [copy.python, program, out, str(seconds), copy.path / self._package, test_file]
        with subprocess.Popen(
            [str(part) for part in command], cwd=copy.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                said, _ = process.communicate(timeout=seconds * 2 + 60)
            except subprocess.TimeoutExpired:
                said = _ended(process)
        facts = json.loads(out.read_text("utf-8")) if out.exists() else {"tests": {}, "lines": {}}
        if not facts.get("whole"):
            facts["cut_at"] = seconds
        facts["said"] = said.decode("utf-8", "replace")[-2000:]
        facts["sources"] = {file: self._keep_source(file) for file in facts["lines"]}
        out.write_text(json.dumps(facts), "utf-8")
        out.rename(piece)
        self._read.cache_clear()

    def tests_of(self, test_file: str) -> list[KnownTest]:
        """The tests of a file that passed when the piece was made."""
        facts = self._read(test_file)
        return [
            KnownTest(name, one["seconds"], one["spawns"])
            for name, one in facts["tests"].items()
            if one["passed"] and not one["failed"]
        ]

    def reaching(self, test_file: str, file: str, lines: Iterable[int] | None) -> set[str]:
        """The tests of a test file that run any of these lines of a source file as it is now, or any line at all."""
        facts = self._read(test_file)
        masks: dict[str, str] = facts["lines"].get(file, {})
        names = list(facts["tests"])
        then = self._lines_then(file, facts["sources"].get(file, ""))
        mask = 0
        for line in masks if lines is None else {str(then[now]) for now in lines if now in then}:
            mask |= int(masks.get(line, "0"), 16)
        return {name for place, name in enumerate(names) if mask >> place & 1}

    def using(self, test_file: str, mutant: Mutant) -> set[str]:
        """The tests of a test file that name what is defined by the statement which a mutant changes, or run a line
        that does."""
        names, lines = self._uses(mutant.path, mutant.source, mutant.first, mutant.last)
        found = {name for file, here in lines.items() for name in self.reaching(test_file, file, here)}
        if self.imports(test_file, mutant.path):
            naming = functions_naming((self._root / test_file).read_text("utf-8"), names)
            found |= {test.id for test in self.tests_of(test_file) if test.id.rpartition("::")[2] in naming}
        return found

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - a map lives as long as its run
    def _uses(self, path: str, source: bytes, first: int, last: int) -> tuple[set[str], Lines]:
        names = names_defined(source, first, last)
        return names, mentions(self._root, path, names, self._package)

    def imports(self, test_file: str, file: str) -> bool:
        """Whether a test file imports a module, or something of its package: it may look at a constant alone."""
        module = Path(file).with_suffix("")
        stem = module.parent.name if module.name == "__init__" else module.name
        package = ".".join(module.parent.parts[1:])
        pattern = rf"^\s*(?:from|import)\s[^\n]*(?:\b{re.escape(stem)}\b|\b{re.escape(package)}\s+import\b)"
        return bool(re.search(pattern, (self._root / test_file).read_text("utf-8"), re.MULTILINE))

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - a map lives as long as its run
    def _lines_then(self, file: str, digest: str) -> dict[int, int]:
        """From a line's number now to its number when the piece was made."""
        now = (self._root / file).read_bytes().splitlines()
        kept = self._sources / digest
        if not digest or not kept.exists():
            return {}
        then = kept.read_bytes().splitlines()
        if now == then:
            return {number: number for number in range(1, len(now) + 1)}
        found = {}
        for block in difflib.SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks():
            found.update({block.b + step + 1: block.a + step + 1 for step in range(block.size)})
        return found

    @functools.lru_cache(maxsize=512)  # noqa: B019 - a map lives as long as its run
    def _read(self, test_file: str) -> dict[str, Any]:
        piece = self._piece(test_file)
        if not piece.exists():
            return {"tests": {}, "lines": {}, "sources": {}}
        facts: dict[str, Any] = json.loads(piece.read_text("utf-8"))
        return facts

    def _piece(self, test_file: str) -> Path:
        digest = hashlib.sha256((self._root / test_file).read_bytes()).hexdigest()[:12]
        return self._pieces / f"{test_file.replace('/', '.')}-{digest}.json"

    def _keep_source(self, file: str) -> str:
        text = (self._root / file).read_bytes()
        digest = hashlib.sha256(text).hexdigest()[:20]
        (self._sources / digest).write_bytes(text)
        return digest


def _ended(process: subprocess.Popen[bytes]) -> bytes:
    """What it said until it was told to end; it ends its own children on the way."""
    process.terminate()
    try:
        return process.communicate(timeout=15)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]
