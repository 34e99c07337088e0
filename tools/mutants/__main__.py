"""A sample of the mutants of every group, or of those named; `--changed` for all mutants of the lines of a change."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from tools.mutants import report
from tools.mutants.changed import changed_lines, on_lines
from tools.mutants.coverage_map import CoverageMap
from tools.mutants.equivalents import EquivalentsError, equivalence_key, read_equivalents, stale
from tools.mutants.faults import FaultsError, read_faults
from tools.mutants.groups import GROUPS, Group, all_mutants, files_of, group_named, sample, shard
from tools.mutants.mutant import Mutant
from tools.mutants.nearness import files_testing, named_test_files
from tools.mutants.results import Result, Results
from tools.mutants.run import Limits, Run
from tools.mutants.trust import Trust

ROOT = Path(__file__).parents[2]
UNFINISHED = 3


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    options.add_argument(
        "group", nargs="*", help=f"of {', '.join(group.name for group in GROUPS)}; all of them if none"
    )
    options.add_argument("--file", action="append", default=[], help="mutants of this file alone (may be repeated)")
    options.add_argument("--under", action="append", default=[], help="of the sample, only what lies in this folder")
    options.add_argument("--changed", action="store_true", help="all mutants of the lines changed since main")
    options.add_argument("--since", metavar="REV", help="the same since another revision")
    options.add_argument(
        "--faults", type=Path, metavar="FILE", help="faults written by hand (see tools/mutants/faults.py)"
    )
    options.add_argument("--sample", type=int, help="how many mutants of each group (0: all)")
    options.add_argument("--seed", type=int, default=15)
    options.add_argument("--shard", default="1/1", metavar="K/N", help="the Kth of N parts of each sample")
    options.add_argument("--budget", type=float, default=30.0, help="seconds of tests for a mutant")
    options.add_argument("--mapping", type=float, default=120.0, help="seconds for a test file under coverage")
    options.add_argument("--minutes", type=float, help="begin nothing new after so long; another run goes on")
    options.add_argument("--tests", action="append", default=[], help="test files or folders beside the nearest ones")
    options.add_argument(
        "--only-tests", action="append", default=[], help="test files or folders instead of the nearest"
    )
    options.add_argument("-j", "--jobs", type=int, default=2)
    options.add_argument("--list", action="store_true", help="show the mutants and try none")
    options.add_argument("--map-only", action="store_true", help="make the coverage map and try none")
    options.add_argument("--known-only", action="store_true", help="report what earlier runs decided and try none")
    options.add_argument("-o", "--out", type=Path, help="write the report to this file too")
    return options


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    asked = _options().parse_args()
    entries = read_equivalents()
    if gone := stale(ROOT, entries):
        for entry in gone:
            print(f"equivalent.txt:{entry.line}: fits no mutant of {entry.path} any more.", file=sys.stderr)
        return 2
    until = float("inf") if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    cache = ROOT / ".cache" / "mutants"
    run = Run(
        ROOT, cache, CoverageMap(ROOT, cache / "map"), Results(ROOT, cache / "results.jsonl"),
        Trust(cache / "trust.jsonl"), asked.jobs, Limits(asked.budget, asked.mapping, until=until),
    )  # fmt: skip
    rows: list[report.Tally] = []
    told: list[str] = []
    left = 0
    for group, mutants in _wanted(asked):
        if asked.list:
            for one in mutants:
                print(f"{one.path}:{one.line} {one.edit.kind}\n    - {one.diff[0]}\n    + {one.diff[1]}")
            continue
        equivalent = {one.key for one in mutants if equivalence_key(one) in entries}
        found = _tried(group, [one for one in mutants if one.key not in equivalent], run, asked)
        left += len(mutants) - len(found) - len(equivalent)
        rows.append(report.tally(group.name, mutants, found, equivalent))
        told += report.survivors(mutants, found)
    if rows and not asked.map_only:
        text = "\n".join([report.table(rows), *told]) + "\n"
        print(text)
        if asked.out:
            asked.out.write_text(text, "utf-8")
    if left:
        print(f"{left} mutants are still to be tried: the same command goes on.", file=sys.stderr)
    return UNFINISHED if left else 0


def _wanted(asked: argparse.Namespace) -> list[tuple[Group, list[Mutant]]]:
    part, parts = (int(number) for number in asked.shard.split("/"))
    found: list[tuple[Group, list[Mutant]]] = []
    if asked.changed or asked.since:
        lines = changed_lines(ROOT, asked.since)
        mutants = on_lines(all_mutants(ROOT, sorted(lines)), lines)
        found.append((Group("changed", ()), sample(mutants, asked.sample or len(mutants), asked.seed)))
    elif asked.faults:
        found.append((Group("faults", ()), read_faults(ROOT, asked.faults)))
    elif asked.file:
        mutants = all_mutants(ROOT, asked.file)
        found.append((Group("files", ()), sample(mutants, asked.sample or len(mutants), asked.seed)))
    else:
        for group in [group_named(name) for name in asked.group] or GROUPS:
            mutants = all_mutants(ROOT, files_of(ROOT, group))
            size = group.sample if asked.sample is None else asked.sample or len(mutants)
            found.append((group, sample(mutants, size, asked.seed)))
    return [(group, shard(_below(mutants, asked.under), part, parts)) for group, mutants in found]


def _below(mutants: list[Mutant], folders: list[str]) -> list[Mutant]:
    return [one for one in mutants if not folders or any(one.path.startswith(folder) for folder in folders)]


def _tried(group: Group, mutants: list[Mutant], run: Run, asked: argparse.Namespace) -> dict[str, Result]:
    extra = (*group.tests, *asked.tests)
    paths = {one.path for one in mutants}
    if asked.only_tests:
        files = dict.fromkeys(paths, named_test_files(ROOT, tuple(asked.only_tests)))
    else:
        files = {path: files_testing(ROOT, path, extra) for path in paths}
    needed = sorted({test for tests in files.values() for test in tests})
    if not asked.known_only:
        run.make_map(needed, _mapped)
        if cut := run.known.in_part(needed):
            print(f"mapped in part, for want of time (--mapping): {', '.join(cut)}", file=sys.stderr)
    if asked.map_only or run.known.missing(needed):
        return {}
    done, left = run.earlier(mutants, lambda one: files[one.path])
    return done if asked.known_only else done | run.try_mutants(left, _tell)


def _mapped(file: str) -> None:
    print(f"mapped {file}", file=sys.stderr)


def _tell(mutant: Mutant, result: Result) -> None:
    place = f"{mutant.path}:{mutant.line}"
    print(f"{result.verdict:12} {result.seconds:6.1f} s  {place}  {mutant.diff[1][:90]}  {result.by}", file=sys.stderr)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (EquivalentsError, FaultsError, KeyboardInterrupt) as error:
        sys.exit(str(error) or 130)
