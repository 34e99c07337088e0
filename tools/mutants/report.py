"""What a run found, as Markdown: a table by group, and the survivors by file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from tools.mutants.mutant import Mutant
from tools.mutants.results import Result

_HEAD = "| group | mutants | killed | survived | not covered | equivalent | killed of the others |"
_RULE = "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"


@dataclass(frozen=True)
class Tally:
    """One row. Equivalent mutants are counted apart and are no part of the share."""

    group: str
    mutants: int
    killed: int
    survived: int
    not_covered: int
    equivalent: int

    @property
    def share(self) -> float | None:
        others = self.killed + self.survived + self.not_covered
        return self.killed / others if others else None

    def row(self) -> str:
        share = "" if self.share is None else f"{self.share:.0%}"
        counts = (self.mutants, self.killed, self.survived, self.not_covered, self.equivalent)
        return f"| {self.group} | {' | '.join(str(count) for count in counts)} | {share} |"


def tally(group: str, mutants: list[Mutant], results: dict[str, Result], equivalent: set[str]) -> Tally:
    """Of those that have a result, and of the equivalent ones, which are not tried."""
    verdicts = [results[one.key].verdict for one in mutants if one.key in results]
    return Tally(
        group,
        len(verdicts) + len(equivalent),
        sum(one in ("killed", "timed out") for one in verdicts),
        sum(one in ("survived", "error") for one in verdicts),
        verdicts.count("not covered"),
        len(equivalent),
    )


def table(rows: list[Tally]) -> str:
    return "\n".join([_HEAD, _RULE, *(row.row() for row in rows)])


def survivors(mutants: list[Mutant], results: dict[str, Result]) -> Iterator[str]:
    """Those that nothing noticed: where, what changed, and what was tried."""
    left = [one for one in mutants if one.key in results and not results[one.key].found]
    for path, ones in groupby(sorted(left, key=lambda one: (one.path, one.line)), key=lambda one: one.path):
        yield f"\n## {path}\n"
        for one in ones:
            yield f"{path}:{one.line} in {one.function or 'the module'} ({one.edit.kind}) {_tried(results[one.key])}"
            yield f"    - {one.diff[0]}"
            yield f"    + {one.diff[1]}"


def _tried(result: Result) -> str:
    if result.verdict == "not covered":
        return "no test runs it"
    if result.verdict == "error":
        return f"could not be tried: {result.said[-300:]!r}"
    few = ", ".join(result.tests[:3])
    more = f" and {len(result.tests) - 3} more" if len(result.tests) > 3 else ""
    return f"after {len(result.tests)} tests, {result.seconds:.0f} s{', cut' if result.cut else ''}: {few}{more}"
