"""Which mutants a run tries, in which order it tries which tests, and which lines a change touches."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tools.mutants.changed import changed_lines, on_lines
from tools.mutants.choosing import choose
from tools.mutants.coverage_map import CoverageMap, KnownTest
from tools.mutants.groups import GROUPS, REST, Group, files_of, group_named, sample, shard
from tools.mutants.mentions import functions_naming, mentions, names_defined
from tools.mutants.mutant import Mutant
from tools.mutants.nearness import files_testing, nearness
from tools.mutants.operators import mutants_of

ROOT = Path(__file__).parents[3]
MANY = mutants_of("src/dayjob/x.py", b"\n".join(b"x = a < %d" % number for number in range(100)))


def test_a_sample_is_the_same_for_a_seed_and_another_for_another() -> None:
    keys = [one.key for one in sample(MANY, 20, seed=1)]
    assert len(set(keys)) == 20
    assert keys == [one.key for one in sample(list(MANY), 20, seed=1)]
    assert keys != [one.key for one in sample(MANY, 20, seed=2)]


def test_a_larger_sample_holds_the_smaller_one() -> None:
    assert sample(MANY, 40, seed=1)[:20] == sample(MANY, 20, seed=1)


def test_a_change_elsewhere_in_a_file_leaves_a_sample_as_it_was() -> None:
    lines = [b"x = a < %d" % number for number in range(100)]
    changed = mutants_of("src/dayjob/x.py", b"\n".join([b"import os", *lines[:50], b"", *lines[50:]]))
    assert [one.diff for one in sample(changed, 20, seed=1)] == [one.diff for one in sample(MANY, 20, seed=1)]


def test_a_mutant_that_does_not_compile_makes_room_for_another() -> None:
    text = b"def f():\n    'one'\n    x = a < 1\n"
    broken = Mutant("x.py", "f", 1, 1, MANY[0].edit, b"(" * 50 + text)
    picked = sample([broken, *MANY[:3]], 3, seed=1)
    assert len(picked) == 3
    assert broken not in picked


def test_shards_share_out_a_sample() -> None:
    parts = [shard(MANY, part, 4) for part in (1, 2, 3, 4)]
    assert sorted(one.key for part in parts for one in part) == sorted(one.key for one in MANY)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_every_source_file_is_in_one_group() -> None:
    files = [file for group in GROUPS for file in files_of(ROOT, group)]
    there = [str(path.relative_to(ROOT)) for path in (ROOT / "src/dayjob").rglob("*.py")]
    assert sorted(files) == sorted(there)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_groups_sample_has_the_size_that_is_promised(group: Group) -> None:
    assert group.sample == (300 if group.name == REST else 60)
    assert files_of(ROOT, group)


def test_the_tests_of_a_file_are_those_of_the_folder_that_mirrors_its_own() -> None:
    found = files_testing(ROOT, "src/dayjob/llm/rate_limits.py")
    assert found
    assert {str(Path(file).parent) for file in found} == {"tests/llm"}
    assert "tests/cli/test_view.py" in files_testing(ROOT, "src/dayjob/report/viewer/app.py")
    for part in ("store/rooms.py", "pages/rooms.py", "service.py"):
        assert "tests/company/chat/test_talks.py" in files_testing(ROOT, f"src/dayjob/company/chat/{part}")
    assert "tests/test_scoring.py" in files_testing(ROOT, "src/dayjob/scoring.py")
    assert "tests/trial/test_egress.py" in files_testing(ROOT, "src/dayjob/llm/rate_limits.py", ("tests/trial",))


def test_a_test_file_of_the_same_name_is_the_nearest() -> None:
    file = "src/dayjob/company/chat/store/rooms.py"
    order = ["tests/company/chat/test_rooms.py", "tests/company/chat/test_files.py", "tests/llm/test_gateway.py"]
    assert sorted(order, key=lambda test: -nearness(file, test)) == order


class KnownMap(CoverageMap):
    """A map that was made by hand: for each test, its seconds, the lines it runs, and whether it starts processes."""

    def __init__(self, tests: dict[str, tuple[float, set[int], bool]]) -> None:
        self.tests = tests

    def tests_of(self, test_file: str) -> list[KnownTest]:
        return [
            KnownTest(name, one[0], one[2]) for name, one in self.tests.items() if name.startswith(f"{test_file}::")
        ]

    def imports(self, test_file: str, file: str) -> bool:
        return test_file == NEAR

    def using(self, test_file: str, mutant: Mutant) -> set[str]:
        names = names_defined(mutant.source, mutant.first, mutant.last)
        text = mutant.source.decode().splitlines()
        lines = [number for number, line in enumerate(text, 1) if any(name in line for name in names)]
        return self.reaching(test_file, mutant.path, lines)

    def reaching(self, test_file: str, file: str, lines: Iterable[int] | None) -> set[str]:
        return {name for name, one in self.tests.items() if (one[1] if lines is None else one[1] & set(lines))}


def chosen(tests: dict[str, tuple[float, set[int], bool]], budget: float = 30.0, source: str = "") -> list[str]:
    text = source or "def f():\n    return a < b\n"
    files = sorted({name.partition("::")[0] for name in tests})
    choice = choose(mutants_of("src/dayjob/llm/rate_limits.py", text.encode())[0], files, KnownMap(tests), budget)
    assert choice.cut == (len(choice.tests) < len(tests))
    return [test.id.partition("::")[2] for test in choice.tests]


NEAR, FAR = "tests/llm/test_rate_limits.py", "tests/llm/test_gateway.py"


def test_quick_tests_come_before_slow_ones_and_near_ones_before_far_ones() -> None:
    tests = {
        f"{FAR}::quick": (0.01, {2}, False),
        f"{NEAR}::slow": (3.0, {2}, False),
        f"{NEAR}::quick": (0.02, {2}, False),
    }
    assert chosen(tests) == ["quick", "quick", "slow"]
    assert choose(MANY[0], [], KnownMap({}), 1.0).tests == []


def test_tests_that_run_other_lines_are_left_out_unless_they_start_processes() -> None:
    tests = {
        f"{NEAR}::other": (0.1, {1}, False),
        f"{NEAR}::process": (0.1, set[int](), True),
        f"{NEAR}::it": (5.0, {2}, True),
    }
    files = [NEAR]
    choice = choose(
        mutants_of("src/dayjob/llm/rate_limits.py", b"def f():\n    return a < b\n")[0], files, KnownMap(tests), 30.0
    )
    assert [test.id for test in choice.tests] == [f"{NEAR}::it", f"{NEAR}::process"]


def test_what_runs_at_import_is_tried_with_every_test_that_imports_the_module_or_runs_any_of_it() -> None:
    tests = {f"{NEAR}::a": (0.1, set[int](), False), f"{FAR}::b": (0.1, {9}, False)}
    assert sorted(chosen(tests, source="X = 3\n")) == ["a", "b"]
    choice = choose(
        mutants_of("src/dayjob/llm/rate_limits.py", b"X = 3\n")[0],
        [FAR],
        KnownMap({f"{FAR}::c": (0.1, set(), False)}),
        9.0,
    )
    assert choice.tests == []


def test_tests_that_run_what_uses_a_table_come_before_quicker_ones() -> None:
    tests = {f"{NEAR}::quick": (0.01, {4}, False), f"{FAR}::uses": (2.0, {3}, False)}
    assert chosen(tests, source="X = 3\ndef f():\n    return X\n") == ["uses", "quick"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("X = 3\nY = 4\n", {"X"}),
        ("X: int = 3\nY = (X, 4)\nZ = {1: Y}\n", {"X", "Y", "Z"}),
        ("class A:\n    x: int = 3\n    y: int = 4\n", {"x", "A"}),
        ("def f(x=3):\n    return x\n", {"f"}),
        ("call(3)\nX = 4\n", set()),
    ],
)
def test_what_a_statement_defines_is_what_it_names_and_what_is_made_of_that(source: str, names: set[str]) -> None:
    place = next(number for number, line in enumerate(source.splitlines(), 1) if "3" in line)
    assert names_defined(source.encode(), place, place) == names


def test_a_name_is_used_in_its_own_file_and_in_those_that_know_the_module(tmp_path: Path) -> None:
    files = {
        "limits": "X = 3\n\nprint(X)\n",
        "user": "from a import limits\nlimits.X\n",
        "other": "X = 4\n",
        "none": "",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert mentions(tmp_path, "limits.py", {"X"}, ".") == {"limits.py": [1, 3], "user.py": [2]}
    assert mentions(tmp_path, "limits.py", set(), ".") == {}


def test_a_test_names_something_in_its_text_or_its_parameters() -> None:
    text = (
        "import X\n\n@mark(X)\ndef test_a(): ...\n\nclass TestB:\n    def test_b(self):\n        X\n\n"
        "def test_c():\n    XY\n"
    )
    assert functions_naming(text, {"X"}) == {"test_a", "test_b"}
    assert functions_naming(text, {"Z"}) == functions_naming(text, set()) == set()


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("from dayjob.llm.rate_limits import X", True),
        ("from dayjob.llm import rate_limits", True),
        ("from dayjob.llm import X", True),
        ("    import dayjob.llm.rate_limits", True),
        ("from dayjob.llm.budget import X", False),
        ("# from the limits", False),
    ],
)
def test_a_test_file_imports_a_module_in_any_of_these_ways(tmp_path: Path, line: str, does: bool) -> None:
    (tmp_path / "test_a.py").write_text(f"import os\n{line}\n")
    assert CoverageMap(tmp_path, tmp_path / "map").imports("test_a.py", "src/dayjob/llm/rate_limits.py") is does


def test_the_budget_leaves_out_what_does_not_fit_but_never_everything() -> None:
    tests = {f"{NEAR}::a": (5.0, {2}, False), f"{NEAR}::b": (6.0, {2}, False)}
    assert chosen(tests, budget=11.0) == ["a", "b"]
    assert chosen(tests, budget=10.0) == ["a"]
    assert chosen(tests, budget=1.0) == ["a"]


def test_the_lines_of_a_change_are_those_that_git_names(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    source = tmp_path / "src/dayjob/a.py"
    source.parent.mkdir(parents=True)
    source.write_text("a = 1\nb = 2\nc = 3\n")
    git("init", "-b", "main")
    git("add", "-A")
    git("commit", "-m", "one")
    git("checkout", "-b", "change")
    source.write_text("a = 1\nb = 4\nc = 3\n")
    git("commit", "-am", "two")
    source.write_text("a = 1\nb = 4\nc = 3\nd = 5\n")
    (source.parent / "new.py").write_text("e = 6\n")
    lines = changed_lines(tmp_path)
    assert lines["src/dayjob/a.py"] == {2, 4}
    assert 1 in lines["src/dayjob/new.py"]
    assert changed_lines(tmp_path, "HEAD")["src/dayjob/a.py"] == {4}
    picked = on_lines(mutants_of("src/dayjob/a.py", source.read_bytes()), lines)
    assert {one.line for one in picked} == {2, 4}


def test_named_groups_are_found() -> None:
    assert group_named("llm").files == ("llm/*",)
