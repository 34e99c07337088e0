"""What a run keeps and what it is told: results that hold, the list of equivalents, the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants.equivalents import LIST, EquivalentsError, equivalence_key, read_equivalents, stale
from tools.mutants.operators import mutants_of
from tools.mutants.report import Tally, survivors, table, tally
from tools.mutants.results import Result, Results, Verdict

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src/dayjob").mkdir(parents=True)
    (tmp_path / "src/dayjob/a.py").write_text("def f(a, b):\n    return a < b\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("one")
    (tmp_path / "tests/test_b.py").write_text("one")
    return tmp_path


TESTS = ["tests/test_a.py::one", "tests/test_b.py::two"]


def keep(project: Path, verdict: Verdict, by: str = "") -> None:
    results = Results(project, project / "results.jsonl")
    decided = [by] if by else TESTS
    results.add(Result("key", verdict, by, TESTS, results.tests_hash(decided), 1.0, False))


def kept(project: Path, tests: list[str] | None = None) -> str | None:
    found = Results(project, project / "results.jsonl").known("key", TESTS if tests is None else tests)
    return found.verdict if found else None


@pytest.mark.parametrize("verdict", ["survived", "timed out"])
def test_a_result_is_known_to_the_next_run_until_a_test_of_it_changes(project: Path, verdict: Verdict) -> None:
    keep(project, verdict)
    assert kept(project) == verdict
    (project / "tests/test_b.py").write_text("two")
    assert kept(project) is None


def test_a_survivor_is_tried_again_when_there_is_another_test(project: Path) -> None:
    keep(project, "survived")
    assert kept(project, [*TESTS, "tests/test_a.py::three"]) is None


def test_a_killed_mutant_stays_killed_while_the_test_that_killed_it_is_the_same(project: Path) -> None:
    keep(project, "killed", by=TESTS[0])
    (project / "tests/test_b.py").write_text("two")
    assert kept(project, [TESTS[0]]) == "killed"
    (project / "tests/test_a.py").write_text("two")
    assert kept(project) is None


def test_what_could_not_be_tried_is_tried_again(project: Path) -> None:
    keep(project, "error")
    assert kept(project) is None


def test_another_text_of_the_file_is_another_mutant() -> None:
    one, other = (mutants_of("a.py", text)[0] for text in (b"a < b\n", b"a < b\n# more\n"))
    assert one.key != other.key
    assert one.key == mutants_of("a.py", b"a < b\n")[0].key


ENTRY = "# why\nsrc/dayjob/a.py f\n- return a < b\n+ return a <= b\nThe two are never equal.\n"


def test_an_equivalent_is_known_by_its_text_wherever_its_line_is(project: Path) -> None:
    (project / "list.txt").write_text(ENTRY)
    entries = read_equivalents(project / "list.txt")
    source = project / "src/dayjob/a.py"
    source.write_text("import os\n\n\n" + source.read_text())
    keys = {equivalence_key(one) for one in mutants_of("src/dayjob/a.py", source.read_bytes())}
    assert set(entries) <= keys
    assert [entry.reason for entry in entries.values()] == ["The two are never equal."]
    assert stale(project, entries) == []


@pytest.mark.parametrize("text", ["def f(a, b):\n    return a <= b\n", "def g(a, b):\n    return a < b\n", ""])
def test_an_entry_that_fits_nothing_any_more_is_stale(project: Path, text: str) -> None:
    (project / "list.txt").write_text(ENTRY)
    (project / "src/dayjob/a.py").write_text(text)
    assert [entry.line for entry in stale(project, read_equivalents(project / "list.txt"))] == [2]


@pytest.mark.parametrize("text", ["src/dayjob/a.py f\n- a\n", "src/dayjob/a.py f\na\nb\nc\n"])
def test_an_entry_without_its_parts_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(EquivalentsError, match=r"list\.txt:1: "):
        read_equivalents(tmp_path / "list.txt")


def test_no_entry_of_the_committed_list_is_stale() -> None:
    entries = read_equivalents(LIST)
    assert [f"equivalent.txt:{entry.line}" for entry in stale(ROOT, entries)] == []


def test_the_report_counts_each_kind_and_leaves_equivalents_out_of_the_share() -> None:
    mutants = mutants_of("a.py", b"a < 1\nb == 2\n")[:6]
    verdicts: list[Verdict] = ["killed", "timed out", "survived", "not covered", "killed"]
    found = {
        one.key: Result(one.key, verdict, "", ["t"], "", 1.0, False)
        for one, verdict in zip(mutants, verdicts, strict=False)
    }
    row = tally("a", mutants, found, {mutants[5].key})
    assert row == Tally("a", mutants=6, killed=3, survived=1, not_covered=1, equivalent=1)
    assert row.share == 3 / 5
    assert table([row]).splitlines()[-1] == "| a | 6 | 3 | 1 | 1 | 1 | 60% |"
    told = "\n".join(survivors(mutants, found))
    assert told.count("a.py:") == 2
    assert f"    + {mutants[2].diff[1]}" in told
    assert f"    + {mutants[0].diff[1]}\n" not in told
