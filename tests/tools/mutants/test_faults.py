"""Faults that somebody wrote by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.mutants.faults import FaultsError, read_faults

SOURCE = """\
LIMIT = 3


def may_enter(
    age: int,
) -> bool:
    if age > LIMIT:
        return True
    return False


def other() -> bool:
    return False
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "door.py").write_text(SOURCE, "utf-8")
    return tmp_path


def _written(root: Path, *faults: dict[str, object]) -> Path:
    path = root / "faults.json"
    path.write_text(json.dumps([{"file": "door.py", **one} for one in faults]), "utf-8")
    return path


def test_a_fault_is_a_mutant_of_its_line_and_function(root: Path) -> None:
    (found,) = read_faults(root, _written(root, {"before": "    if age > LIMIT:", "after": "    if age >= LIMIT:"}))
    assert found.text.decode() == SOURCE.replace("age > LIMIT", "age >= LIMIT")
    assert (found.function, found.first, found.last, found.line) == ("may_enter", 7, 7, 7)
    assert not found.module_level


def test_a_line_that_runs_at_import_is_known_as_such(root: Path) -> None:
    (found,) = read_faults(root, _written(root, {"before": "LIMIT = 3", "after": "LIMIT = 4"}))
    assert found.module_level


def test_a_line_that_is_there_twice_is_told_apart_by_its_number(root: Path) -> None:
    fault: dict[str, object] = {"before": "    return False", "after": "    return True"}
    with pytest.raises(FaultsError, match=r"fault 1: 2 lines of door\.py are 'return False'; one is wanted\."):
        read_faults(root, _written(root, fault))
    (found,) = read_faults(root, _written(root, {**fault, "line": 13}))
    assert found.function == "other"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"before": "nothing", "after": "x"}, "0 lines of door.py"),
        ({"before": "LIMIT = 3", "after": "LIMIT ="}, "does not compile"),
        ({"before": "", "after": "x = 1", "line": 2}, "no line of a statement"),
        ({"before": "LIMIT = 3"}, "is not a list of faults"),
        ({"before": "LIMIT = 3", "after": "LIMIT = 4", "line": "one"}, "is not a list of faults"),
        ({"file": "gone.py", "before": "LIMIT = 3", "after": "LIMIT = 4"}, "is not a list of faults"),
    ],
)
def test_a_fault_that_cannot_be_put_in_is_named(root: Path, fault: dict[str, object], said: str) -> None:
    with pytest.raises(FaultsError, match=said):
        read_faults(root, _written(root, fault))
