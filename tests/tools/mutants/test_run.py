"""A whole run over a project of one file: which mutants live, which do not, and that nothing is left behind."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.mutants.coverage_map import CoverageMap, KnownTest
from tools.mutants.groups import all_mutants
from tools.mutants.mutant import Mutant
from tools.mutants.nearness import files_testing
from tools.mutants.results import Result, Results
from tools.mutants.run import Limits, Nursery, Run
from tools.mutants.trust import Trust
from tools.mutants.working_copy import working_copy

SOURCE = """\
def may_enter(age: int) -> bool:
    return age >= 18


def in_a_process(age: int) -> bool:
    return age > 30


def count(steps: int) -> int:
    while steps > 0:
        steps -= 1
    return steps


def never_asked(age: int) -> bool:
    return age < 5
"""
TESTS = """\
import subprocess, sys, tempfile
from dayjob.rules import count, may_enter

def test_the_young_stay_out():
    assert may_enter(40) and not may_enter(17)

def test_counting_ends():
    assert count(2) == 0

def test_a_process_finds_the_same_rule():
    program = "from dayjob.rules import in_a_process; raise SystemExit(0 if not in_a_process(30) else 1)"
    subprocess.run([sys.executable, "-I", "-c", program], env={}, check=True)
    subprocess.Popen(["sleep", "987"], start_new_session=True)

def test_that_fails_anyway():
    assert not may_enter(40)

def test_that_fails_beside_a_mutant_and_alone():
    assert may_enter(19) and "mut" not in tempfile.gettempdir()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name, text in {
        "src/dayjob/rules.py": SOURCE,
        "src/dayjob/__init__.py": "",
        "tests/test_rules.py": TESTS,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".gitignore").write_text(".cache/\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def run(project: Path) -> Run:
    cache = project / ".cache"
    limits = Limits(budget=10.0, patience=3.0)
    known, results = CoverageMap(project, cache / "map"), Results(project, cache / "results")
    found = Run(project, cache, known, results, Trust(cache / "trust"), 1, limits)
    found.make_map(["tests/test_rules.py"], lambda _: None)
    return found


@pytest.fixture(scope="module")
def told(project: Path, run: Run) -> Callable[[str], str]:
    """The verdict on a mutant, by the line it makes."""
    wanted = {
        *("return age > 18", "return age >= 19", "return age >= 17"),
        *("return age >= 30", "steps += 1", "return age <= 5"),
    }
    mutants = [one for one in all_mutants(project, ["src/dayjob/rules.py"]) if one.diff[1] in wanted]
    done, left = run.earlier(mutants, lambda one: files_testing(project, one.path))
    results = done | run.try_mutants(left, lambda *_: None)
    verdicts = {one.diff[1]: results[one.key].verdict for one in mutants}
    return verdicts.__getitem__


def test_a_mutant_that_a_test_notices_is_killed(told: Callable[[str], str]) -> None:
    assert told("return age >= 17") == "killed"


@pytest.mark.parametrize("line", ["return age > 18", "return age >= 19"])
def test_a_boundary_that_no_test_stands_on_survives(told: Callable[[str], str], line: str) -> None:
    assert told(line) == "survived"


def test_a_process_that_a_test_starts_without_environment_runs_the_mutant(told: Callable[[str], str]) -> None:
    assert told("return age >= 30") == "killed"


def test_a_mutant_that_never_ends_is_found_by_the_time_limit(told: Callable[[str], str]) -> None:
    assert told("steps += 1") == "timed out"


def test_a_line_that_no_test_runs_survives_those_that_start_processes(told: Callable[[str], str]) -> None:
    assert told("return age <= 5") == "survived"


def test_a_test_that_fails_without_any_mutant_kills_none(project: Path, run: Run) -> None:
    names = {test.id.partition("::")[2] for test in run.known.tests_of("tests/test_rules.py")}
    assert "test_the_young_stay_out" in names
    assert "test_that_fails_anyway" not in names


def test_a_test_that_fails_only_where_mutants_are_tried_kills_none(run: Run, told: Callable[[str], str]) -> None:
    assert told("return age > 18") == "survived"
    name = "tests/test_rules.py::test_that_fails_beside_a_mutant_and_alone"
    assert name in {test.id for test in run.known.tests_of("tests/test_rules.py")}
    assert run.trust.passes(name, run.results.tests_hash([name])) is False


def test_nothing_is_left_behind(project: Path, told: Callable[[str], str]) -> None:
    assert told("return age > 18")
    copy = project / ".cache/copies/0"
    assert (copy / "src/dayjob/rules.py").read_text() == SOURCE
    assert not running("sleep", "987")


def running(*command: str) -> bool:
    wanted = "\0".join(command)
    return any(
        path.read_text("latin-1").strip("\0") == wanted
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.exists()
    )


def test_a_warm_process_that_is_told_twice_to_end_still_ends_what_its_tests_started(project: Path) -> None:
    file = "tests/test_long.py"
    test = "import subprocess\ndef test_a():\n    subprocess.run(['sleep', '986'], start_new_session=True)\n"
    (project / file).write_text(test)
    with working_copy(project, project / ".cache/copies") as copy, Nursery(copy) as nursery:
        batch = (KnownTest(f"{file}::test_a", 1.0, False),)

        def ask() -> None:
            with contextlib.suppress(ValueError):
                nursery.ask("src/dayjob/rules.py", b"", batch, 600.0)

        asking = threading.Thread(target=ask)
        asking.start()
        while asking.is_alive() and not running("sleep", "986"):
            asking.join(0.05)
        assert running("sleep", "986")
        nursery.terminate()
        nursery.terminate()
        asking.join()
    assert not running("sleep", "986")
    assert (copy.path / "src/dayjob/rules.py").read_text() == SOURCE


def test_a_second_run_tries_nothing_again(project: Path, run: Run, told: Callable[[str], str]) -> None:
    assert told("return age > 18") == "survived"
    mutants = [one for one in all_mutants(project, ["src/dayjob/rules.py"]) if one.diff[1] == "return age > 18"]
    again = Run(project, run.cache, run.known, Results(project, run.cache / "results"), run.trust, 1, run.limits)
    done, left = again.earlier(mutants, lambda _: ["tests/test_rules.py"])
    assert (len(done), left) == (1, [])
    assert again.known.missing(["tests/test_rules.py"]) == []


def test_the_map_finds_lines_that_have_moved(project: Path, run: Run) -> None:
    source = project / "src/dayjob/rules.py"
    reached = run.known.reaching("tests/test_rules.py", "src/dayjob/rules.py", range(2, 3))
    assert "tests/test_rules.py::test_the_young_stay_out" in reached
    try:
        source.write_text("\n\n# a comment\n" + SOURCE)
        moved = CoverageMap(project, run.cache / "map")
        assert moved.reaching("tests/test_rules.py", "src/dayjob/rules.py", range(5, 6)) == reached
        assert moved.reaching("tests/test_rules.py", "src/dayjob/rules.py", range(2, 3)) == set()
    finally:
        source.write_text(SOURCE)


def test_a_file_that_was_mapped_in_part_is_mapped_again_when_there_is_more_time(project: Path, run: Run) -> None:
    file = "tests/test_slow.py"
    (project / file).write_text("import time\ndef test_a():\n    time.sleep(0.2)\ndef test_b():\n    pass\n")
    hasty = Run(
        project, run.cache, CoverageMap(project, run.cache / "map"), run.results, run.trust, 1, Limits(mapping=0.1)
    )
    hasty.make_map([file], lambda _: None)
    assert [test.id for test in hasty.known.tests_of(file)] == [f"{file}::test_a"]
    assert hasty.known.in_part([file]) == [file]
    assert hasty.known.missing([file], 0.1) == []
    assert hasty.known.missing([file], 60.0) == [file]
    patient = Run(
        project, run.cache, CoverageMap(project, run.cache / "map"), run.results, run.trust, 1, Limits(mapping=60.0)
    )
    patient.make_map([file], lambda _: None)
    assert [test.id for test in patient.known.tests_of(file)] == [f"{file}::test_a", f"{file}::test_b"]
    assert patient.known.in_part([file]) == patient.known.missing([file], 600.0) == []


def test_a_run_whose_time_is_up_begins_nothing(project: Path, run: Run) -> None:
    late = Run(project, run.cache, run.known, run.results, run.trust, 1, Limits(until=0.0))
    tried: list[tuple[Mutant, Result]] = []
    mutants = all_mutants(project, ["src/dayjob/rules.py"])[:1]
    _, left = late.earlier(mutants, lambda _: ["tests/test_rules.py"])
    assert late.try_mutants(left, lambda *one: tried.append(one)) == {}
    assert tried == []
