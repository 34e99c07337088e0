"""Mutants that no test can find because they change nothing anyone could see: a committed list, each with its reason.

An entry is known by its file, its function and its text, so it lives through edits elsewhere. One that fits no mutant
any more is an error: the line has changed, and the reason may no longer hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import Mutant
from tools.mutants.operators import mutants_of

LIST = Path(__file__).with_name("equivalent.txt")


@dataclass(frozen=True)
class Equivalent:
    path: str
    function: str
    before: str
    after: str
    reason: str
    line: int


class EquivalentsError(Exception):
    """The list cannot be read, or an entry of it fits nothing."""


def read_equivalents(path: Path = LIST) -> dict[tuple[str, str, str, str], Equivalent]:
    """Entries of four lines: file and function, `- ` before, `+ ` after, the reason. `#` begins a comment."""
    rows = [
        (number, line)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    found = {}
    for at in range(0, len(rows), 4):
        number, head = rows[at]
        lines = [line for _, line in rows[at + 1 : at + 4]]
        if len(lines) < 3 or not lines[0].startswith("- ") or not lines[1].startswith("+ "):
            raise EquivalentsError(f"{path.name}:{number}: an entry is a file and function, `- `, `+ ` and a reason.")
        file, _, function = head.partition(" ")
        entry = Equivalent(file, function.strip(), lines[0][2:].strip(), lines[1][2:].strip(), lines[2].strip(), number)
        found[entry.path, entry.function, entry.before, entry.after] = entry
    return found


def equivalence_key(mutant: Mutant) -> tuple[str, str, str, str]:
    return mutant.path, mutant.function, *mutant.diff


def stale(root: Path, entries: dict[tuple[str, str, str, str], Equivalent]) -> list[Equivalent]:
    """The entries that no mutant of today's source answers to."""
    there: set[tuple[str, str, str, str]] = set()
    for file in {entry.path for entry in entries.values()}:
        if (root / file).is_file():
            there.update(equivalence_key(one) for one in mutants_of(file, (root / file).read_bytes()))
    return [entry for key, entry in entries.items() if key not in there]
