"""The groups of a run: the modules that scores, secrets, money and access rest on, and the rest of `src/`."""

from __future__ import annotations

import fnmatch
import hashlib
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import Mutant
from tools.mutants.operators import mutants_of

REST = "rest"


@dataclass(frozen=True)
class Group:
    """Files by pattern, the size of their sample, and test files or folders beside those that mirror them."""

    name: str
    files: tuple[str, ...]
    sample: int = 60
    tests: tuple[str, ...] = ()


GROUPS = (
    Group("scoring", ("scoring.py",), tests=("tests/report/test_repeats.py", "tests/report/test_summary.py")),
    Group("grading", ("grading/*",), tests=("tests/trial/test_grading.py", "tests/trial/test_grader_git.py")),
    Group("trial", ("trial/*",)),
    Group("llm", ("llm/*",)),
    Group("npc", ("npc/*",)),
    Group("sandbox", ("sandbox/*", "seccomp.py"), tests=("tests/sandbox",)),
    Group("report", tuple(f"report/{name}.py" for name in
          ("intervals", "distributions", "repeats", "compare", "report_data", "summary", "breakdown", "trial_facts",
           "results"))),
    Group("forge", ("company/forge/store/*",)),
    Group("chat", ("company/chat/store/*",)),
    Group("board", ("company/board/store/*",)),
    Group("drive", ("company/drive/store/*",)),
    Group(REST, ("*",), sample=300),
)  # fmt: skip


def group_named(name: str) -> Group:
    return next(group for group in GROUPS if group.name == name)


def files_of(root: Path, group: Group, package: str = "src/dayjob") -> list[str]:
    """The group's source files, from the project's root; the rest is what no other group names."""
    files = sorted(str(path.relative_to(root)) for path in (root / package).rglob("*.py"))
    taken = [pattern for other in GROUPS if other.name != REST for pattern in other.files]
    found = []
    for file in files:
        inside = file.removeprefix(f"{package}/")
        if any(fnmatch.fnmatch(inside, pattern) for pattern in group.files) and not (
            group.name == REST and any(fnmatch.fnmatch(inside, pattern) for pattern in taken)
        ):
            found.append(file)
    return found


def all_mutants(root: Path, files: list[str]) -> list[Mutant]:
    return [mutant for file in files for mutant in mutants_of(file, (root / file).read_bytes())]


def sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many of them at random, always the same for a seed; those that do not compile make room for others.

    Each has a rank by what it changes, not by where it stands: a change elsewhere leaves a sample as it was.
    """
    picked: list[Mutant] = []
    for mutant in sorted(mutants, key=lambda one: _rank(one, seed)):
        if len(picked) == size:
            break
        if mutant.compiles():
            picked.append(mutant)
    return picked


def _rank(mutant: Mutant, seed: int) -> bytes:
    return hashlib.sha256("\0".join((str(seed), mutant.path, mutant.function, *mutant.diff)).encode()).digest()


def shard(mutants: list[Mutant], part: int, parts: int) -> list[Mutant]:
    return mutants[part - 1 :: parts]
