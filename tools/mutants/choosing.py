"""The tests a mutant is tried with: those that run its line, nearest and quickest first, up to so many seconds.

What runs at import is tried with every test of the files that import the module: a test may look at a constant and run
nothing. Those that name what is defined there, or run a line that does, come first. Coverage does not see into
processes that tests start. Where it leaves time, tests that start processes, from the test files that belong to the
source file, come after those that it names.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.mutants.coverage_map import CoverageMap, KnownTest
from tools.mutants.mutant import Mutant
from tools.mutants.nearness import nearness

FIRST_BATCH = 2.0


@dataclass(frozen=True)
class Choice:
    """Batches of tests in order; `cut` when the budget left some out; `covered` when coverage names any."""

    batches: tuple[tuple[KnownTest, ...], ...]
    cut: bool
    covered: bool

    @property
    def tests(self) -> list[KnownTest]:
        return [test for batch in self.batches for test in batch]


def choose(mutant: Mutant, test_files: list[str], known: CoverageMap, budget: float) -> Choice:
    lines = None if mutant.module_level else range(mutant.first, mutant.last + 1)
    using: set[str] = set()
    reaching: list[KnownTest] = []
    starting: list[KnownTest] = []
    for file in test_files:
        names = known.reaching(file, mutant.path, lines)
        if mutant.module_level:
            using |= known.using(file, mutant)
        looks = mutant.module_level and known.imports(file, mutant.path)
        for test in known.tests_of(file):
            if looks or test.id in names or test.id in using:
                reaching.append(test)
            elif test.spawns:
                starting.append(test)
    order = [
        *sorted(reaching, key=lambda one: (one.id not in using, *_rank(mutant, one))),
        *sorted(starting, key=lambda one: _rank(mutant, one)),
    ]
    taken: list[KnownTest] = []
    spent = 0.0
    for test in order:
        if spent + test.seconds <= budget or not taken:
            taken.append(test)
            spent += test.seconds
    return Choice(_batches(taken), len(taken) < len(order), bool(reaching))


def _rank(mutant: Mutant, test: KnownTest) -> tuple[int, int, str, float]:
    pace = sum(test.seconds > limit for limit in (0.2, 1.0, 4.0))
    return pace, -nearness(mutant.path, test.file), test.file, test.seconds


def _batches(tests: list[KnownTest]) -> tuple[tuple[KnownTest, ...], ...]:
    """The first couple of seconds apart, so that a mutant killed there does not wait for the other files to load."""
    spent, files = 0.0, set()
    for place, test in enumerate(tests):
        spent += test.seconds
        files.add(test.file)
        if place and (spent > FIRST_BATCH or len(files) > 2):
            return tuple(tests[:place]), tuple(tests[place:])
    return (tuple(tests),) if tests else ()
